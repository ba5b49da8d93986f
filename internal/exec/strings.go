package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Strings carries out p, of kind op.Strings, on device memory, and waits: its plan, and plans of kind
// op.StringsNext until all strings are in order. What the plans hand over lies in memory of the session's.
// Else as Run.
func (s *Session) Strings(ctx context.Context, p plan.Problem, at Places, r *Result) (err error) {
	pr, err := s.ready(p)
	if err != nil {
		return err
	}
	name := pr.Algorithm
	defer func() { r.Algorithm = name }()
	l, err := s.acquire()
	if err != nil {
		return err
	}
	defer func() {
		if e := s.release(l, err != nil); err == nil {
			err = e
		}
	}()
	words, lists, next := op.OtherIO+1, op.OtherIO+2, op.OtherIO+3
	held, err := l.handOver(&at, r, 0, words, op.WordsBytes(p.Items))
	if err != nil {
		return err
	}
	if err = l.step(ctx, p, &at, r); err != nil || r.Number == 0 {
		return err
	}
	p.Kind, p.All, p.Room = op.StringsNext, p.Items, uint64(uint32(r.Number))
	for _, region := range []plan.Region{lists, next} {
		if held, err = l.handOver(&at, r, held, region, op.ListParts(p.Room)[5]); err != nil {
			return err
		}
	}
	for {
		p.Items, p.Other = uint64(uint32(r.Number)), r.Number>>32
		if err = l.step(ctx, p, &at, r); err != nil || r.Number == 0 {
			return err
		}
		p.Later, at[lists], at[next] = true, at[next], at[lists]
	}
}

// handOver gives region of the lane's memory so many bytes, beside what is held, for which idle lanes give theirs. It
// returns what is held then.
func (l *lane) handOver(at *Places, r *Result, held uint64, region plan.Region, bytes uint64) (uint64, error) {
	if held += bytes; l.s.x.MemoryLimit != 0 && held > l.s.x.MemoryLimit {
		l.s.raise(held, r)
	}
	var err error
	if at[region], err = l.grow(region, bytes); errors.Is(err, driver.ErrOutOfMemory) {
		l.s.trimIdle()
		at[region], err = l.grow(region, bytes)
	}
	if err != nil {
		return held, fmt.Errorf("%s: lists of strings of %d bytes: %w", l.s.id, bytes, err)
	}
	return held, nil
}

// step runs the plan of p, adds its device time to r and has its number there.
func (l *lane) step(ctx context.Context, p plan.Problem, at *Places, r *Result) error {
	pr, err := l.s.ready(p)
	if err != nil {
		return err
	}
	if at[plan.Scratch], err = l.scratchAlone(pr, r); err != nil {
		return err
	}
	took, err := l.run(ctx, pr, *at)
	if err != nil {
		return fmt.Errorf("%s: %w", l.s.id, err)
	}
	r.DeviceTime += took
	r.Number = pr.number(&l.status)
	return nil
}

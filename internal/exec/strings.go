package exec

import (
	"context"
	"fmt"

	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// strings runs pr, the plan of p, and plans of kind op.StringsNext until all strings are in order. What the
// plans hand over lies in the lane's memory, of which so many bytes are held for p already.
func (l *lane) strings(ctx context.Context, pr *prepared, p plan.Problem, at Places, held uint64, r *Result) error {
	words, lists, next := op.OtherIO+1, op.OtherIO+2, op.OtherIO+3
	held, err := l.handOver(&at, r, held, words, op.WordsBytes(p.Items))
	if err != nil {
		return err
	}
	if err = l.step(ctx, pr, at, r); err != nil || r.Number == 0 {
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
		if pr, err = l.s.ready(p); err != nil {
			return err
		}
		if err = l.step(ctx, pr, at, r); err != nil || r.Number == 0 {
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
	at[region], err = roomy(l.s, func() (transfer.Place, error) { return l.grow(region, bytes) })
	if err != nil {
		return held, fmt.Errorf("%s: lists of strings of %d bytes: %w", l.s.id, bytes, err)
	}
	return held, nil
}

//go:build amd64 || arm64

package grade

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
)

// sortOnce gives the child a new input, times one sort of it and checks the
// result. The time is the grader's own, from before the child is woken until
// it stands still again; on a GPU, where no code of the submission can reach
// the events, theirs.
func (g *grader) sortOnce(ctx context.Context, s *session, d dist.Dist, limit time.Duration) (int64, error) {
	l := s.layout
	if err := s.freeze(); err != nil {
		return 0, err
	}
	pattern := newPattern()
	arm(s.mem, l.Keys, l.Keys.Bytes, pattern)
	arm(s.mem, l.Alt, l.Alt.Bytes, pattern)
	arm(s.mem, l.Temp, s.info.Temp, pattern)
	want := fill(s.mem[l.Keys.Off:][:l.Keys.Bytes], g.r.keyType, d, g.seeds.next())
	if s.onDevice {
		if err := g.step(ctx, s, wire.OpLoad, limit+time.Duration(g.r.StartLimit)); err != nil {
			return 0, err
		}
		if err := s.freeze(); err != nil {
			return 0, err
		}
	}
	// A process that ran while the input was written could have begun.
	if err := s.stayed(); err != nil {
		return 0, err
	}
	run := wire.Frame{Op: wire.OpSort, Nonce: nonce()}
	start := time.Now()
	if err := s.send(run); err != nil {
		return 0, err
	}
	if err := s.thaw(); err != nil {
		return 0, err
	}
	done, err := s.answer(ctx, run.Nonce, wire.OpSort, limit)
	if err != nil {
		return 0, err
	}
	if err := s.freeze(); err != nil {
		return 0, err
	}
	ns := int64(time.Since(start))
	if !s.info.Host {
		if int64(done.A) > ns {
			return 0, s.bury(Cheat{"the device's clock runs faster than the grader's"})
		}
		ns = int64(done.A)
	}
	if done.C != 0 {
		return 0, s.bury(Cheat{"changed the clock of its process"})
	}
	if s.onDevice {
		if err := g.step(ctx, s, wire.OpFetch, limit+time.Duration(g.r.StartLimit)); err != nil {
			return 0, err
		}
		if err := s.freeze(); err != nil {
			return 0, err
		}
	}
	for _, x := range []struct {
		name string
		r    wire.Region
		used uint64
	}{{"keys", l.Keys, l.Keys.Bytes}, {"keys_alt", l.Alt, l.Alt.Bytes}, {"temp", l.Temp, s.info.Temp}} {
		if at, bad := broken(s.mem, x.r, x.used, pattern); bad {
			return 0, s.bury(Cheat{fmt.Sprintf("wrote outside a buffer: byte %d of %s, which has %d", at, x.name, x.used)})
		}
	}
	result := l.Keys
	if done.B == 1 {
		result = l.Alt
	}
	err = check(s.mem[result.Off:][:result.Bytes], g.r.keyType, want)
	if still := s.stayed(); still != nil {
		return 0, still
	}
	return ns, err
}

// step thaws the child for an untimed request.
func (g *grader) step(ctx context.Context, s *session, op wire.Op, limit time.Duration) error {
	if err := s.thaw(); err != nil {
		return err
	}
	_, err := s.ask(ctx, wire.Frame{Op: op, Nonce: nonce()}, limit)
	return err
}

// measure runs one job on inputs of each distribution in turn. It stops at the
// first wrong one.
func (g *grader) measure(ctx context.Context, j wire.Job, dists []dist.Dist) (out []Case, info wire.Info) {
	fail := func(c Case, run int, err error) {
		c.Passed, c.NS, c.Reason = false, nil, err.Error()
		if run > 0 {
			c.Reason = fmt.Sprintf("run %d: %v", run, err)
		}
		if errors.As(err, &Cheat{}) || errors.As(err, &refusal{}) {
			c.Fatal = err.Error()
		}
		c.harness = errors.As(err, &harness{})
		c.late = errors.As(err, &overtime{})
		out = append(out, c)
	}
	s, err := g.launch(ctx, j)
	if err != nil {
		fail(Case{N: j.Items}, 0, err)
		return out, info
	}
	defer s.close()
	defer g.note(s)
	limit := time.Duration(g.r.TimeLimit)
	for _, d := range dists {
		c := Case{N: j.Items, Dist: d.Name, Passed: true}
		for i := range g.r.WarmUp + g.r.Iterations {
			allowed := limit
			if i == 0 && s.onDevice {
				allowed += time.Duration(g.r.StartLimit) // kernels are compiled at their first launch
			}
			ns, err := g.sortOnce(ctx, s, d, allowed)
			if err != nil {
				fail(c, i+1, err)
				return out, s.info
			}
			if i >= g.r.WarmUp {
				c.NS = append(c.NS, ns)
			}
		}
		out = append(out, c)
	}
	return out, s.info
}

//go:build amd64 || arm64

package grade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/op"
)

// turn gives the child a new input, times one sort of it and checks the result.
//
// The input is made in memory of the grader's own. It is put where the child can
// see it while the child stands still, just before the clock starts; the clock
// stops when the child stands still again, and the result is copied before it is
// looked at. So whatever wakes a child gains no more than the time of a copy.
func (g *grader) turn(ctx context.Context, s *session, in *input, d dist.Dist, limit time.Duration) (int64, error) {
	in.draw(d, g.seeds.next())
	if err := s.freeze(); err != nil {
		return 0, err
	}
	in.hand(s)
	if s.resident {
		if err := g.step(ctx, s, wire.OpLoad, limit+time.Duration(g.r.StartLimit)); err != nil {
			return 0, err
		}
	}
	// A process that ran while the input was there could have begun.
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
	if s.resident {
		if err := g.step(ctx, s, wire.OpFetch, limit+time.Duration(g.r.StartLimit)); err != nil {
			return 0, err
		}
	}
	broken := in.take(s, done.A == 1)
	if err := s.stayed(); err != nil {
		return 0, err
	}
	if broken != nil {
		return 0, s.bury(broken)
	}
	return ns, in.check()
}

// step has the frozen child do something that is not timed.
func (g *grader) step(ctx context.Context, s *session, what wire.Op, limit time.Duration) error {
	if err := s.thaw(); err != nil {
		return err
	}
	if _, err := s.ask(ctx, wire.Frame{Op: what, Nonce: nonce()}, limit); err != nil {
		return err
	}
	return s.freeze()
}

// emptyTurns are as many as are tried to find the cost of a turn.
const emptyTurns = 24

// measureEmpty finds the least time of a turn in which nothing is sorted: what
// every turn costs beside the sort. It runs before any code of the submission.
func (g *grader) measureEmpty(ctx context.Context) error {
	g.o.Progress("an empty turn")
	j := wire.Job{Kind: "nothing", Device: "cpu", Spec: g.job.Spec, TempLimit: wire.Guard, Confine: g.job.Confine}
	j.Spec.Mode, j.Spec.ValueBytes, j.Spec.Items = op.Keys, 0, 1
	s, err := g.launch(ctx, j)
	if err != nil {
		return err
	}
	defer s.close()
	in := newInput(j, false)
	for range emptyTurns {
		ns, err := g.turn(ctx, s, in, dist.Must(copyDist), time.Duration(g.r.StartLimit))
		if err != nil {
			return err
		}
		if ns < g.empty || g.empty == 0 {
			g.empty = ns
		}
	}
	g.rep.EmptyTurn = time.Duration(g.empty)
	return nil
}

// round runs a job in a new process, on inputs of each distribution in turn, and
// adds what it measured to cases. It stops at the first wrong one, and returns
// false.
func (g *grader) round(ctx context.Context, j wire.Job, dists []dist.Dist, cases *[]Case) (info wire.Info, ok bool) {
	s, err := g.launch(ctx, j)
	if err != nil {
		*cases = append(*cases, failed(Case{N: j.Spec.Items}, 0, err))
		return info, false
	}
	defer s.close()
	defer g.note(s, j)
	in := newInput(j, g.r.Stable)
	for _, d := range dists {
		k := slices.IndexFunc(*cases, func(c Case) bool { return c.Dist == d.Name })
		if k < 0 {
			k = len(*cases)
			*cases = append(*cases, Case{N: j.Spec.Items, Dist: d.Name, Passed: true})
		}
		c := &(*cases)[k]
		var times []int64
		for i := range g.r.WarmUp + g.r.Iterations {
			allowed := time.Duration(g.r.TimeLimit)
			if i == 0 && j.Device != "cpu" {
				allowed += time.Duration(g.r.StartLimit) // kernels are compiled at their first launch
			}
			ns, err := g.turn(ctx, s, in, d, allowed)
			if err != nil {
				*c = failed(*c, i+1, err)
				return s.info, false
			}
			if i >= g.r.WarmUp {
				// What is not longer than the clock's unit counts as one.
				times = append(times, max(ns-g.empty, g.empty, 1))
			}
		}
		c.NS = append(c.NS, times...)
		c.rounds = append(c.rounds, times)
	}
	return s.info, true
}

// failed is a case that ended in its run-th run with err.
func failed(c Case, run int, err error) Case {
	c.Passed, c.NS, c.rounds, c.Reason = false, nil, nil, err.Error()
	if run > 0 {
		c.Reason = fmt.Sprintf("run %d: %v", run, err)
	}
	if errors.As(err, &Cheat{}) || errors.As(err, &refusal{}) {
		c.Fatal = err.Error()
	}
	c.harness = errors.As(err, &harness{})
	c.late = errors.As(err, &overtime{})
	return c
}

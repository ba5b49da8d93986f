package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// repeatProblems are few problems with many equal keys, where races show.
func repeatProblems(n uint64) []testCase {
	var out []testCase
	for i, d := range []string{"uniform", "few-distinct", "two-values", "entropy-0.201", "almost-sorted"} {
		for _, p := range []plan.Problem{
			{Type: key.U32, Mode: plan.Keys},
			{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8},
			{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}},
		} {
			p.Items = n + uint64(i)
			out = append(out, testCase{dist: mustDist(d), p: p, shift: uint64(i % 3)})
		}
	}
	return out
}

// TestDeterminism repeats sorts; every repetition must give the same bits,
// which judge compares. From the fourth on, a graph may be in use.
func TestDeterminism(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		n, times := uint64(60001), 3
		if full(c) {
			n, times = 3000017, 20
		}
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			e := open(t, c.ID, a.Name)
			runs := times
			if a.Study {
				runs = min(times, 3)
			}
			for i, tc := range repeatProblems(n) {
				if testing.Short() && i%4 != 0 { // shares no factor with the five inputs and three problems
					continue
				}
				tc.algorithm, tc.backend = a.Name, c.Backend
				// Sorts of few keys get as many as they take.
				for a.Check(tc.p, c) != nil && tc.p.Items > 1000 {
					tc.p.Items /= 4
				}
				if err := a.Check(tc.p, c); err != nil {
					skip(t, runs, a.Name+" on "+c.ID+": "+err.Error())
					continue
				}
				in := newInput(tc)
				for range runs {
					tally(t, tc.String()+"/repeat", in.run(e, tc))
				}
				in.free()
			}
		}
	})
}

// TestAtOnce sorts from four goroutines on one engine, and so on several
// queues of one device at once.
func TestAtOnce(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		n := uint64(20011)
		if full(c) {
			n = 2000003
		}
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			e := open(t, c.ID, a.Name)
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					for i, tc := range repeatProblems(n + uint64(1000*g)) {
						if testing.Short() && (i+g)%2 != 0 {
							continue
						}
						tc.algorithm, tc.backend = a.Name, c.Backend
						if a.Check(tc.p, c) != nil {
							skipped.Add(1)
							continue
						}
						f := run
						if i%3 == 2 {
							tc.shift = 0
							f = runSlice
						}
						tally(t, fmt.Sprintf("%v/goroutine=%d", tc, g), f(e, tc))
					}
				})
			}
			wg.Wait()
		}
	})
}

// TestSameBuffer sorts fresh keys in the same device memory again and again, as
// a program with a loop does: arguments are reused, and where the queue can,
// the commands run as a graph from the fourth time on.
func TestSameBuffer(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			for _, n := range []uint64{900, 50021, 700001} {
				if testing.Short() && n > 1<<19 { // the slowest sorts take seconds for each of eight times
					continue
				}
				e := open(t, c.ID, a.Name)
				p := plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: n}
				if err := a.Check(p, c); err != nil {
					skip(t, 1, a.Name+" on "+c.ID+": "+err.Error())
					continue
				}
				tc := testCase{a.Name, c.Backend, mustDist("few-distinct"), p, 1}
				tally(t, tc.String()+"/same-buffer", sameBuffer(e, tc))
			}
		}
	})
}

func sameBuffer(r *rig, c testCase) error {
	keys, err := newZoned(r, c.p.Items, 8, c.shift)
	if err != nil {
		return err
	}
	defer keys.free()
	values, err := newZoned(r, c.p.Items, 4, c.shift)
	if err != nil {
		return err
	}
	defer values.free()
	in := make([]uint64, c.p.Items)
	for i := range uint64(8) {
		dist.Fill(in, c.dist, c.p.Type, seed+i)
		copy(words[uint64](keys.data()), in)
		positions(values.data(), 4)
		if err := errors.Join(keys.upload(), values.upload()); err != nil {
			return err
		}
		if _, err := r.Run(context.Background(), c.p, engine.Regions{keys.r, values.r}); err != nil {
			return fmt.Errorf("sort %d: %w", i, err)
		}
		if err := errors.Join(keys.download(), values.download()); err != nil {
			return fmt.Errorf("sort %d: %w", i, err)
		}
		if err := oracle(c.p, asBytes(in), keys.data(), values.data()); err != nil {
			return fmt.Errorf("sort %d: %w", i, err)
		}
	}
	return nil
}

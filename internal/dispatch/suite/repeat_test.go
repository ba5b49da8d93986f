package suite

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gpusort/gpusort/internal/catalog"
	"github.com/gpusort/gpusort/internal/driver"
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
// which metamorphic compares. From the fourth on, a graph may be in use.
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
			for _, tc := range repeatProblems(n) {
				tc.algorithm, tc.backend = a.Name, c.Backend
				if err := a.Check(tc.p, c); err != nil {
					skip(t, times, a.Name+" on "+c.ID+": "+err.Error())
					continue
				}
				for range times {
					tally(t, tc.String()+"/repeat", run(e, tc))
				}
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

package suite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// leastLayouts is how many layouts an algorithm that takes launch parameters is
// tried with.
const leastLayouts = 6

// layouts are launch parameters to try, those with the fewest numbers of threads
// first: some backends compile a kernel again for each number.
var layouts = []algo.Params{
	{Blocks: 1}, {Blocks: 3}, {Blocks: 2, Threads: 64}, {Blocks: 50, Threads: 64}, {Blocks: 7}, {Threads: 64},
	{Blocks: 1, Threads: 64}, {Blocks: 20}, {Blocks: 2}, {Blocks: 100}, {Blocks: 5, Threads: 128}, {Blocks: 4, Threads: 256}, {Threads: 32}, {Threads: 512},
	{Blocks: 3, Threads: 1024}, {Blocks: 9, Threads: 96}, {Blocks: 6, Threads: 100}, {Blocks: 2, Threads: 33}, {Blocks: 4, Threads: 1},
}

// greatest is the maximum of the cases that promise one.
const greatest = 200

// layoutDists and layoutSizes are what layouts are tried on.
var (
	layoutDists = []string{"uniform", "sorted", "reverse", "constant", "few-distinct", "two-values", "almost-sorted", "zipf", "specials", "entropy-0.201", "one-different", "msd-skew"}
	layoutSizes = []uint64{0, 1, 2, 33, 255, 257, 1000, 4097, 8191, 12345}
)

// layoutsOf returns the layouts that a takes on a device, and whether it needs
// the greatest key. An algorithm without launch parameters has none; one that
// takes the threads that it is compiled for, and no number of blocks, is such.
func layoutsOf(a algo.Algorithm, c driver.Caps, whole bool) (out []algo.Params, needsMax bool) {
	p := plan.Problem{Type: key.U32, Items: 5000}
	takes := func(l algo.Params) bool { _, err := a.Plan(p, c, l); return err == nil }
	if needsMax = !takes(algo.Params{}); needsMax && !takes(algo.Params{MaxValue: greatest}) {
		return nil, false
	}
	for _, l := range layouts {
		if l.MaxValue = 0; needsMax {
			l.MaxValue = greatest
		}
		if takes(l) && (whole || len(out) < leastLayouts) {
			out = append(out, l)
		}
	}
	if !slices.ContainsFunc(out, func(l algo.Params) bool { return l.Blocks != 0 }) {
		return nil, needsMax
	}
	// Every prefix sum that can stand inside.
	for i, s := range study.Scans() {
		l := algo.Params{Scan: s.Name, Blocks: uint32(3 * i)}
		if needsMax {
			l.MaxValue = greatest
		}
		if a.Scans && takes(l) {
			out = append(out, l)
		}
	}
	return out, needsMax
}

// TestLayouts sorts every type, mode and direction with every algorithm that
// takes launch parameters, in several layouts, on inputs and sizes by chance:
// two layouts to a problem on a device that gets the whole grid, else one.
func TestLayouts(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			list, needsMax := layoutsOf(a, c, full(c))
			switch {
			case len(list) == 0:
				continue
			case len(list) < leastLayouts:
				t.Errorf("%s on %s takes %d of the layouts, want at least %d: %+v", a.Name, c.ID, len(list), leastLayouts, list)
			}
			t.Run(a.Name, func(t *testing.T) { tryLayouts(t, a, c, list, needsMax) })
		}
	})
}

// layoutCase is a case with its layout's engine.
type layoutCase struct {
	testCase
	l algo.Params
	r *rig
}

func tryLayouts(t *testing.T, a algo.Algorithm, c driver.Caps, list []algo.Params, needsMax bool) {
	rigs := map[algo.Params]*rig{}
	rigOf := func(l algo.Params) *rig {
		if rigs[l] == nil {
			rigs[l] = openWith(t, engine.Config{Device: c.ID, Algorithm: a.Name, Params: l, Poison: true})
		}
		return rigs[l]
	}
	rng := rand.New(rand.NewPCG(seed, uint64(len(a.Name))))
	var cases []layoutCase
	for i, p := range someProblems() {
		// A GPU's OpenCL compiles for each layout and type, a second each.
		if full(c) && c.Backend == "opencl" && i%4 != int(seed%4) {
			continue
		}
		if testing.Short() && c.CPU && c.Backend == "opencl" && (i+len(a.Name))%3 != int(seed%3) {
			continue // a processor's does, too
		}
		some := list
		if n := map[bool]int{true: 2, false: 1}[full(c)]; n < len(list) {
			first := rng.IntN(len(list))
			some = append(slices.Clone(list[first:]), list[:first]...)[:n]
		}
		for k, l := range some {
			tc := testCase{a.Name, c.Backend, mustDist(layoutDists[rng.IntN(len(layoutDists))]), p, rng.Uint64N(3)}
			tc.p.Items = layoutSizes[rng.IntN(len(layoutSizes))]
			if integer := p.Type.Row().Kind != key.Float; needsMax || integer && (i+k)%5 == 0 {
				l.MaxValue = greatest
				tc.dist = mustDist(fmt.Sprintf("max-%d", greatest))
			}
			if _, err := a.Plan(tc.p, c, l); err != nil {
				skip(t, 1, fmt.Sprintf("%s on %s: %v", a.Name, c.ID, err))
				continue
			}
			cases = append(cases, layoutCase{tc, l, rigOf(l)})
		}
	}
	atOnce(len(cases), func(i int) {
		x := cases[i]
		id := fmt.Sprintf("%v/blocks=%d/threads=%d/max=%d/%s", x.testCase, x.l.Blocks, x.l.Threads, x.l.MaxValue, x.l.Scan)
		err := run(x.r, x.testCase)
		// What a driver's compiler makes of a kernel may take fewer threads than
		// the device: the layout is refused before anything runs. The algorithm's
		// own layout never is.
		if x.l.Threads != 0 && errors.Is(err, driver.ErrUnsupported) {
			skip(t, 1, err.Error())
			return
		}
		tally(t, id, err)
	})
}

// TestHostRows sorts every type, mode and direction with every host algorithm,
// each on several inputs and sizes, with one worker and with several.
func TestHostRows(t *testing.T) {
	times := 2
	if testing.Short() {
		times = 1
	}
	for _, h := range catalog.Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			rigs := []*rig{
				openWith(t, engine.Config{Device: "cpu", Algorithm: h.Name, Workers: 1}),
				openWith(t, engine.Config{Device: "cpu", Algorithm: h.Name, Workers: 3}),
			}
			rng := rand.New(rand.NewPCG(seed, uint64(len(h.Name))))
			var cases []testCase
			for range times {
				for _, p := range problems() {
					tc := testCase{h.Name, "cpu", mustDist(layoutDists[rng.IntN(len(layoutDists))]), p, 0}
					tc.p.Items = append(layoutSizes, 70001)[rng.IntN(len(layoutSizes)+1)]
					cases = append(cases, tc)
				}
			}
			atOnce(len(cases), func(i int) {
				err := runSlice(rigs[i%2], cases[i])
				if errors.Is(err, driver.ErrUnsupported) {
					skip(t, 1, err.Error())
					return
				}
				tally(t, fmt.Sprintf("%v/workers=%d", cases[i], 1+2*(i%2)), err)
			})
		})
	}
}

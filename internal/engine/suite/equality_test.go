package suite

import (
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// target is one algorithm on one device.
type target struct {
	a algo.Algorithm
	c driver.Caps
	r *rig
}

// shared is an input with all who sort it.
type shared struct {
	input testCase // without algorithm, backend and shift
	by    []sorter
}

type sorter struct {
	t     *target
	shift uint64
}

// TestEquality sorts every problem over the awkward sizes with changing
// distributions, and every distribution at two sizes. An input is made once,
// sorted by every algorithm on every device, and the outputs must be equal.
func TestEquality(t *testing.T) {
	var targets []*target
	eachDevice(t, func(_ *testing.T, c driver.Caps) {
		for _, a := range catalog.Algorithms() {
			if slices.Contains(a.Backends, c.Backend) && wanted(a.Name) {
				targets = append(targets, &target{a, c, open(t, c.ID, a.Name)})
			}
		}
	})
	if len(targets) == 0 {
		return
	}
	host := &target{algo.Algorithm{Name: "host"}, driver.Caps{Backend: "cpu"}, open(t, "cpu", "")}
	all := someProblems()
	work := make([][]shared, len(all))
	atOnce(len(all), func(i int) { work[i] = inputs(t, targets, host, all[i], i) })
	list := thinned(slices.Concat(work...))
	over := stop(t)
	// Large and small ones take turns, so that no large ones are left for last.
	atOnce(len(list), func(i int) {
		s := list[i]
		if over() {
			skip(t, len(s.by), "GPUSORT_SUITE_TIME is over")
			return
		}
		in := newInput(s.input)
		defer in.free()
		for _, by := range s.by {
			tc := s.input
			tc.algorithm, tc.backend, tc.shift = by.t.a.Name, by.t.c.Backend, by.shift
			tally(t, tc.String(), in.run(by.t.r, tc))
		}
	})
}

// inputs are those of one problem; turn changes what is combined. The host
// sorts a share of them, so that equality across backends is checked where only
// one has a device.
func inputs(t *testing.T, targets []*target, host *target, p plan.Problem, turn int) (out []shared) {
	type key struct {
		dist  string
		items uint64
	}
	at := map[key]int{}
	for i, to := range targets {
		for n, c := range cases(to, p, turn) {
			if to.a.Study && (turn+n)%studyEvery != i%studyEvery {
				continue
			}
			if err := to.a.Check(c.p, to.c); err != nil {
				skip(t, 1, to.a.Name+" on "+to.c.ID+": "+err.Error())
				continue
			}
			shift := (c.shift + uint64(i)) % 4
			c.shift = 0
			k := key{c.dist.Name, c.p.Items}
			j, ok := at[k]
			if !ok {
				j = len(out)
				at[k] = j
				out = append(out, shared{input: c})
				if j%4 == 0 {
					out[j].by = append(out[j].by, sorter{host, 0})
				}
			}
			out[j].by = append(out[j].by, sorter{to, shift})
		}
	}
	return out
}

// cases are those of one problem on one target. What is combined depends on the
// turn and the size alone, so that the targets share inputs.
func cases(to *target, p plan.Problem, turn int) (out []testCase) {
	whole := full(to.c)
	dists := dist.Table()
	add := func(d int, n, shift uint64) {
		q := p
		q.Items = n
		out = append(out, testCase{dist: dists[d%len(dists)], p: q, shift: shift})
	}
	for _, n := range sizes(to.a, p, to.c, whole) {
		for k := range 2 {
			// Shifts by an item break every vector load's alignment; every
			// fourth case is aligned. 7, 11 and the table's length share no
			// factor, and 31 spreads neighbouring sizes.
			add(7*turn+int(31*n%4093)+11*k, n, (n+uint64(k))%4)
		}
	}
	// Some tiles, and on GPUs some for each multiprocessor's share.
	step, at := 3, []uint64{20011 + 64*(seed%100)}
	if whole {
		step, at = 1, []uint64{20011 + 64*(seed%100), 1<<18 + 1009*(seed%200)}
	}
	if n := least(to.a, p, to.c); n > 1<<20 {
		at = []uint64{n + 12345}
	}
	for d := turn % step; d < len(dists); d += step {
		for i, n := range at {
			add(d, n, uint64(d+i)%3)
		}
	}
	return out
}

// TestHostSlices sorts host memory through transfers, staging and pieces.
func TestHostSlices(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		// One in largeEvery problems is large; pieces are smaller, since the host
		// merges them.
		const largeEvery = 35
		items, largest, pieces := uint64(300007), uint64(300007), uint64(300007)
		if full(c) {
			items, largest, pieces = 500009, 20000003, 2000003
		}
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			e, limited := open(t, c.ID, a.Name), openLimited(t, c.ID, a.Name, pieces)
			all := someProblems()
			atOnce(len(all), func(i int) {
				p, d := all[i], dist.Table()[i%len(dist.Table())]
				p.Items = items + uint64(i)
				if a.Study && i%studyEvery != int(seed%studyEvery) {
					return
				}
				if i%largeEvery == int(seed%largeEvery) && !a.Study {
					p.Items = largest
				}
				tc := testCase{a.Name, c.Backend, d, p, 0}
				if err := a.Check(p, c); err != nil {
					skip(t, 2, a.Name+" on "+c.ID+": "+err.Error())
					return
				}
				tally(t, tc.String()+"/slice", runSlice(e, tc))
				if i%5 == int(seed%5) {
					tc.p.Items = pieces
					if err := a.Check(tc.p, c); err != nil {
						skip(t, 1, a.Name+" on "+c.ID+": "+err.Error())
						return
					}
					tally(t, tc.String()+"/pieces", runSlice(limited, tc))
				}
			})
		}
	})
}

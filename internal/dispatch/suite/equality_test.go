package suite

import (
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEquality sorts every problem over the awkward sizes with changing
// distributions, and over every distribution at changing sizes.
func TestEquality(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			t.Run(a.Name, func(t *testing.T) {
				e := open(t, c.ID, a.Name)
				host := open(t, "cpu", "")
				for i, p := range problems() {
					list := cases(a, p, c, i)
					atOnce(len(list), func(j int) {
						tc := list[j]
						if err := a.Check(tc.p, c); err != nil {
							skip(t, 1, a.Name+" on "+c.ID+": "+err.Error())
							return
						}
						tally(t, tc.String(), run(e, tc))
						// The host sorts a share of the inputs, so that equality
						// across backends is checked without doubling the time.
						if j%4 == 0 {
							tc.algorithm, tc.backend = "host", "cpu"
							tally(t, tc.String(), run(host, tc))
						}
					})
				}
			})
		}
	})
}

// cases are those of one problem; turn changes what is combined.
func cases(a algo.Algorithm, p plan.Problem, c driver.Caps, turn int) (out []testCase) {
	whole := full(c)
	dists := catalog.Distributions()
	add := func(d int, n, shift uint64) {
		q := p
		q.Items = n
		out = append(out, testCase{a.Name, c.Backend, dists[d%len(dists)], q, shift})
	}
	perSize := 2
	if whole {
		perSize = 4
	}
	list := sizes(a, p, c, whole)
	for i, n := range list {
		for k := range perSize {
			// Shifts by an item break every vector load's alignment; every
			// fourth case is aligned. 7 and the table's length share no factor.
			add(7*(turn+i)+11*k, n, uint64((i+k)%4))
		}
	}
	step := 3
	at := []uint64{list[len(list)*2/3]}
	if whole {
		step, at = 1, []uint64{list[len(list)*2/3], list[len(list)-2]}
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
		n := uint64(300007)
		if full(c) {
			n = 20000003
		}
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			e, limited := open(t, c.ID, a.Name), openLimited(t, c.ID, a.Name, n)
			all := problems()
			atOnce(len(all), func(i int) {
				p, d := all[i], catalog.Distributions()[i%len(catalog.Distributions())]
				p.Items = n
				if full(c) && i%7 != 0 {
					p.Items = 500009 + uint64(i)
				}
				tc := testCase{a.Name, c.Backend, d, p, 0}
				if err := a.Check(p, c); err != nil {
					skip(t, 2, a.Name+" on "+c.ID+": "+err.Error())
					return
				}
				tally(t, tc.String()+"/slice", runSlice(e, tc))
				if i%5 == int(seed%5) {
					tc.p.Items = n
					tally(t, tc.String()+"/pieces", runSlice(limited, tc))
				}
			})
		}
	})
}

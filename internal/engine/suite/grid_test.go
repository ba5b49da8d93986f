package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// problems lists every type, mode, value width, direction and NaN place, without
// sizes. Of orders in which zeros tie it has two: see internal/algo/equalzeros, which
// plans those of every algorithm alike.
func problems() (all []plan.Problem) {
	for _, row := range catalog.KeyTypes() {
		for _, m := range []struct {
			mode  plan.Mode
			bytes int
		}{{plan.Keys, 0}, {plan.Pairs, 4}, {plan.Pairs, 8}, {plan.Argsort, 4}, {plan.Argsort, 8}} {
			for _, desc := range []bool{false, true} {
				for _, last := range []bool{false, true} {
					if last && row.Kind != key.Float {
						continue
					}
					p := plan.Problem{Type: row.Type, Mode: m.mode, ValueBytes: m.bytes, Order: key.Order{Desc: desc, NaNLast: last}}
					all = append(all, p)
					if p.Order.EqualZeros = true; p.Ties() && desc == last {
						all = append(all, p)
					}
				}
			}
		}
	}
	return all
}

// someProblems is problems, or under -short every thirteenth: thirteen shares no factor with
// the ten or 28 forms of a type, so that each type, mode, width and direction is
// among them. The seed says with which they begin.
func someProblems() (some []plan.Problem) {
	for i, p := range problems() {
		if !testing.Short() || i%13 == int(seed%13) {
			some = append(some, p)
		}
	}
	return some
}

// sizes lists the awkward sizes of p for an algorithm on a device: the ends of
// warps and powers of two, every size at which the plan changes its shape (one
// block, one tile, one more tile), one and two tiles, and random ones. For an
// algorithm of large inputs: around the least power of two that it takes.
func sizes(a algo.Algorithm, p plan.Problem, c driver.Caps, whole bool) []uint64 {
	if n := least(a, p, c); n > 1<<20 {
		if whole {
			return []uint64{n, n + 12345, 2*n - 1}
		}
		return []uint64{n + 1, n + 12345}
	}
	out := []uint64{0, 1, 2, 3, 31, 32, 33, 63, 65, 255, 256, 257, 1000}
	for _, e := range edges(a, p, c, 1<<18) {
		out = append(out, e-1, e, e+1)
		if whole {
			out = append(out, 2*e-1, 2*e, 2*e+1)
		}
	}
	r := rand.New(rand.NewPCG(seed, uint64(p.Type)))
	top := uint64(1) << 15
	if whole {
		top = 1 << 20
		out = append(out, 4095, 4096, 4097, 65535, 65537, 1<<20)
		for e := 12; e < 20; e++ { // one in each octave
			out = append(out, 1<<e+r.Uint64N(1<<e))
		}
	}
	out = append(out, r.Uint64N(top), top-r.Uint64N(1000))
	slices.Sort(out)
	return slices.Compact(out)
}

// least returns the least power of two, up to 2^26, that an algorithm sorts; 0
// if there is none.
func least(a algo.Algorithm, p plan.Problem, c driver.Caps) uint64 {
	for p.Items = 1; p.Items <= 1<<26; p.Items *= 2 {
		if a.Check(p, c) == nil {
			return p.Items
		}
	}
	return 0
}

// edges returns the sizes, up to four and below most, from which a plan has
// another shape than for one item less.
func edges(a algo.Algorithm, p plan.Problem, c driver.Caps, most uint64) (out []uint64) {
	shape := func(n uint64) string {
		p.Items = n
		pl, err := a.Plan(p, c, algo.Params{})
		if err != nil {
			return err.Error()
		}
		s := ""
		for _, st := range pl.Steps {
			s += fmt.Sprint(st.Kernel, st.Grid, st.Block, ";")
		}
		return s
	}
	from := uint64(2)
	for len(out) < 4 {
		was, step := shape(from), uint64(1)
		for from+step < most && shape(from+step) == was {
			step *= 2
		}
		if from+step >= most {
			break
		}
		lo, hi := from+step/2, from+step
		for lo+1 < hi {
			if mid := (lo + hi) / 2; shape(mid) == was {
				lo = mid
			} else {
				hi = mid
			}
		}
		out = append(out, hi)
		from = hi
	}
	return out
}

func mustDist(name string) dist.Dist { return dist.Must(name) }

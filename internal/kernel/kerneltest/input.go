package kerneltest

import (
	"math/rand/v2"
	"slices"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Distribution makes bit patterns of a type, of which the low bits count.
type Distribution struct {
	Name string
	Fill func(r *rand.Rand, t key.Type, o key.Order, x []uint64)
}

// Distributions are inputs for any sort.
var Distributions = []Distribution{
	{"uniform", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		for i := range x {
			x[i] = r.Uint64()
		}
	}},
	{"few distinct", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		var set [7]uint64
		for i := range set {
			set[i] = r.Uint64()
		}
		for i := range x {
			x[i] = set[r.IntN(len(set))]
		}
	}},
	{"equal", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		v := r.Uint64()
		for i := range x {
			x[i] = v
		}
	}},
	{"sorted", Ordered},
	{"reversed", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		Ordered(r, t, o, x)
		slices.Reverse(x)
	}},
	{"strictly reversed", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		for i := range x {
			x[i] = uint64(len(x) - i)
			if o.Desc {
				x[i] = uint64(i)
			}
		}
	}},
	{"two values", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		for i := range x {
			x[i] = uint64(r.IntN(2)) << (t.Bits() - 3)
		}
	}},
	{"zipf", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		z := rand.NewZipf(r, 1.2, 1, 1<<20)
		for i := range x {
			x[i] = z.Uint64()
		}
	}},
	{"specials", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		inf := uint64(0x7ff0000000000000)
		if t == key.F32 {
			inf = 0x7f800000
		}
		sign := uint64(1) << (t.Bits() - 1)
		set := []uint64{0, sign, 1, sign | 1, inf, sign | inf, inf + 1, sign | inf + 1, sign - 1, 2*sign - 1, inf - 1, r.Uint64()}
		for i := range x {
			x[i] = set[r.IntN(len(set))]
		}
	}},
	{"one out of place", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		Ordered(r, t, o, x)
		if len(x) > 1 {
			x[len(x)-1], x[len(x)-2] = x[0], r.Uint64()
		}
	}},
}

// Input makes p.Items keys by d and random values.
func Input(p plan.Problem, d Distribution, r *rand.Rand) (keys, values []uint64) {
	keys, values = make([]uint64, p.Items), make([]uint64, p.Items)
	d.Fill(r, p.Type, p.Order, keys)
	for i := range keys {
		keys[i] &= ^uint64(0) >> (64 - p.Type.Bits())
		values[i] = r.Uint64()
	}
	return keys, values
}

package bitonic

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// compare orders two bit patterns by the rules of the total order, written down
// without the codec: floats as numbers, NaNs apart by sign and bits.
func compare(t key.Type, o key.Order, a, b uint64) int {
	var c int
	switch t.Row().Kind {
	case key.Unsigned:
		c = cmp.Compare(a, b)
	case key.Signed:
		s := 64 - t.Bits()
		c = cmp.Compare(int64(a<<s)>>s, int64(b<<s)>>s)
	default:
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		if t == key.F32 {
			x, y = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))
		}
		nanSide := -1
		if o.NaNLast {
			nanSide = 1
		}
		switch xn, yn := x != x, y != y; {
		case xn && yn:
			c = cmp.Compare(a, b)
		case xn:
			c = nanSide
		case yn:
			c = -nanSide
		case x == y:
			c = cmp.Compare(b>>(t.Bits()-1), a>>(t.Bits()-1)) // −0 before +0
		default:
			c = cmp.Compare(x, y)
		}
	}
	if o.Desc {
		return -c
	}
	return c
}

// distributions make n bit patterns of t.
var distributions = []struct {
	name string
	fill func(r *rand.Rand, t key.Type, o key.Order, x []uint64)
}{
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
	{"sorted", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		ordered(r, t, o, x, false)
	}},
	{"reversed", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		ordered(r, t, o, x, true)
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
		ordered(r, t, o, x, false)
		if len(x) > 1 {
			x[len(x)-1], x[len(x)-2] = x[0], r.Uint64()
		}
	}},
}

func ordered(r *rand.Rand, t key.Type, o key.Order, x []uint64, reverse bool) {
	mask := ^uint64(0) >> (64 - t.Bits())
	for i := range x {
		x[i] = r.Uint64() & mask
	}
	slices.SortFunc(x, func(a, b uint64) int {
		if reverse {
			a, b = b, a
		}
		return compare(t, o, a, b)
	})
}

// pack writes the low bytes of each element.
func pack(x []uint64, width int) []byte {
	out := make([]byte, 0, len(x)*width)
	for _, v := range x {
		out = append(out, binary.LittleEndian.AppendUint64(nil, v)[:width]...)
	}
	return out
}

// want returns what a sort of p must leave in keys and values.
func want(p plan.Problem, keys, values []uint64) (k, v []byte) {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(p.Type, p.Order, keys[i], keys[j]) })
	sortedKeys, sortedValues := make([]uint64, len(keys)), make([]uint64, len(keys))
	for to, from := range order {
		sortedKeys[to] = keys[from]
		sortedValues[to] = values[from]
		if p.Mode == plan.Argsort {
			sortedKeys[to], sortedValues[to] = keys[to], uint64(from)
		}
	}
	return pack(sortedKeys, p.Type.Bytes()), pack(sortedValues, p.ValueBytes)
}

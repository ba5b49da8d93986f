package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// distributions make n bit patterns of t, of which the low bits count.
var distributions = []kerneltest.Distribution{
	{Name: "uniform", Fill: func(r *rand.Rand, _ key.Type, _ key.Order, x []uint64) {
		for i := range x {
			x[i] = r.Uint64()
		}
	}},
	{Name: "ties", Fill: func(r *rand.Rand, t key.Type, _ key.Order, x []uint64) {
		for i := range x {
			x[i] = uint64(r.IntN(3)) << (t.Bits() - 3)
		}
	}},
	{Name: "equal", Fill: func(r *rand.Rand, _ key.Type, _ key.Order, x []uint64) {
		v := r.Uint64()
		for i := range x {
			x[i] = v
		}
	}},
	{Name: "largest", Fill: func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		// The keys that a last block is filled up with, among others.
		c := key.CodecOf(t, o)
		for i := range x {
			x[i] = decodeAny(t, c, ^uint64(0)>>(r.Uint64()%2))
		}
	}},
	{Name: "sorted", Fill: kerneltest.Ordered},
	{Name: "reversed", Fill: func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		kerneltest.Ordered(r, t, o, x)
		slices.Reverse(x)
	}},
	{Name: "second half first", Fill: func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		kerneltest.Ordered(r, t, o, x)
		y := slices.Clone(x)
		copy(x, y[len(y)/2:])
		copy(x[len(y)-len(y)/2:], y)
	}},
	{Name: "specials", Fill: func(r *rand.Rand, t key.Type, _ key.Order, x []uint64) {
		inf, sign := uint64(0x7ff0000000000000), uint64(1)<<(t.Bits()-1)
		if t == key.F32 {
			inf = 0x7f800000
		}
		set := []uint64{0, sign, 1, sign | 1, inf, sign | inf, inf + 1, sign | (inf + 1), inf | inf>>1, sign - 1, ^uint64(0), sign | inf | 5, r.Uint64()}
		for i := range x {
			x[i] = set[r.IntN(len(set))]
		}
	}},
}

func decodeAny(t key.Type, c key.Codec, u uint64) uint64 {
	switch t.Bits() {
	case 8:
		return uint64(key.Decode(c, uint8(u)))
	case 16:
		return uint64(key.Decode(c, uint16(u)))
	case 32:
		return uint64(key.Decode(c, uint32(u)))
	}
	return key.Decode(c, u)
}

// sample is an input with what a sort of it must give.
type sample struct {
	p                        plan.Problem
	keys, values             []byte
	sortedKeys, sortedValues []byte
}

func newSample(r *rand.Rand, p plan.Problem, dist, n int) sample {
	p.Items = uint64(n)
	keys, values := kerneltest.Input(p, distributions[dist%len(distributions)], r)
	k, v := kerneltest.Want(p, keys, values)
	return sample{p, kerneltest.Pack(keys, p.Type.Bytes()), kerneltest.Pack(values, p.ValueBytes), k, v}
}

// check compares with what the sort must give.
func (s sample) check(t testing.TB, what string, keys, values []byte) {
	t.Helper()
	id := fmt.Sprintf("%s, %v %v %d %+v, %d items", what, s.p.Type, s.p.Mode, s.p.ValueBytes, s.p.Order, s.p.Items)
	kerneltest.Same(t, id, s.p, keys, values, s.sortedKeys, s.sortedValues)
}

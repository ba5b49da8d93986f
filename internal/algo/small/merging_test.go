package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// merged inputs have too many keys with one of the highest digits, and are not few.
var merged = []input{
	{"small entropy", func(r *rand.Rand, i, n int) uint64 { return ands(r, 4) }},
	{"small entropy, ones", func(r *rand.Rand, i, n int) uint64 { return ^ands(r, 4) }},
	// Padding is as large.
	{"half the largest", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() | -(r.Uint64() & 1) }},
	{"half the smallest", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() & -(r.Uint64() & 1) }},
	{"1,000 values", func(r *rand.Rand, i, n int) uint64 {
		v := r.Uint64() % 1000
		return v * 0x9e37_79b9_7f4a_7c15 >> (v % 4 * 4)
	}},
	// Lists that all lie before the next, or behind.
	{"a rising slope", func(r *rand.Rand, i, n int) uint64 { return uint64(i) * uint64(i) * uint64(i) << 16 }},
	{"a falling slope", func(r *rand.Rand, i, n int) uint64 { return uint64(n-i) * uint64(n-i) * uint64(n-i) << 16 }},
	{"leading zeros", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> (r.Uint64() % 20) }},
	{"saws", func(r *rand.Rand, i, n int) uint64 { return uint64(i%700) * uint64(i%700) << 40 >> (i % 3 * 9) }},
}

// TestMergingEmulated sorts them in clusters of 2 to 16 blocks, with padding and without.
func TestMergingEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	forms := []plan.Problem{
		{Type: key.U64}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I32, Order: key.Order{Desc: true}},
		{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.U32, Mode: plan.Pairs, ValueBytes: 8}, {Type: key.U32, Mode: plan.Argsort, ValueBytes: 4},
		{Type: key.F32, Order: key.Order{NaNLast: true}}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{Desc: true}},
	}
	for i, in := range merged {
		for j, p := range forms {
			blocks := uint64(2) << ((i + j) % 4)
			p.Items = blocks * 1024
			if (i+j)%3 != 0 {
				p.Items -= 1 + uint64(i*97+j*13)
			}
			emulateProblem(t, exe, planCluster, p, h200, input{in.name, func(r *rand.Rand, i, n int) uint64 {
				x := in.key(r, i, n)
				if p.Type.Bits() == 32 {
					return uint64(key.Decode(p.Codec(), uint32(x>>32)))
				}
				return key.Decode(p.Codec(), x)
			}}, i)
		}
	}
}

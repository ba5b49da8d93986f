package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// prefixed are skewed encoded keys of 64 bits: of some the highest 32 bits that vary tell nearly all apart, of others they do not.
var prefixed = []struct {
	name    string
	encoded func(r *rand.Rand, i, n int) uint64
}{
	{"one of 2^k below 2^20", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> 44 >> (r.Uint64() % 20) }},
	{"the same above equal bits", func(r *rand.Rand, i, n int) uint64 { return 0x7fff_0000_0000_0000 | r.Uint64()>>44>>(r.Uint64()%20)<<9 }},
	{"32 bits", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) >> 32 }},
	{"33 bits", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) >> 31 }},
	{"64 bits", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) }},
	{"ones, 64 bits", func(r *rand.Rand, i, n int) uint64 { return ^ands(r, 3) }},
	// Some 30 keys agree in a prefix and differ below, in the wrong order as they come.
	{"groups below", func(r *rand.Rand, i, n int) uint64 { return ands(r, 2)>>40<<40 | uint64(n-i) }},
	{"an overfull bin below", func(r *rand.Rand, i, n int) uint64 {
		if i%9 == 0 {
			return uint64(n - i)
		}
		return ands(r, 3)
	}},
	{"an overfull bin of one value", func(r *rand.Rand, i, n int) uint64 {
		if i%7 == 0 {
			return 0x0123_4567_89ab_cdef
		}
		return ands(r, 3)
	}},
	{"a few of one value", func(r *rand.Rand, i, n int) uint64 {
		if i%100 == 0 {
			return 0x0123_4567_89ab_cdef
		}
		return ands(r, 3)
	}},
	// Shifted encoded keys of floats wrap round there.
	{"near both ends", func(r *rand.Rand, i, n int) uint64 {
		x := ands(r, 4) >> (r.Uint64() % 64)
		if i%2 == 0 {
			return ^x
		}
		return x
	}},
}

// TestPrefixEmulated sorts them in one block: integers, floats of all orders, pairs and places.
func TestPrefixEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	sizes := []uint64{1025, 1500, 2048, 3001, 4095, 4096}
	forms := []plan.Problem{
		{Type: key.U64}, {Type: key.F64}, {Type: key.F64, Order: key.Order{NaNLast: true}}, {Type: key.F64, Order: key.Order{Desc: true}},
		{Type: key.I64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{NaNLast: true, Desc: true}},
		{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}}, {Type: key.F64, Mode: plan.Argsort, ValueBytes: 8},
	}
	for i, in := range prefixed {
		for j, p := range forms {
			p.Items = sizes[(i+5*j)%len(sizes)]
			codec := p.Codec()
			emulateProblem(t, exe, planBlock, p, h200, input{in.name, func(r *rand.Rand, i, n int) uint64 { return key.Decode(codec, in.encoded(r, i, n)) }}, i+j)
		}
	}
}

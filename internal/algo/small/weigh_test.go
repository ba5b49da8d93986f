package small

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// float32Of is a number below 2^24 as a key of 32 bits that is a float, in both halves.
func float32Of(x uint64) uint64 {
	return uint64(math.Float32bits(float32(x))) * 0x0000_0001_0000_0001
}

// oneDigit varies in one digit of each half, in keys of every width.
var oneDigit = input{"one digit", func(r *rand.Rand, i, n int) uint64 { return (r.Uint64() & r.Uint64() & 0x7e) * 0x0000_0001_0000_0001 }}

// weighed inputs have bins of some 16 keys and more, which a tile of one block compares, or leaves to passes.
var weighed = []input{
	// Some bins are overfull, few of them deep: compared.
	{"a bin of 130", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%32 == 0 {
			return r.Uint64() & 0x000f_ffff_000f_ffff
		}
		return r.Uint64()
	}},
	// Most bins have one value: 256 of them, runs of 32, and a few bins of two.
	{"256 values", func(r *rand.Rand, i, n int) uint64 { return (1 + r.Uint64()%256) * 0x9e37_79b9_7f4a_7c15 }},
	{"runs of 32", func(r *rand.Rand, i, n int) uint64 { return uint64(1+i/32) * 0x9e37_79b9_7f4a_7c15 }},
	{"runs of 32, neighbours", func(r *rand.Rand, i, n int) uint64 {
		return uint64(1+i/32)*0x9e37_79b9_0000_0000 ^ (uint64(i/32)*0x9e37_79b9)&0xfff8_0000 | uint64(i)%64*5%2
	}},
	{"runs of 8 in disorder", func(r *rand.Rand, i, n int) uint64 { return uint64(1+i/24)*0x9e37_79b9_7f4a_7c00 ^ uint64(2-i/8%3) }},
	{"runs of 32 and strangers", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%40 == 0 {
			return r.Uint64()
		}
		return uint64(1+i/32%90) * 0x9e37_79b9_7f4a_7c15
	}},
	{"256 values and one overfull bin", func(r *rand.Rand, i, n int) uint64 {
		if i%3 == 0 {
			return r.Uint64() & 0x0000_ffff_0000_ffff
		}
		return (1 + r.Uint64()%256) * 0x9e37_79b9_7f4a_7c15
	}},
	// One, two and three digits vary.
	oneDigit,
	{"two digits", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) & 0x7f03 * 0x0000_0001_0000_0001 }},
	{"small floats", func(r *rand.Rand, i, n int) uint64 { return float32Of(uint64(i) % 64) }},
	{"flat floats", func(r *rand.Rand, i, n int) uint64 { return float32Of(uint64(min(i, 63))) }},
	{"squares", func(r *rand.Rand, i, n int) uint64 { return float32Of(uint64(i*i+n/2) % 4096) }},
	{"squares, whole numbers", func(r *rand.Rand, i, n int) uint64 { return uint64(i*i+n/2) % 4096 * 0x0000_0001_0000_0001 }},
	{"eighth powers", func(r *rand.Rand, i, n int) uint64 {
		x := uint64(i) % 4096
		for range 3 {
			x = x * x % 4096
		}
		return (x + uint64(n/2)) % 4096 * 0x0000_0001_0000_0001
	}},
}

// TestWeighedEmulated sorts them as keys alone, pairs and argsorts, at sizes about
// those at which a thread has another key.
func TestWeighedEmulated(t *testing.T) {
	sizes := []uint64{1025, 1600, 2047, 2049, 2900, 3073, 3583, 4064, 4095, 4096, 4097, 4863, 5120}
	forms := []plan.Problem{
		{Type: key.U32},
		{Type: key.F32},
		{Type: key.I32, Order: key.Order{Desc: true}},
		{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.U32, Mode: plan.Pairs, ValueBytes: 8},
		{Type: key.U64},
		{Type: key.F64, Order: key.Order{NaNLast: true}},
		{Type: key.U8, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.U16, Mode: plan.Argsort, ValueBytes: 4},
	}
	exe := kerneltest.Build(t, "small", "SM_90")
	turn := 0
	for j, in := range weighed {
		for i, p := range forms {
			most := mostInBlock(p, h200)
			p.Items = sizes[(5*turn+j)%len(sizes)]
			if i == 0 {
				p.Items = uint64(4096 - j%2)
			}
			for p.Items > most {
				p.Items -= most / 2
			}
			emulateProblem(t, exe, planBlock, p, h200, in, turn)
			turn++
		}
	}
}

// TestPairsOfOneDigitEmulated sorts pairs of which one digit varies, whatever the number of pairs.
func TestPairsOfOneDigitEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	for turn, items := range []uint64{2, 31, 33, 255, 257, 1000, 1024, 1025, 4096} {
		for _, p := range []plan.Problem{
			{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: items},
			{Type: key.I32, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}, Items: items},
			{Type: key.U16, Mode: plan.Pairs, ValueBytes: 4, Items: items},
			{Type: key.I8, Mode: plan.Pairs, ValueBytes: 8, Items: items},
		} {
			emulateProblem(t, exe, planBlock, p, h200, oneDigit, turn)
		}
	}
}

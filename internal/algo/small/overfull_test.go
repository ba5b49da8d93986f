package small

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// overfull inputs have bins with many keys, of one value or of several.
var overfull = []input{
	{"16 values", func(r *rand.Rand, i, n int) uint64 { return (1 + r.Uint64()%16) * 0x9e37_79b9_7f4a_7c15 }},
	{"16 values and uniform", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%2 == 0 {
			return r.Uint64()
		}
		return (1 + r.Uint64()%16) * 0x9e37_79b9_7f4a_7c15
	}},
	// The key that differs from those of its bin is among those read last, or first.
	{"16 values but for the last", func(r *rand.Rand, i, n int) uint64 {
		if i == n-1 {
			return 0x9e37_79b9_7f4a_7c14 ^ 0x0000_0001_0000_0000
		}
		return (1 + r.Uint64()%16) * 0x9e37_79b9_7f4a_7c15
	}},
	{"16 values but for the first", func(r *rand.Rand, i, n int) uint64 {
		if i == 0 {
			return 0x9e37_79b9_7f4a_7c14 ^ 0x0000_0001_0000_0000
		}
		return (1 + r.Uint64()%16) * 0x9e37_79b9_7f4a_7c15
	}},
	{"largest but for some", func(r *rand.Rand, i, n int) uint64 { return ^(r.Uint64() & 0x0000_0001_0000_0001) }},
	{"organ pipe and one", func(r *rand.Rand, i, n int) uint64 {
		if i == n/3 {
			return ^uint64(0)
		}
		return uint64(min(i, n-1-i)) * 0x0000_0001_0000_0001
	}},
	{"falling and one", func(r *rand.Rand, i, n int) uint64 {
		if i == n-1 {
			return ^uint64(0)
		}
		return uint64(n-i) * 0x0000_0001_0000_0001
	}},
	// One run of 512 keys above all others, in front of them.
	{"runs in the wrong order", func(r *rand.Rand, i, n int) uint64 {
		return uint64((i/512*5+3)%8*600+i%512/4)*0x0000_0001_0000_0001 | uint64(i&1&^(i>>1))<<63
	}},
	{"organ pipe in twelve bins", func(r *rand.Rand, i, n int) uint64 { return inTwelveBins(min(i, n-1-i), n/2) }},
	{"falling in twelve bins", func(r *rand.Rand, i, n int) uint64 { return inTwelveBins(n-1-i, n) }},
	{"runs in the wrong order, in twelve bins", func(r *rand.Rand, i, n int) uint64 { return inTwelveBins((i/512*5+3)%8*512+i%512, 4096) }},
	{"ties of all but one", func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return 0x8000_0000_8000_0000
		}
		return 0x1111_1111_1111_1111 + uint64(i%2)*0x0000_0001_0000_0001
	}},
}

// inTwelveBins spreads the numbers below n over twelve bins, in their order: more than
// a few are overfull.
func inTwelveBins(x, n int) uint64 {
	bin := x * 12 / n
	return (uint64(bin)<<28 | uint64(x-bin*n/12)) * 0x0000_0001_0000_0001
}

// TestOverfullEmulated sorts keys of 32 bits by all of them, at sizes about those at
// which a thread's items, the number of rounds or the kernel change.
func TestOverfullEmulated(t *testing.T) {
	sizes := []uint64{1025, 1535, 1536, 1537, 2047, 2048, 2049, 2600, 3071, 3072, 3073, 3583, 3585, 4000, 4064, 4095, 4096}
	all := slices.Concat(overfull, skewed, inputs)
	turn := 0
	for _, target := range []string{"SM_90", "PTX"} {
		c, types := h200, []key.Type{key.U32, key.I32, key.F32}
		if target == "PTX" {
			c, types = gtx1050, types[1:2]
		}
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "small", target)
			for j, in := range all {
				for i, ty := range types {
					if testing.Short() && (i+j)%3 != 0 {
						turn++
						continue // each input with one type, by turns
					}
					p := plan.Problem{Type: ty, Mode: plan.Keys, Items: sizes[(5*turn+j)%len(sizes)], Order: key.Order{Desc: turn%2 == 1}}
					if i == 0 {
						p.Items = uint64(4096 - turn%2)
					}
					emulateProblem(t, exe, planBlock, p, c, in, turn)
					turn++
				}
			}
		})
	}
}

// TestOverfullPairsEmulated sorts pairs by all of them, with narrow keys too.
func TestOverfullPairsEmulated(t *testing.T) {
	sizes := []uint64{513, 700, 1023, 1024, 1025, 2047, 3100, 4095, 4096, 4097, 4700, 5119, 5120}
	forms := []plan.Problem{
		{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.I32, Mode: plan.Pairs, ValueBytes: 8},
		{Type: key.U16, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.I8, Mode: plan.Argsort, ValueBytes: 8},
	}
	exe := kerneltest.Build(t, "small", "SM_90")
	for turn, in := range slices.Concat(overfull, skewed, inputs) {
		for j, p := range forms {
			if j > 0 && (turn+j)%2 == 0 {
				continue
			}
			most := mostInBlock(p, h200)
			p.Items = sizes[(3*turn+5*j)%len(sizes)]
			for p.Items > most {
				p.Items -= most / 2
			}
			emulateProblem(t, exe, planBlock, p, h200, in, turn+j)
		}
	}
}

package small

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// byQuantiles inputs are encoded keys that the highest bits do not split. spread: digits of quantile splitters do, so
// that these are what a grid counts last.
var byQuantiles = []struct {
	name    string
	spread  bool
	encoded func(r *rand.Rand, i, n int, sampled bool) uint64
}{
	{"leading zeros", true, func(r *rand.Rand, _, _ int, _ bool) uint64 { return r.Uint64() >> (r.Uint64() % 20) }},
	{"zeros, one in 20 else", true, func(r *rand.Rand, _, _ int, _ bool) uint64 {
		if r.Uint64()%20 != 0 {
			return 0
		}
		return r.Uint64()
	}},
	{"the largest, one in 20 else", true, func(r *rand.Rand, _, _ int, _ bool) uint64 {
		if r.Uint64()%20 != 0 {
			return ^uint64(0)
		}
		return r.Uint64()
	}},
	{"exponents", true, func(r *rand.Rand, _, _ int, _ bool) uint64 { return (1020+r.Uint64()%8)<<53 | r.Uint64()>>11 }},
	{"all bits seldom", true, func(r *rand.Rand, _, _ int, _ bool) uint64 { return ands(r, 5) }},
	{"overfull bins", true, func(r *rand.Rand, _, _ int, _ bool) uint64 { return 1<<63 | nearOneOf(r, 30)>>8 }},
	// Quantile splitters, and keys next to them on both sides.
	{"300 values and neighbours", true, func(r *rand.Rand, _, _ int, _ bool) uint64 {
		return 1<<62 | (1+r.Uint64()%300)*0x9e37_79b9_7f4a_7c15>>9 + r.Uint64()%3
	}},
	{"a slope", true, func(r *rand.Rand, i, n int, _ bool) uint64 { return 1<<62 | uint64(i)*uint64(i)<<20 | r.Uint64()%8 }},
	// Bins that the sample has no quantile splitters for: one block's, and more than a block holds.
	{"a twentieth not sampled", true, func(r *rand.Rand, _, _ int, sampled bool) uint64 {
		if !sampled && r.Uint64()%20 == 0 {
			return 1<<59 | r.Uint64()%3000<<7
		}
		return 1<<59 | r.Uint64()>>(8+r.Uint64()%20)
	}},
	// Numbers fail late, when all have been counted by them.
	{"20 values sampled, others not", true, func(r *rand.Rand, _, _ int, sampled bool) uint64 {
		if sampled || r.Uint64()%2 == 0 {
			v := 1 + r.Uint64()%20
			return 1<<59 | v*0x9e37_79b9_7f4a_7c15>>(8+v)
		}
		return 1<<59 | r.Uint64()>>(8+r.Uint64()%20)
	}},
	{"half not sampled", false, func(r *rand.Rand, _, _ int, sampled bool) uint64 {
		if !sampled && r.Uint64()%2 == 0 {
			return 1<<59 | r.Uint64()%3000<<7
		}
		return 1<<59 | r.Uint64()>>(8+r.Uint64()%20)
	}},
}

// sampledAt are the places of the sample of so many blocks, which has some keys of each warp: Chance of
// kernels/cuda/block/modelbins.cuh.
func sampledAt(threads, blocks, each, n uint64) map[int]bool {
	used, at := (n+blocks*threads-1)/(blocks*threads), map[int]bool{}
	for warp := range blocks * threads / 32 {
		item, lane := uint64(uint32(warp)*0x9e3779b9)*used>>32, uint64(uint32(warp)*0x85ebca6b>>27)
		for j := range each {
			at[int(warp*32*used+item*32+(lane+13*j)%32)] = true
		}
	}
	return at
}

// TestQuantilesEmulated sorts them as floats, most of which have no model.
func TestQuantilesEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	for i, in := range byQuantiles {
		for j, p := range []plan.Problem{
			{Type: key.F64}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
			{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{NaNLast: true}},
		} {
			pol, _ := policy(p, h200)
			tile, device := uint64(pol.GridThreads*pol.GridItems), h200
			device.ComputeUnits = 5
			p.Items = 5*tile/8*7 - uint64(i*4+j)
			if (i+j)%4 == 1 {
				p.Items = 4*tile + 7 // the last block has few
			}
			if (i+j)%4 == 2 && in.spread {
				device.ComputeUnits = 40 // every second key of the sample is a quantile splitter
				p.Items = 40*1024*3 - 9
			}
			threads := uint64(pol.GridThreads)
			sampled := sampledAt(threads, uint64(device.ComputeUnits), 1024/threads, p.Items)
			t.Run(fmt.Sprintf("%s/mode=%v/value=%d", in.name, p.Mode, p.ValueBytes), func(t *testing.T) {
				pl, err := planGrid(p, device, algo.Params{})
				if err != nil {
					t.Fatal(err)
				}
				scratch := emulate[uint64](t, exe, p, pl, input{in.name, func(r *rand.Rand, i, n int) uint64 {
					return key.Decode(p.Codec(), in.encoded(r, i, n, sampled[i]))
				}}, i)
				if most := largestDigit(pl, scratch, int(p.Items)); (most < int(p.Items)/6) != in.spread {
					t.Errorf("the largest digit has %d of %d keys", most, p.Items)
				}
			})
			p.Items = uint64(mostBlocks*pol.ClusterThreads)/2*3 - uint64(i*4+j) // two keys a thread: one is merged
			if j == 1 {
				p.Items = uint64(mostBlocks*pol.ClusterThreads) + 7
			}
			sampled = sampledAt(uint64(pol.ClusterThreads), uint64(clusterBlocks(pol, p.Items, mostBlocks)), 2, p.Items)
			emulateProblem(t, exe, planCluster, p, h200, input{in.name, func(r *rand.Rand, i, n int) uint64 {
				return key.Decode(p.Codec(), in.encoded(r, i, n, sampled[i]))
			}}, i)
		}
	}
}

// TestQuantilesSpreadEmulated sorts keys half of which the sample does not see: all within a few of the
// pieces between its splitters, so that one digit has too many until codes are spread evenly.
func TestQuantilesSpreadEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	for i, p := range []plan.Problem{{Type: key.F64}, {Type: key.F64, Order: key.Order{Desc: true, NaNLast: true}}} {
		pol, _ := policy(p, h200)
		device := h200
		device.ComputeUnits = 40
		p.Items = 40*2*uint64(pol.GridThreads) - 9 // of fewer keys a block they are merged
		sampled := sampledAt(uint64(pol.GridThreads), 40, 1, p.Items)
		pl, err := planGrid(p, device, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		scratch := emulate[uint64](t, exe, p, pl, input{"half between a few splitters", func(r *rand.Rand, i, _ int) uint64 {
			x := r.Uint64() >> 5
			if !sampled[i] && r.Uint64()%2 == 0 {
				x = 5<<56 + x/140
			}
			return key.Decode(p.Codec(), 1<<59|x)
		}}, i)
		if most := largestDigit(pl, scratch, int(p.Items)); most > int(p.Items)/5 {
			t.Errorf("%+v: the largest digit has %d of %d keys", p.Order, most, p.Items)
		}
	}
}

// largestDigit returns how many of n keys have the most frequent of the digits that a grid counted last: blocks' counts of pairs, or sums
// of keys alone, a row for each split.
func largestDigit(pl plan.Plan, scratch []byte, n int) int {
	at := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "totals" })
	if sums := splitSums(pl, scratch); len(sums) != 0 {
		return int(slices.Max(sums[len(sums)-1]))
	}
	totals := unsafe.Slice((*uint16)(unsafe.Pointer(&scratch[pl.Parts[at].Off])), 256*pl.Steps[0].Grid[0])
	var found [256]int
	padding := -n // has the last digit
	for i, x := range totals {
		found[i%256] += int(x)
		padding += int(x)
	}
	found[255] -= padding
	return slices.Max(found[:])
}

// splitSums returns the digits' sums of each split that a grid tried, of keys alone.
func splitSums(pl plan.Plan, scratch []byte) (all [][]uint32) {
	part := pl.Parts[slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "totals" })]
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&scratch[part.Off])), part.Bytes/4)
	for sums := words[128*pl.Steps[0].Grid[0]:]; len(sums) != 0 && slices.Max(sums[:256]) != 0; sums = sums[256:] {
		all = append(all, sums[:256])
	}
	return all
}

package small

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
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

// split inputs have splitters that are equal, keys that are one, and digits beside each other with none.
var split = append([]input{
	{"19 of 20 zero", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%20 != 0 {
			return 0
		}
		return r.Uint64()
	}},
	{"19 of 20 the largest", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%20 != 0 {
			return ^uint64(0)
		}
		return r.Uint64()
	}},
	{"20 values", func(r *rand.Rand, i, n int) uint64 {
		v := r.Uint64() % 20
		return v * 0x9e37_79b9_7f4a_7c15 >> v
	}},
	{"two values in runs", func(r *rand.Rand, i, n int) uint64 { return uint64(i/3000%2) * 0x0123_4567_89ab_cdef }},
	{"exponents", func(r *rand.Rand, i, n int) uint64 { return (1020+r.Uint64()%8)<<53 | r.Uint64()>>11 }},
}, merged...)

// TestSplittersEmulated sorts them in grids of as many blocks as leave a sample for all splitters.
func TestSplittersEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	forms := []plan.Problem{
		{Type: key.U64}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}},
		{Type: key.F64, Order: key.Order{NaNLast: true}}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 8},
	}
	for i, in := range split {
		for j := range 2 {
			p, c := forms[(i+3*j)%len(forms)], h200
			c.ComputeUnits = 17 + (i+j)%4
			const each = 512 // less than kMergedShare
			p.Items = uint64(c.ComputeUnits*each - (i+j)%3*(31*i+17))
			t.Run(fmt.Sprintf("%s/%v/mode=%v/value=%d/n=%d", in.name, p.Type, p.Mode, p.ValueBytes, p.Items), func(t *testing.T) {
				pl, err := planGrid(p, c, algo.Params{})
				if err != nil {
					t.Fatal(err)
				}
				scratch := emulate[uint64](t, exe, p, pl, input{in.name, func(r *rand.Rand, i, n int) uint64 { return key.Decode(p.Codec(), in.key(r, i, n)) }}, i)
				// A sample of 256 to 640 keys leaves digits unevenly filled, but no value in one.
				if most := largestDigit(pl, scratch, int(p.Items)); most > int(p.Items)/20 && strings.HasPrefix(in.name, "19 of 20") {
					t.Errorf("the largest digit has %d of %d keys", most, p.Items)
				}
				if tried := len(splitSums(pl, scratch)); p.ValueBytes == 0 && tried != 1 && strings.HasPrefix(in.name, "19 of 20") {
					t.Errorf("%d splits were tried", tried)
				}
			})
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

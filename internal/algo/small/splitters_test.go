package small

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

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

package small

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestPaddingEmulated sorts uniform keys in clusters whose last blocks have few keys or none: they take the path of full
// ones, by the barriers of the cluster, and skewed keys another one.
func TestPaddingEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	uniform := input{"uniform", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }}
	skewed := input{"skewed", func(r *rand.Rand, _, _ int) uint64 { return ands(r, 4) >> 32 * (1<<32 + 1) }} // of 32 bits, too
	for turn, p := range []plan.Problem{
		{Type: key.U32}, {Type: key.F32, Order: key.Order{Desc: true}}, {Type: key.I32, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.U32, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.U64}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8},
	} {
		barriers := func(t *testing.T, n uint64, in input) []int {
			p.Items = n
			return barriersOf(t, exe, planCluster, p, h200, in, turn)
		}
		full := barriers(t, 16*1024, uniform)
		if slices.Equal(barriers(t, 16*1024, skewed), full) {
			t.Errorf("%v: skewed keys take %d barriers, as uniform ones", p.Type, full)
		}
		for _, n := range []uint64{4097, 5003, 7282, 8193, 8200, 10007, 14564, 16383} {
			t.Run(fmt.Sprintf("%v/mode=%v/value=%d/n=%d", p.Type, p.Mode, p.ValueBytes, n), func(t *testing.T) {
				if held := barriers(t, n, uniform); !slices.Equal(held, full) {
					t.Errorf("%d barriers, %d of a full cluster", held, full)
				}
			})
		}
	}
}

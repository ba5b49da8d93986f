package merging

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// TestManyRuns merges so many runs that pieces are sorted, and one less, of keys with ties, zeros
// and NaNs, all over their range or apart from one another.
func TestManyRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, k := range []int{sortedRuns - 1, sortedRuns, 3 * sortedRuns} {
		for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true, EqualZeros: true}} {
			c := key.CodecOf(key.F64, o) &^ key.CodecEqualZeros
			compare := func(a, b uint64) int { return cmp.Compare(key.Encode(c, a), key.Encode(c, b)) }
			for _, apart := range []bool{false, true} {
				runs := make([][]uint64, k)
				var all []uint64
				for i := range runs {
					run := make([]uint64, 2*leastStep+r.IntN(1000))
					for j := range run {
						switch u := r.Uint64(); {
						case apart:
							run[j] = uint64(i)<<40 | u>>40
						case j%50 == 0:
							run[j] = u | 0x7ff0<<48
						default:
							run[j] = []uint64{0, 1 << 63, u, u}[r.IntN(4)]
						}
					}
					slices.SortFunc(run, compare)
					runs[i] = run
					all = append(all, run...)
				}
				slices.SortFunc(all, compare)
				dst := make([]uint64, len(all))
				if err := Keys(key.F64, dst, runs, o, cpu.Options{Workers: 2}); err != nil || !slices.Equal(dst, all) {
					t.Fatalf("%d runs, order %+v, apart %v: not merged: %v", k, o, apart, err)
				}
			}
		}
	}
}

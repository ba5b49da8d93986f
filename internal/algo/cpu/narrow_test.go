package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// TestCounted sorts narrow keys whose runs are short, long, and both, by one worker
// and by some that end in the middle of runs.
func TestCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{countingMin - 1, countingMin, countingMin + 7, 5*countingMin + 3, 16*countingMin + 1} {
		for _, top := range []uint16{1<<16 - 1, 40_000, 300, 1} {
			in16, in8 := make([]uint16, n), make([]uint8, n)
			for i := range in16 {
				in16[i] = min(uint16(r.Uint32()), top) * uint16(r.UintN(4))
				in8[i] = uint8(in16[i])
			}
			for _, workers := range []int{1, 3} {
				for _, c := range []key.Codec{key.CodecUnsigned, key.CodecUnsigned | key.CodecDesc} {
					name := fmt.Sprintf("n %d, to %d, %d workers, codec %d", n, top, workers, c)
					checkNarrow(t, name+", 16 bits", in16, c, workers)
					checkNarrow(t, name+", 8 bits", in8, c, workers)
				}
			}
		}
	}
}

func checkNarrow[U uint8 | uint16](t *testing.T, name string, in []U, c key.Codec, workers int) {
	t.Helper()
	got, want := slices.Clone(in), slices.Clone(in)
	slices.Sort(want)
	if c&key.CodecDesc != 0 {
		slices.Reverse(want)
	}
	if err := Keys(got, c, Options{Workers: workers}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: not sorted, or not the keys that there were", name)
	}
}

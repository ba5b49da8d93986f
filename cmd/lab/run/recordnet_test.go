package run

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// TestRecordingOfANetwork checks every frame of bitonic-pairs against the step
// of the network that it is of, and that the other forms end sorted.
func TestRecordingOfANetwork(t *testing.T) {
	drivertest.Devices(t, opencl.New())
	for _, n := range []int{16, 100} {
		elements := fmt.Sprintf("Elements=%d", n)
		all, err := record(t, "opencl:0", "Algo=bitonic-pairs", "KeyT=u32", elements)
		if err != nil {
			t.Fatal(err)
		}
		frames := all[0].Frames
		keys := slices.Clone(frames[0].Keys)
		at := 0
		for k := 1; k <= bits.Len(uint(n-1)); k++ {
			for j := k - 1; j >= 0; j-- {
				at++
				mask := 1 << j
				if j == k-1 {
					mask = 1<<k - 1
				}
				for i := range keys {
					if p := i ^ mask; p > i && p < n && keys[p] < keys[i] {
						keys[i], keys[p] = keys[p], keys[i]
					}
				}
				if at >= len(frames) || !slices.Equal(frames[at].Keys, keys) {
					t.Fatalf("n=%d: step %d is not that of stage %d at distance %d", n, at, k, 1<<j)
				}
			}
		}
		if at != len(frames)-1 {
			t.Errorf("n=%d: %d steps were recorded, the network has %d", n, len(frames)-1, at)
		}
	}
	all, err := record(t, "opencl:0", "Algo=bitonic-shared", "KeyT=u32", "Elements=16")
	if err != nil {
		t.Fatal(err)
	}
	if f := all[0].Frames; !slices.IsSorted(f[len(f)-1].Keys) {
		t.Error("bitonic-shared: the last frame is not sorted")
	}
}

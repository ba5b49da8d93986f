package bitonic

import (
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/layout"
)

// TestPadded: the sum is that of the kernels, which tell it for the most threads; and a
// thread has as many elements.
func TestPadded(t *testing.T) {
	if 1<<itemsLog != layout.BitonicItems {
		t.Errorf("%d elements a thread, the kernels have %d", 1<<itemsLog, layout.BitonicItems)
	}
	for _, bits := range []int{8, 16, 32, 64, 128} {
		want := layout.Shared("ptx", "bitonic", "sort", bits, 0)
		if got := padded(mostThreads<<itemsLog, registerBytes(bits)); got != want {
			t.Errorf("%d bits: %d bytes, the kernel takes %d", bits, got, want)
		}
	}
}

package scan

import (
	"testing"

	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
)

// TestTreeBytes: the sum is that of the kernels, which tell it for 1,024 threads.
func TestTreeBytes(t *testing.T) {
	for _, bits := range []int{32, 64} {
		if got, want := treeBytes(1024, bits), kernels.Shared("ptx", "scan", "blelloch_tiles", bits, 0); got != want {
			t.Errorf("%d bits: %d bytes, the kernel takes %d", bits, got, want)
		}
	}
}

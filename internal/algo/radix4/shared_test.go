package radix4

import (
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/layout"
)

// TestShared: the sums of shared memory are those of the kernels, which tell them for 256
// threads of nine keys.
func TestShared(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		g := geometry{cuda: true, threads: 256, scanThreads: 256, items: 9, keyBytes: uint32(bits / 8)}
		for stage, got := range map[string]uint32{"count": g.countShared(), "move": g.moveShared()} {
			if want := layout.Shared("ptx", "radix4", stage, bits, 0); got != want {
				t.Errorf("%s of %d bits: %d bytes, the kernel takes %d", stage, bits, got, want)
			}
		}
		if got, want := g.scanShared(), layout.Shared("ptx", "radix4", "scan", 0, 0); got != want {
			t.Errorf("scan: %d bytes, the kernel takes %d", got, want)
		}
	}
}

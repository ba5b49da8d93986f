package tune

import (
	"testing"

	"github.com/gpusort/gpusort/internal/kernel"
)

// TestHashesMatchImages: what is embedded was compiled with this table.
func TestHashesMatchImages(t *testing.T) {
	seen := map[image]bool{}
	for _, im := range kernel.All() {
		if im.PolicyHash == "" {
			continue
		}
		want, ok := Hash(im.Backend, im.Module, im.Target)
		got, _ := kernel.PolicyHash(im.Backend, im.Module, im.Target)
		if !ok || got != want {
			t.Errorf("%s: compiled with policy %016x, the table has %016x; run `make kernels`", im.File, got, want)
		}
		seen[image{im.Backend, im.Module, im.Target}] = true
	}
	for i := range hashes() {
		if i.backend == "cuda" && !seen[i] {
			t.Errorf("no image of %v has its policy hash", i)
		}
	}
}

// TestOnesweepRows: every instance exists and keeps the kernels' conditions.
func TestOnesweepRows(t *testing.T) {
	for _, target := range []string{"sm_90", "ptx"} {
		for _, bits := range []int{8, 16, 32, 64} {
			for _, value := range []int{0, 4, 8} {
				p, ok := OnesweepCudaFor(target, bits, value)
				if !ok {
					t.Errorf("no row for %s, %d bits, %d value bytes", target, bits, value)
					continue
				}
				if p.Threads%64 != 0 || p.Threads < 256 || p.SweepThreads%64 != 0 || p.SweepThreads < 256 || p.SmallThreads%64 != 0 || p.SmallThreads < 256 || p.HistThreads < uint32(32*bits/8) {
					t.Errorf("%s %d %d: %+v breaks a condition of the kernels", target, bits, value, p)
				}
			}
		}
	}
}

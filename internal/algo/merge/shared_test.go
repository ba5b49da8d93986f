package merge

import (
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestShared: the sums of shared memory are those of the kernels, with a policy's threads,
// but for whole 16-byte words.
func TestShared(t *testing.T) {
	for device, target := range map[string]string{"cuda": "sm_90", "ptx": "ptx"} {
		for _, kt := range []key.Type{key.U8, key.U16, key.U32, key.U64} {
			for _, v := range []int{0, 4, 8} {
				p := plan.Problem{Type: kt, ValueBytes: v, Items: 1 << 20}
				g, r, err := row(p, devices[device])
				if err != nil {
					t.Fatal(err)
				}
				for stage, got := range map[string]uint64{
					"block":  pathShared(p, r.BlockThreads, r.Items),
					"pass":   pathShared(p, r.PassThreads, r.Items),
					"sector": g.sectorShared(p, r.SectorThreads, r.SectorItems),
				} {
					if want := roundUp(uint64(layout.Shared(target, "merge", stage, kt.Bits(), v))); got != want {
						t.Errorf("%s %s of %v with values of %d bytes: %d bytes, the kernel takes %d", target, stage, kt, v, got, want)
					}
				}
			}
		}
	}
}

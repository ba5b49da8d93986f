package radix4

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestScanInside: a named prefix sum takes the place of every launch of the own
// one and sums all digits' counters of all blocks as words of 64 bits.
func TestScanInside(t *testing.T) {
	h200 := h200
	h200.ForwardProgress = true
	p := plan.Problem{Type: key.U32, Items: 1 << 20}
	own, err := Plan(p, h200, algo.Params{Blocks: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"scan-hillis-steele", "scan-blelloch", "scan-lookback"} {
		pl, err := Plan(p, h200, algo.Params{Blocks: 50, Scan: name})
		if err != nil {
			t.Fatal(err)
		}
		sums, moves := 0, 0
		for _, s := range pl.Steps {
			switch {
			case strings.HasPrefix(s.Label, "scan digit"):
				t.Errorf("%s: %s is there, too", name, s.Label)
			case s.Kernel.Module == "scan":
				sums++
				if !strings.HasSuffix(s.Kernel.Symbol, "64") && !strings.Contains(s.Kernel.Symbol, "64") {
					t.Errorf("%s sums by %s", name, s.Kernel.Symbol)
				}
			case strings.HasPrefix(s.Label, "move"):
				moves++
			}
		}
		if sums < moves || moves != 16 || pl.ScratchBytes < own.ScratchBytes {
			t.Errorf("%s: %d sums for %d moves, scratch %d", name, sums, moves, pl.ScratchBytes)
		}
	}
	for c, name := range map[*driver.Caps]string{&h200: "scan-xyz", &pocl: "scan-lookback"} {
		if _, err := Plan(p, *c, algo.Params{Scan: name}); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s on %s: %v", name, c.ID, err)
		}
	}
	other := Algorithm()
	other.Scans = false
	if err := other.CheckWith(p, h200, algo.Params{Scan: "scan-blelloch"}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("an algorithm with a prefix sum of its own: %v", err)
	}
}

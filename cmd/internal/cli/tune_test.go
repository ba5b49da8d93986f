package cli

import (
	"testing"

	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestTuned: only times that were measured stand without a mark.
func TestTuned(t *testing.T) {
	k := crossover.Kind{Bits: 32, Mode: plan.Keys}
	m := crossover.Measured{Curves: []crossover.Curve{{Kind: k, Points: []crossover.Point{{Items: 16, Seconds: 1e-6}, {Items: 64, Seconds: 4e-6}}}}}
	for n, want := range map[uint64]string{16: "1.00 µs", 64: "4.00 µs", 32: "~2.00 µs", 640: "~40.0 µs", 2: "~1.00 µs"} {
		if got, measured := tuned(m, k, n); got != want || measured != (want[0] != '~') {
			t.Errorf("%d keys: %s, %v, want %s", n, got, measured, want)
		}
	}
	if got, measured := tuned(m, crossover.Kind{Bits: 8}, 16); got != "–" || !measured {
		t.Errorf("another kind: %s", got)
	}
}

package calibrate

import (
	"context"
	"testing"

	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// TestRun: every device has a curve of each kind, strings among them, within the bytes allowed.
func TestRun(t *testing.T) {
	t.Setenv(cachedir.Env, t.TempDir())
	x, err := Run(context.Background(), Options{MostBytes: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range x.Devices {
		for i, k := range kinds() {
			if i >= len(m.Curves) || m.Curves[i].Kind != k || len(m.Curves[i].Points) == 0 {
				t.Fatalf("%s has no curve of %+v", m.ID, k)
			}
			if last := m.Curves[i].Points[len(m.Curves[i].Points)-1]; k == crossover.Texts && last.Items != 16 || last.Seconds <= 0 {
				t.Errorf("%s, %+v ends at %+v", m.ID, k, last)
			}
		}
	}
}

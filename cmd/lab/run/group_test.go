package run

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestGroup times two devices as one: auto alone, in device memory and from the host, with
// outputs verified. The inputs need no merge, whose kernels the fake device lacks.
func TestGroup(t *testing.T) {
	drv := fake.NewLinked(fake.Linked, fake.Caps(), fake.Caps())
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=[auto,good]", "Dist=[sorted,constant]")
	l.o.Devices, l.o.Rule.EndToEnd = []string{"fake:all"}, 3
	l.run(t)
	if len(l.records) != 4 {
		t.Fatalf("%d records", len(l.records))
	}
	for _, r := range l.records {
		fits := strings.HasPrefix(r.Case, "auto")
		switch {
		case r.DeviceID != "fake:all":
			t.Errorf("%s: on %s", r.Key(), r.DeviceID)
		case fits && (r.Status != result.OK || len(r.DeviceNS) < 7 || len(r.WallNS) != 3 || r.Chosen != "good"):
			t.Errorf("%s: %+v", r.Key(), r)
		case !fits && (r.Status != result.Unsupported || !strings.Contains(r.Reason, "Algo=[auto]")):
			t.Errorf("%s: %s %s", r.Key(), r.Status, r.Reason)
		}
	}
	if drv.Live() != 0 {
		t.Errorf("%d objects of the devices are left", drv.Live())
	}
}

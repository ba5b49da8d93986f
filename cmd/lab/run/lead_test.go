package run

import (
	"testing"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

func TestFlushesOf(t *testing.T) {
	for each, want := range map[time.Duration]int{
		0: 1, -5: 1, time.Nanosecond: mostFlushes, 40 * time.Microsecond: 13, 250 * time.Microsecond: 2,
		leadTime: 1, leadTime - 1: 2, 20 * time.Millisecond: 1,
	} {
		if got := flushesOf(each); got != want {
			t.Errorf("%v each: %d flushes, want %d", each, got, want)
		}
	}
}

// TestHostBehind: a sort with a step on the host waits for the device, which therefore
// begins before all is queued; one without leaves the device behind.
func TestHostBehind(t *testing.T) {
	drv := newFake()
	waits := sorter(drv, "waits", plan.Keys, honest)
	launches := waits.Plan
	waits.Plan = func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
		pl, err := launches(p, c, l)
		b := plan.NewBuilder("waits", p)
		b.Host("wait", "nothing", nil, plan.Use{Ref: plan.Ref{Region: plan.KeysIO}, Bytes: 4, Reads: true})
		pl.Steps = append(b.Plan().Steps, pl.Steps...)
		return pl, err
	}
	waits.HostSteps = map[string]algo.HostStep{"nothing": func([][]byte, []uint64) error { return nil }}
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest), waits}, "Algo=[good,waits]")
	l.run(t)
	for _, r := range l.records {
		want := 0
		if r.Algo == "waits" {
			want = len(r.DeviceNS)
		}
		if r.Status != result.OK || r.Behind != want || len(r.DeviceNS) == 0 {
			t.Errorf("%s: %s %s, behind in %d of %d samples, want %d", r.Algo, r.Status, r.Reason, r.Behind, len(r.DeviceNS), want)
		}
	}
}

package engine

import (
	"context"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/intercept"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestNoTimes sorts on a device that cannot tell how long it took: that is no
// reason to fail a sort.
func TestNoTimes(t *testing.T) {
	drv := newFake()
	e, err := fakeEngine(t, intercept.Wrap(drv, func(c *intercept.Call, do func() error) error {
		if c.Method == "Event.Since" {
			return &driver.Error{Op: c.Method, Name: "PROFILING_INFO_NOT_AVAILABLE", Code: -7}
		}
		return do()
	}), 0)
	if err != nil {
		t.Fatal(err)
	}
	j, want := testJob(plan.Problem{Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Items: 1500})
	r, err := e.Sort(context.Background(), j)
	if err != nil || r.DeviceTime != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := sameJob(j, want); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil || drv.Live() != 0 {
		t.Errorf("close: %v, %d objects leaked", err, drv.Live())
	}
}

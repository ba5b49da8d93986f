package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestLayoutsRunNothing: planning says what would be launched, and neither a
// kernel nor memory is touched.
func TestLayoutsRunNothing(t *testing.T) {
	drv := newFake()
	ran := false
	list := []algo.Algorithm{sorter(drv, "a", plan.Keys, func(k, _, _ []uint32) { ran = true; slices.Sort(k) })}
	layouts := func(specs ...string) ([]Layout, error) {
		j, err := New(newLab(drv, list, specs...).o)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		return j.Layouts()
	}
	got, err := layouts("Algo=a", "Threads=64", "Blocks=7")
	if err != nil || len(got) != 1 || len(got[0].Steps) != 2 || got[0].Steps[1].Threads != 64 || got[0].Steps[1].Grid != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := layouts("Algo=a", "Threads=4096"); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "4096 threads per block") {
		t.Errorf("4096 threads: %v", err)
	}
	if _, err := layouts("Algo=a", "KeyT=u64"); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("u64: %v", err)
	}
	if ran || drv.Live() != 0 {
		t.Errorf("ran: %v, %d objects of the device are left", ran, drv.Live())
	}
}

func TestMaximumBelowAKey(t *testing.T) {
	drv := newFake()
	list := []algo.Algorithm{sorter(drv, "a", plan.Keys, honest)}
	for _, c := range []struct{ dist, max, typ, want string }{
		{"max-99", "99", "u32", ""},
		{"max-99", "98", "u32", "the maximum 98 is below a key"},
		{"uniform", "4294967295", "i32", "is negative"},
		{"max-9", "9", "f32", "is for integers"},
	} {
		l := newLab(drv, list, "Algo=[a,cpu]", "Dist="+c.dist, "MaxValue="+c.max, "KeyT="+c.typ)
		l.o.Devices, l.o.AsDrawn = []string{"fake:0", "cpu"}, true
		l.run(t)
		for _, r := range l.records {
			if strings.Contains(r.Reason, "runs on") {
				continue
			}
			if c.want == "" && r.Status != result.OK || c.want != "" && (r.Status != result.Unsupported || !strings.Contains(r.Reason, c.want)) {
				t.Errorf("%+v: %s: %s %s", c, r.Key(), r.Status, r.Reason)
			}
		}
	}
}

package run

import (
	"fmt"
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

// TestGroupNames: a + makes one place of several devices, whose shares a record has, and a
// file of axes may ask for more of them than there are.
func TestGroupNames(t *testing.T) {
	drv := fake.NewLinked(fake.Linked, fake.Caps(), fake.Caps())
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=auto", "Dist=sorted", "Elements=2^26")
	l.o.Devices, l.o.AbsentDevices = []string{"fake:0", "FAKE:1+fake:0", "fake:0+fake:9", "other:all"}, true
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	shares := map[string]string{}
	for _, g := range j.groups {
		id := g.cells[0].DeviceID
		if g.absent != nil {
			shares[id] = g.absent.Error()
			continue
		}
		if !g.engine.Several() {
			continue
		}
		c, err := newGroupBench(g.engine, g.problem, g.source, j.o).add(g.cells[0])
		if err != nil {
			t.Fatal(err)
		}
		var r result.Record
		c.describe(&r)
		for _, s := range r.Shares {
			shares[id] += fmt.Sprintf("%s=%d ", s.Device, s.Items)
		}
		if name := g.engine.MeasuredDevice().Name; !strings.HasPrefix(name, "2 × ") {
			t.Errorf("%s is called %q", id, name)
		}
	}
	for id, want := range map[string]string{
		"fake:1+fake:0": "fake:1=33554432 fake:0=33554432", "fake:0+fake:9": "does not have all of fake:0+fake:9", "other:all": "no device other:all",
	} {
		if !strings.Contains(shares[id], want) {
			t.Errorf("%s: %q, want %q", id, shares[id], want)
		}
	}
	// One device is not several.
	one := fake.NewLinked(fake.Linked, fake.Caps())
	l = newLab(one, []algo.Algorithm{sorter(one, "good", plan.Keys, honest)}, "Algo=auto")
	l.o.Devices, l.o.AbsentDevices = []string{"fake:all"}, true
	l.run(t)
	if r := l.records[0]; r.Status != result.Unsupported || !strings.Contains(r.Reason, "one fake device") {
		t.Errorf("%+v", r)
	}
}

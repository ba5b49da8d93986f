package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestTwoClocksOfOneSort: with OneSort every sample's time with transfers contains
// the time without, for every OpenCL sort.
func TestTwoClocksOfOneSort(t *testing.T) {
	drivertest.Devices(t, opencl.New())
	set := axes.Set{{Name: "KeyT", Values: []string{"u32"}}, {Name: "Elements", Values: []string{"3000"}}, {Name: "MaxValue", Values: []string{"1000"}}}
	var names []string
	for _, a := range catalog.Algorithms() {
		if slices.Contains(a.Backends, "opencl") {
			names = append(names, a.Name)
		}
	}
	var records []result.Record
	o := Options{
		Axes: set.With(axes.Axis{Name: "Algo", Values: names}), Devices: []string{"opencl:0"}, Seed: 1, OneSort: true,
		Rule: sample.Rule{WarmUp: 1, Min: 3, Max: 3}, Emit: func(r result.Record) error { records = append(records, r); return nil },
	}
	j, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Run(t.Context()); err != nil || len(records) != len(names) {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, r := range records {
		if r.Status != result.OK || len(r.DeviceNS) != 3 || len(r.WallNS) != 3 {
			t.Errorf("%s: %s %s", r.Case, r.Status, r.Reason)
			continue
		}
		for i, ns := range r.DeviceNS {
			if ns <= 0 || ns > r.WallNS[i] {
				t.Errorf("%s, sample %d: %d ns without transfers, %d with", r.Case, i, ns, r.WallNS[i])
			}
		}
	}
}

// TestHostClock: by the host's clock a sample is what passes from the call to the end of the wait, and
// the cell's name says so. The clock of the test moves by a millisecond when it is read.
func TestHostClock(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good")
	l.o.HostClock, l.o.Rule.EndToEnd = true, sample.Never
	l.run(t)
	if len(l.records) != 1 {
		t.Fatalf("%d records", len(l.records))
	}
	r := l.records[0]
	if !strings.HasSuffix(r.Case, "/host-clock") || len(r.DeviceNS) < 7 || slices.ContainsFunc(r.DeviceNS, func(ns int64) bool { return ns != 1e6 }) {
		t.Errorf("%s: %v %s", r.Case, r.DeviceNS, r.Reason)
	}
}

package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/plan"
)

func TestProfile(t *testing.T) {
	drv := newFake()
	bad := sorter(drv, "bad", plan.Keys, func(k, _, _ []uint32) { k[0] = 0 })
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest), bad}, "Algo=[good,bad,cpu]")
	l.o.Devices = []string{"fake", "cpu"}
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	all, err := j.Profile(t.Context(), 3, true)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d profiles, %v", len(all), err)
	}
	for i, want := range []string{"ok", "failed", "unsupported", "unsupported", "unsupported", "ok"} {
		if all[i].Status != want {
			t.Errorf("%s: %s %s, want %s", all[i].Case, all[i].Status, all[i].Reason, want)
		}
	}
	if host := all[5]; host.NS <= 0 || (host.NoCounters == "") == (len(host.Counters) == 0) {
		t.Errorf("host sort: %+v", host)
	}
	p := all[0]
	if len(p.Steps) != 2 || p.Steps[0].Label != "clear" || p.Steps[1].Label != "sort" || p.Steps[1].Threads != 32 || p.Steps[1].Kernel != "gs_good" {
		t.Fatalf("%+v", p.Steps)
	}
	// The fake's time is virtual: both steps together take what the sort takes
	// and the event between them, 2 µs.
	if sum := p.Steps[0].NS + p.Steps[1].NS; sum != p.NS+2000 || p.NS == 0 {
		t.Errorf("steps take %d, the sort %d", sum, p.NS)
	}
	if p.CopyGBps <= 0 || p.Upload.Bytes != 4000 || p.Upload.NS < 4000 || p.Download.NS < 4000 {
		t.Errorf("copy %.2f GB/s, upload %+v, download %+v", p.CopyGBps, p.Upload, p.Download)
	}
	var names []string
	end := int64(0)
	for _, s := range p.Spans {
		if s.Process == "host" {
			continue
		}
		if s.StartNS != end {
			t.Errorf("%s begins at %d, the one before ended at %d", s.Name, s.StartNS, end)
		}
		end = s.StartNS + s.NS
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"upload", "clear", "sort", "download"}) {
		t.Errorf("spans %v", names)
	}
	if !strings.Contains(all[1].Reason, "not the same keys") && !strings.Contains(all[1].Reason, "out of order") {
		t.Errorf("%s", all[1].Reason)
	}
	j.Close()
	if drv.Live() != 0 {
		t.Errorf("%d objects of the device are left", drv.Live())
	}
}

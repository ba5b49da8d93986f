package run

import (
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestAuto: auto stands for the first algorithm that takes a problem, and on
// the processor for the first of the catalogue.
func TestAuto(t *testing.T) {
	drv := newFake()
	little := sorter(drv, "little", plan.Keys, honest)
	any := little.Supports
	little.Supports = func(p plan.Problem, c driver.Caps) error {
		if p.Items > 100 {
			return algo.Unsupported("little sorts at most 100 keys")
		}
		return any(p, c)
	}
	l := newLab(drv, []algo.Algorithm{little, sorter(drv, "great", plan.Keys, honest)}, "Algo=auto", "Elements=[100,1000]", "KeyT=[u32,u64]")
	l.o.Devices = []string{"fake", "cpu"}
	l.run(t)
	var got []string
	for _, r := range l.records {
		if r.DeviceID == "cpu" || r.Status != result.OK {
			got = append(got, r.DeviceID+" "+string(r.Status))
			if r.DeviceID == "cpu" && r.Chosen == "" {
				t.Errorf("%s: nothing chosen", r.Case)
			}
			continue
		}
		got = append(got, r.Chosen)
	}
	slices.Sort(got)
	want := []string{"cpu ok", "cpu ok", "cpu ok", "cpu ok", "fake:0 unsupported", "fake:0 unsupported", "great", "little"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEndToEndSamplesAreBounded(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good")
	l.o.Rule.EndToEnd = 2
	l.run(t)
	if r := l.records[0]; r.Status != result.OK || len(r.WallNS) != 2 || len(r.DeviceNS) < l.o.Rule.Min {
		t.Errorf("%s: %d samples end to end of %d", r.Status, len(r.WallNS), len(r.DeviceNS))
	}
}

// TestStock: a buffer serves a smaller group again and makes room for a larger
// one; memory that only an empty stock leaves free is found.
func TestStock(t *testing.T) {
	drv := newFake() // of 32 MiB
	devs, err := drv.Devices()
	if err != nil {
		t.Fatal(err)
	}
	s := newStock(devs[0])
	first, err := s.buffer("keys", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := s.buffer("keys", 1000)
	larger, err := s.buffer("keys", 2<<20)
	if err != nil || first != again || larger.Bytes() < 2<<20 {
		t.Errorf("%v %v %v: %v", first, again, larger, err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if err := devs[0].Close(); err != nil {
		t.Error(err)
	}
	if n := drv.Live(); n != 0 {
		t.Errorf("%d objects left", n)
	}

	// 12 MB of keys, twice; then 3 MB of keys beside their 12 MB would not fit.
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest), sorter(drv, "pairs", plan.Pairs, honest)},
		"Algo=[good,pairs]", "Mode=[keys,pairs]", "Elements=[1000,3000000]")
	l.run(t)
	ok := 0
	for _, r := range l.records {
		if r.Status == result.OK {
			ok++
		}
	}
	if ok != 3 || drv.Live() != 0 { // pairs of 3 million need 48 MB
		t.Errorf("%d cells ran, %d objects left", ok, drv.Live())
	}
}

// TestHostSums: prefix sums run on the processor too, of u32 and u64 alone.
func TestHostSums(t *testing.T) {
	l := newLab(newFake(), nil, "Algo=[scan-blelloch,scan-lookback-inclusive]", "KeyT=[u32,u64,f32]", "Elements=3000")
	l.o.Devices = []string{"cpu"}
	l.run(t)
	ok := 0
	for _, r := range l.records {
		if r.Status == result.OK {
			ok++
		} else if r.Status != result.Unsupported || r.KeyType != "f32" {
			t.Errorf("%s: %s %s", r.Case, r.Status, r.Reason)
		}
	}
	if ok != 4 {
		t.Errorf("%d sums ran", ok)
	}
}

package run

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/plan"
)

func (l *lab) run(t *testing.T) {
	t.Helper()
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestHonestSorts(t *testing.T) {
	for _, c := range []struct {
		mode plan.Mode
		axis string
	}{{plan.Keys, "Mode=keys"}, {plan.Pairs, "Mode=pairs"}} {
		drv := newFake()
		l := newLab(drv, []algo.Algorithm{sorter(drv, "good", c.mode, honest)}, "Algo=[good,cpu]", c.axis, "Dist=[uniform,few-distinct]")
		l.o.Devices = []string{"fake", "cpu"}
		l.run(t)
		if len(l.records) != 8 {
			t.Fatalf("%v: %d records", c.mode, len(l.records))
		}
		for _, r := range l.records {
			fits := strings.HasPrefix(r.Case, "good") == (r.DeviceID != "cpu")
			switch {
			case fits && (r.Status != result.OK || len(r.WallNS) < 7 || r.Wall == nil || r.Stop == ""):
				t.Errorf("%s: %+v", r.Key(), r)
			case fits && r.DeviceID != "cpu" && (len(r.DeviceNS) < 7 || r.Launches != 1 || r.MinBytes != 64+2*4000 || r.ScratchBytes != 64 || r.Policy == ""):
				t.Errorf("%s: %+v", r.Key(), r)
			case !fits && (r.Status != result.Unsupported || !strings.Contains(r.Reason, "runs on")):
				t.Errorf("%s: %s %s", r.Key(), r.Status, r.Reason)
			}
		}
		if drv.Live() != 0 {
			t.Errorf("%v: %d objects of the device are left", c.mode, drv.Live())
		}
	}
}

// TestTransfersAreTimedAsTheRuleSays looks at which samples have a time
// from host memory to host memory.
func TestTransfersAreTimedAsTheRuleSays(t *testing.T) {
	for _, c := range []struct{ ends, want int }{{0, 7}, {3, 3}, {sample.Never, 0}} {
		drv := newFake()
		l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good")
		l.o.Rule.EndToEnd = c.ends
		l.run(t)
		r := l.records[0]
		if r.Status != result.OK || len(r.DeviceNS) != 7 || len(r.WallNS) != c.want || (r.Wall == nil) != (c.want == 0) {
			t.Errorf("end_to_end %d: %s, %d device times, %d times with transfers, want %d", c.ends, r.Status, len(r.DeviceNS), len(r.WallNS), c.want)
		}
	}
}

// TestDeviceTimeIsOfTheSortAlone: the fake's virtual time of one sort is known,
// and neither transfers nor the flush of the cache may be in it.
func TestDeviceTimeIsOfTheSortAlone(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good", "Elements=[1000,100000]")
	l.run(t)
	var ns []int64
	for _, r := range l.records {
		ns = append(ns, r.DeviceNS[0])
		if slices.Max(r.DeviceNS) != slices.Min(r.DeviceNS) {
			t.Errorf("virtual times differ: %v", r.DeviceNS)
		}
		if r.Stop != "median within 0.00%" {
			t.Errorf("stopped for %q", r.Stop)
		}
	}
	// A launch takes a nanosecond for each byte of its buffers, so the larger
	// sort takes its additional key bytes longer, once.
	if ns[1]-ns[0] != 4*(100000-1000) {
		t.Errorf("device times %v", ns)
	}
}

func TestWrongSortsFail(t *testing.T) {
	calls := 0
	var cached []uint32
	for name, c := range map[string]struct {
		mode plan.Mode
		f    func(k, v, behind []uint32)
		want string
	}{
		"unsorted":    {plan.Keys, func(k, _, _ []uint32) {}, "out of order"},
		"most-sorted": {plan.Keys, func(k, _, _ []uint32) { slices.Sort(k); k[500], k[501] = k[501]+1, k[500] }, "position 501 is out of order"},
		"loses-a-key": {plan.Keys, func(k, _, _ []uint32) { slices.Sort(k); k[7] = k[6] }, "not the same keys"},
		"past-end":    {plan.Keys, func(k, _, behind []uint32) { slices.Sort(k); behind[0] = 1 }, "wrote outside the keys buffer: byte 0 of the guard after"},
		"panics":      {plan.Keys, func(k, _, _ []uint32) { k[len(k)] = 1 }, "index out of range"},
		"sometimes": {plan.Keys, func(k, _, _ []uint32) {
			slices.Sort(k)
			if calls++; calls == 5 {
				k[0], k[999] = k[999], k[0]
			}
		}, "out of order"},
		"cached": {plan.Keys, func(k, _, _ []uint32) {
			if cached == nil {
				slices.Sort(k)
				cached = slices.Clone(k)
			}
			copy(k, cached[1:])
		}, "not the same keys"},
		"tears-pairs": {plan.Pairs, func(k, v, _ []uint32) { honest(k, v, nil); v[0], v[1] = v[1], v[0] }, "not the same pairs"},
		"unstable": {plan.Pairs, func(k, v, _ []uint32) {
			honest(k, v, nil)
			for i := 1; i < len(k); i++ {
				if k[i] == k[i-1] {
					v[i], v[i-1] = v[i-1], v[i]
					return
				}
			}
		}, "not stable"},
		"argsort-moves": {plan.Argsort, func(k, v, _ []uint32) {
			for i := range v {
				v[i] = uint32(i)
			}
			honest(k, v, nil)
		}, "argsort changed the key"},
		"argsort-zeros": {plan.Argsort, func(k, v, _ []uint32) { clear(v) }, "not the same indices"},
		"argsort-wild":  {plan.Argsort, func(k, v, _ []uint32) { v[3] = 1000 }, "outside 0 … 999"},
	} {
		dist := "few-distinct"
		if strings.HasPrefix(c.want, "not the same") {
			dist = "uniform" // no two keys are equal
		}
		t.Run(name, func(t *testing.T) {
			drv := newFake()
			l := newLab(drv, []algo.Algorithm{sorter(drv, name, c.mode, c.f)}, "Algo="+name, "Mode="+c.mode.String(), "Dist="+dist)
			l.run(t)
			r := l.records[0]
			if len(l.records) != 1 || r.Status != result.Failed || !strings.Contains(r.Reason, c.want) || r.DeviceNS != nil || r.Judged() != nil {
				t.Errorf("%s: %s, want %q", r.Status, r.Reason, c.want)
			}
		})
	}
}

// TestTurnsAreTaken: three algorithms of one group run in turns, not one after
// the other, and a failing one does not stop the others.
func TestTurnsAreTaken(t *testing.T) {
	var log []string
	drv := newFake()
	named := func(name string) algo.Algorithm {
		return sorter(drv, name, plan.Keys, func(k, v, _ []uint32) {
			if log = append(log, name); name != "b" || len(log) < 12 {
				slices.Sort(k)
			}
		})
	}
	l := newLab(drv, []algo.Algorithm{named("a"), named("b"), named("c")}, "Algo=all")
	l.run(t)
	if len(l.find("b/")) != 1 || l.find("b/")[0].Status != result.Failed || l.find("a/")[0].Status != result.OK || l.find("c/")[0].Status != result.OK {
		t.Fatalf("%+v", l.records)
	}
	// Each turn sorts twice: end to end and on the device.
	for i := 0; i+6 <= 12; i += 6 {
		round := slices.Sorted(slices.Values(log[i : i+6]))
		if !slices.Equal(round, []string{"a", "a", "b", "b", "c", "c"}) {
			t.Errorf("round %d: %v", i/6, log[i:i+6])
		}
	}
}

func TestResumeLeavesDoneCellsOut(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good", "Elements=[100,200,300]")
	ctx, stop := context.WithCancel(t.Context())
	emit := l.o.Emit
	l.o.Emit = func(r result.Record) error { stop(); return emit(r) }
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted run: %v", err)
	}
	j.Close()
	if len(l.records) != 1 {
		t.Fatalf("%d records before the interruption", len(l.records))
	}
	l.o.Done = map[string]bool{l.records[0].Key(): true}
	l.o.Emit = emit
	l.run(t)
	if len(l.records) != 3 || len(l.find("n=100@")) != 1 {
		t.Errorf("after resuming: %d records", len(l.records))
	}
}

func TestEmitErrorEndsTheRun(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good")
	l.o.Emit = func(result.Record) error { return os.ErrPermission }
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Run(t.Context()); !errors.Is(err, os.ErrPermission) {
		t.Errorf("%v", err)
	}
}

func TestMemoryThatIsNotThereFailsTheCell(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good", "Elements=[2^23,2^10]")
	l.run(t)
	if r := l.find("n=2^23")[0]; r.Status != result.Failed || !strings.Contains(r.Reason, "out of device memory") && !strings.Contains(r.Reason, "OUT_OF_MEMORY") {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
	if r := l.find("n=2^10")[0]; r.Status != result.OK {
		t.Errorf("the next cell: %s: %s", r.Status, r.Reason)
	}
	if drv.Live() != 0 {
		t.Errorf("%d objects of the device are left", drv.Live())
	}
}

// TestOneSort: both times are of the same sort, which is the only one of a turn.
func TestOneSort(t *testing.T) {
	for _, one := range []bool{false, true} {
		drv, sorts := newFake(), 0
		l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, func(k, v, behind []uint32) {
			sorts++
			honest(k, v, behind)
		})}, "Algo=good")
		l.o.OneSort, l.o.Rule = one, sample.Rule{WarmUp: 1, Min: 4, Max: 4}
		l.run(t)
		r := l.records[0]
		if want := map[bool]int{false: 10, true: 5}[one]; sorts != want || r.Status != result.OK {
			t.Errorf("one sort %v: %d sorts in 5 turns, want %d: %s %s", one, sorts, want, r.Status, r.Reason)
		}
		if len(r.DeviceNS) != 4 || len(r.WallNS) != 4 || r.Device.Median <= 0 || r.Wall.Median <= 0 {
			t.Errorf("one sort %v: device %v, wall %v", one, r.DeviceNS, r.WallNS)
		}
	}
}

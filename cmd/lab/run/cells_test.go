package run

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/plan"
)

func TestCells(t *testing.T) {
	drv := newFake()
	list := []algo.Algorithm{sorter(drv, "a", plan.Keys, honest), sorter(drv, "b", plan.Keys, honest)}
	for _, c := range []struct {
		axes string
		want int
	}{
		{"Algo=[a,b]|KeyT=[u32,u64]|Elements[pow2]=[4:8:2]", 12},
		{"Algo=a|KeyT=all", 10},
		{"Algo=all", 2 + len(catalog.Hosts())},
		{"Algo=a|ValueT=[u32,u64]", 1},            // keys have no values
		{"Algo=a|ValueT=[u32,u64]|Mode=pairs", 2}, //
		{"Algo=a|Dist=[uniform,sorted]|Entropy=[1.000,0.544]", 4},
		{"Algo=a|Entropy=[1.000,0.544]", 2},
		{"Algo=[cpu,cpu-radix]", 1},    // one by its former name
		{"Algo=a|NaN=[first,last]", 1}, // integers have none
		{"Algo=a|NaN=[first,last]|KeyT=f32|Order=[asc,desc]", 4},
		{"Algo=a|Threads=[128,256]|Blocks=[0,132]", 4},
	} {
		l := newLab(drv, list, strings.Split(c.axes, "|")...)
		j, err := New(l.o)
		if err != nil {
			t.Errorf("%s: %v", c.axes, err)
			continue
		}
		if got := len(j.Cells()); got != c.want {
			t.Errorf("%s: %d cells, want %d", c.axes, got, c.want)
		}
		if e := j.Estimate(); len(e) != c.want || e[0].Memory == 0 || (e[0].Longest <= 0) != (e[0].Refused != nil) {
			t.Errorf("%s: estimate %+v", c.axes, e)
		}
		j.Close()
	}
}

func TestMistakesAreFoundBeforeAnythingRuns(t *testing.T) {
	drv := newFake()
	list := []algo.Algorithm{sorter(drv, "a", plan.Keys, honest)}
	for spec, want := range map[string]string{
		"Elemenst=3":          "known are [Algo",
		"Algo=quick":          "unknown algorithm \"quick\": 'gpusort bench --list' lists all",
		"KeyT=u128":           "known are u8",
		"Mode=triples":        "none of keys, pairs, argsort",
		"ValueT=u16":          "ValueT",
		"Dist=gauss":          "uniform",
		"Entropy=0.5":         "entropy-0.5",
		"Elements=many":       "no count",
		"Elements=2^50":       "more than",
		"Threads=9999999":     "more than",
		"Order=up":            "asc, desc",
		"Elements[pow2]=41":   "more than",
		"KeyT=f32|MaxValue=9": "unsigned keys",
	} {
		l := newLab(drv, list, strings.Split(spec, "|")...)
		if _, err := New(l.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	l := newLab(drv, list)
	l.o.Devices = []string{"fake:3"}
	if _, err := New(l.o); err == nil || !strings.Contains(err.Error(), "known are all, devices, cpu, fake:0") {
		t.Errorf("%v", err)
	}
	l = newLab(drv, list)
	l.o.Rule.Min = 0
	if _, err := New(l.o); err == nil {
		t.Error("a rule without samples was taken")
	}
}

func TestSpelled(t *testing.T) {
	for in, want := range map[string]string{"0": "cuda:0", "CUDA": "cuda:0", "opencl:1": "opencl:1", "CPU": "cpu", " 12 ": "cuda:12"} {
		if got := spelled(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

func TestSetDefaultsKeepUserValues(t *testing.T) {
	set, err := axes.ParseSet([]string{"elements=7"})
	if err != nil {
		t.Fatal(err)
	}
	full, err := complete(Options{Axes: set})
	if err != nil || full.Find("Elements").Values[0] != "7" || full.Find("KeyT").Values[0] != "u32" {
		t.Errorf("%v, %v", full, err)
	}
}

// TestCellAxes: the axes of a cell give that cell alone.
func TestCellAxes(t *testing.T) {
	drv := newFake()
	list := []algo.Algorithm{sorter(drv, "a", plan.Keys, honest)}
	j, err := New(newLab(drv, list, "Algo=a", "KeyT=[u32,f64]", "Mode=[keys,argsort]", "ValueT=[u32,u64]", "Order=[asc,desc]",
		"NaN=[first,last]", "Threads=[0,64]", "Elements=[100,2^20]", "Dist=[uniform,entropy-0.544]").o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, c := range j.Cells() {
		one, err := New(newLab(drv, list, CellAxes(c)...).o)
		if err != nil {
			t.Fatal(err)
		}
		if got := one.Cells(); len(got) != 1 || got[0] != c {
			t.Errorf("%s: %+v", c.ID(), got)
		}
		one.Close()
	}
}

// TestThreadsAreInTheNamesOfHostCells: a bound on host threads is part of what
// was measured on the host, and of nothing else.
func TestThreadsAreInTheNamesOfHostCells(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "a", plan.Keys, honest)}, "Algo=[a,cpu]")
	l.o.Devices, l.o.Workers = []string{"all"}, 3
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, c := range j.Cells() {
		if got := strings.HasSuffix(c.ID(), "/parallel=3"); got != (c.Backend == "cpu") {
			t.Errorf("%s", c.ID())
		}
	}
}

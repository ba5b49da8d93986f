package gpusort_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort"
)

// keys returns n different keys in an order that repeats for every call.
func someKeys(n int) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = uint32(i) * 2654435761
	}
	return x
}

func TestSetDefault(t *testing.T) {
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithDescending())
	if err != nil {
		t.Fatal(err)
	}
	gpusort.SetDefault(s)
	defer gpusort.SetDefault(nil)
	x := someKeys(100_000)
	gpusort.Sort(x)
	if !slices.IsSorted(x) {
		t.Error("Sort is not ascending under a default that is descending")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	x = someKeys(100_000)
	want := slices.Sorted(slices.Values(x))
	gpusort.Sort(x)
	if !slices.Equal(x, want) {
		t.Error("a default that is closed leaves the sort undone")
	}
}

func TestWithReport(t *testing.T) {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var a, b gpusort.Report
	ctx := context.Background()
	if err := gpusort.SortWith(gpusort.WithReport(ctx, &a), s, someKeys(70_000)); err != nil {
		t.Fatal(err)
	}
	if err := gpusort.SortWith(gpusort.WithReport(ctx, &b), s, someKeys(300)); err != nil {
		t.Fatal(err)
	}
	if a.Items != 70_000 || b.Items != 300 || a.Device != "cpu" {
		t.Errorf("reports of %d and %d items on %q, want 70000 and 300 on cpu", a.Items, b.Items, a.Device)
	}
	if s.Last() != b {
		t.Errorf("Last is %+v, want %+v", s.Last(), b)
	}
}

func TestDeviceOfEnvironment(t *testing.T) {
	t.Setenv("GPUSORT_DEVICE", "cuda:77")
	if _, err := gpusort.New(); !errors.Is(err, gpusort.ErrNoDevice) {
		t.Errorf("New with GPUSORT_DEVICE=cuda:77: %v, want ErrNoDevice", err)
	} else if !strings.HasPrefix(err.Error(), "gpusort: New: ") {
		t.Errorf("%q does not begin with the operation", err)
	}
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatalf("a device named by the program must win: %v", err)
	}
	s.Close()
	x := someKeys(1 << 19)
	gpusort.Sort(x)
	if !slices.IsSorted(x) {
		t.Error("Sort did not sort under a device that is not there")
	}
}

func TestErrorsNameTheOperation(t *testing.T) {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	ctx, x := context.Background(), someKeys(9)
	_, explain := gpusort.Explain[uint32](s, gpusort.ModePairs, 9, 5)
	_, scratch := gpusort.ScratchBytes[uint32](gpusort.ModeKeys, -1, 0)
	for op, err := range map[string]error{
		"SortWith":      gpusort.SortWith(ctx, s, x),
		"SortPairsWith": gpusort.SortPairsWith(ctx, s, x, someKeys(9)),
		"ArgsortWith":   gpusort.ArgsortWith(ctx, s, make([]int, 9), x),
		"Explain":       explain,
		"ScratchBytes":  scratch,
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "gpusort: "+op+": ") {
			t.Errorf("%s: error %v", op, err)
			continue
		}
		for _, inside := range []string{"plan:", "engine:", "exec:"} {
			if strings.Contains(err.Error(), inside) {
				t.Errorf("%q names a package of the inside", err)
			}
		}
	}
}

func TestAlgorithms(t *testing.T) {
	list := gpusort.Algorithms()
	host := slices.IndexFunc(list, func(a gpusort.AlgorithmInfo) bool { return a.Name == "cpu" })
	if host < 0 || !list[host].Automatic || !slices.Equal(list[host].Backends, []string{"cpu"}) {
		t.Fatalf("the processor's sort is not listed as chosen by itself: %+v", list)
	}
	for _, a := range list {
		if a.Doc == "" || len(a.Backends) == 0 {
			t.Errorf("%+v says too little", a)
		}
		if slices.Contains(a.Backends, "cpu") {
			s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithAlgorithm(a.Name))
			if err != nil {
				t.Errorf("%s is listed and cannot be named: %v", a.Name, err)
				continue
			}
			s.Close()
		}
	}
}

package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestFaultSweep fails the k-th driver call of a sort for every k: once, for
// good, and for want of memory; small, staged and in pieces. Each time the
// error must arrive with its class, the slice must hold the input or the
// output, and nothing may leak.
func TestFaultSweep(t *testing.T) {
	kinds := []struct {
		name string
		make func(driver.Driver, int, *driver.Error) *fault.Driver
		err  driver.Error
	}{
		{"once", fault.New, driver.Error{Name: "BROKEN", Code: 99}},
		{"lost", fault.Lost, driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost}},
		{"memory", fault.New, driver.Error{Name: "NO_MEMORY", Code: 4, Class: driver.ErrOutOfMemory}},
	}
	shapes := []struct {
		name  string
		items uint64
		limit uint64
		a     algo.Algorithm
	}{{"direct", 100, 0, inMemory}, {"staged", 1500, 0, inMemory}, {"pieces", 1500, 26000, inMemory}, {"host steps", 100, 0, byHost}, {"host steps in pieces", 1500, 26000, byHost}}
	take := soak.Share(t, 3, 1)
	for _, kind := range kinds {
		for _, shape := range shapes {
			for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
				if !take() {
					continue
				}
				p := plan.Problem{Type: key.I64, Mode: mode, Items: shape.items}
				if mode != plan.Keys {
					p.ValueBytes = 4
				}
				t.Run(fmt.Sprintf("%s/%s/%v", kind.name, shape.name, mode), func(t *testing.T) {
					calls := 1
					for k := 0; k <= calls; k++ {
						drv := newFake()
						f := kind.make(drv, k, &kind.err)
						fails := sweepOnce(t, drv, f, shape.a, shape.limit, p, k)
						if k == 0 {
							calls = f.Calls()
							if fails {
								t.Fatal("the sort failed without a fault")
							}
						}
					}
					t.Logf("%d calls", calls)
				})
			}
		}
	}
}

func sweepOnce(t *testing.T, drv *fake.Driver, f *fault.Driver, a algo.Algorithm, limit uint64, p plan.Problem, k int) (failed bool) {
	t.Helper()
	check := func(err error) {
		var de *driver.Error
		if !errors.As(err, &de) {
			t.Errorf("call %d (%s): the error is no driver.Error: %v", k, f.Failed(), err)
		}
	}
	e, err := fakeEngineOf(f, limit, a)
	if err != nil {
		check(err)
		return true
	}
	j, want := testJob(p)
	in := memoryOf(j, op.Use.Reads)
	_, err = e.Sort(context.Background(), j)
	switch {
	case err == nil:
		if err := sameJob(j, want); err != nil {
			t.Errorf("call %d (%s): success, but %v", k, f.Failed(), err)
		}
	default:
		failed = true
		check(err)
		// What is output alone may hold anything.
		if got := memoryOf(j, op.Use.Reads); !bytes.Equal(got, in) {
			t.Errorf("call %d (%s): after %v the slice is not the input", k, f.Failed(), err)
		}
	}
	// A fault may also hit here; then nothing may leak either, and nothing may
	// be left for the device's own Close to release.
	for _, s := range e.known {
		if err := s.CloseLanes(); err != nil {
			check(err)
		}
	}
	if n := drv.Live(); n != 0 {
		t.Errorf("call %d (%s): %d objects leaked", k, f.Failed(), n)
	}
	if err := e.Close(); err != nil {
		check(err)
	}
	return failed
}

// TestAutoFallsBack has every call fail under "auto": the result must be the
// sorted output, and the report must say why.
func TestAutoFallsBack(t *testing.T) {
	p := plan.Problem{Type: key.U32, Mode: plan.Keys, Items: DeviceFloor}
	for k := 0; k < 30; k++ {
		caps := fast()
		drv := newFake(caps)
		f := fault.Lost(drv, k, &driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost})
		e := autoEngine(t, f)
		j, want := testJob(p)
		r, err := e.Sort(context.Background(), j)
		if err != nil {
			t.Fatalf("call %d (%s): %v", k, f.Failed(), err)
		}
		if err := sameJob(j, want); err != nil {
			t.Errorf("call %d (%s): %v", k, f.Failed(), err)
		}
		if k == 0 && (r.Device != "fake:0" || r.Fallback != "") {
			t.Errorf("without a fault: %+v", r)
		}
		// Call 1 lists the devices; from 2 on the device is in use until the
		// sort is through.
		if k > 1 && r.Device == "cpu" && r.Fallback == "" {
			t.Errorf("call %d (%s): no word of the fallback: %+v", k, f.Failed(), r)
		}
		if err := e.Close(); err != nil && k == 0 {
			t.Error(err)
		}
		if n := drv.Live(); n != 0 {
			t.Errorf("call %d: %d objects leaked", k, n)
		}
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// TestOperationFaults fails the k-th driver call of an operation on device memory: the error
// arrives as the driver's, and the same engine then does the operation.
func TestOperationFaults(t *testing.T) {
	calls := 1
	for k := 0; k <= calls; k++ {
		f := fault.New(opencl.New(), k, &driver.Error{Name: "BROKEN", Code: 99})
		e, err := New(Config{Device: "opencl:0", Drivers: []driver.Driver{f}})
		if err != nil {
			if k == 0 {
				absent.Skip(t, "opencl", "%v", err)
			}
			continue // what fails is the opening of the device
		}
		got, err := groupsOf(e)
		var de *driver.Error
		switch {
		case err == nil && got != 7:
			t.Errorf("call %d (%s): %d groups, want 7", k, f.Failed(), got)
		case err != nil && k == 0:
			t.Fatal(err)
		case err != nil && !errors.As(err, &de):
			t.Errorf("call %d (%s): the error is no driver.Error: %v", k, f.Failed(), err)
		case err != nil:
			if got, err := groupsOf(e); err != nil || got != 7 {
				t.Errorf("call %d (%s): then %d groups, want 7: %v", k, f.Failed(), got, err)
			}
		}
		if k == 0 {
			calls = f.Calls()
		}
		if err := e.Close(); err != nil && !errors.As(err, &de) {
			t.Errorf("call %d (%s): close: %v", k, f.Failed(), err)
		}
	}
	t.Logf("%d calls", calls)
}

// groupsOf has e find the groups of keys of seven values.
func groupsOf(e *Engine) (n uint64, err error) {
	x := make([]uint32, 1000)
	for i := range x {
		x[i] = uint32(i) / 150
	}
	p := op.Spec{Kind: op.Groups, Type: key.U32, Items: uint64(len(x)), Other: 7}
	var at Regions
	for i, x := range p.Extents() {
		if x.Bytes == 0 {
			continue
		}
		m, err := e.Alloc(x.Bytes)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		at[i] = Region{M: m, Bytes: x.Bytes}
	}
	ctx := context.Background()
	if err := at[op.KeysIO].Upload(ctx, unsafe.Pointer(&x[0])); err != nil {
		return 0, err
	}
	if _, n, err = e.Find(ctx, p, at); err != nil {
		return 0, err
	}
	values := make([]uint32, 7)
	if err := at[op.OtherIO].Download(ctx, unsafe.Pointer(&values[0])); err != nil {
		return 0, err
	}
	for i, v := range values {
		if v != uint32(i) {
			return 0, errors.New("a wrong value came out")
		}
	}
	return n, nil
}

// TestTextsOnDeviceFaults fails the k-th driver call of a sort of strings by the real plans, several of which follow each
// other: the error arrives as the driver's, no string has moved, and the same engine then sorts.
func TestTextsOnDeviceFaults(t *testing.T) {
	was := make([]string, 400)
	for i := range was {
		was[i] = strings.Repeat("a long prefix ", 3*(i%2)) + strings.Repeat("x", i%9*3) + fmt.Sprint(i*7919%397)
	}
	calls, step := 1, 1
	for k := 0; k <= calls; k += step {
		f := fault.New(opencl.New(), k, &driver.Error{Name: "BROKEN", Code: 99})
		e, err := New(Config{Device: "opencl:0", Drivers: []driver.Driver{f}})
		if err != nil {
			if k == 0 {
				absent.Skip(t, "opencl", "%v", err)
			}
			continue // what fails is the opening of the device
		}
		var de *driver.Error
		for attempt := range 2 {
			x := slices.Clone(was)
			r, err := sortTexts(t.Context(), e, x, false)
			if k == 0 && attempt == 0 {
				calls = f.Calls()
			}
			switch {
			case err == nil && (!inOrder(x, was, false) || r.Device != "opencl:0"):
				t.Errorf("call %d (%s): not in order, by %s", k, f.Failed(), r.Device)
			case err != nil && (k == 0 || attempt > 0 || !errors.As(err, &de)):
				t.Errorf("call %d (%s), sort %d: %v", k, f.Failed(), attempt, err)
			case err != nil && !slices.Equal(x, was):
				t.Errorf("call %d (%s): strings have moved", k, f.Failed())
			}
		}
		if err := e.Close(); err != nil && !errors.As(err, &de) {
			t.Errorf("call %d (%s): close: %v", k, f.Failed(), err)
		}
		if testing.Short() && k > 0 {
			step = 29
		}
	}
	t.Logf("%d calls", calls)
}

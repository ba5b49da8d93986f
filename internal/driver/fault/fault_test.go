package fault_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/fault"
)

func newFake() *fake.Driver {
	drv := fake.New()
	drv.Register("inc", func(b *fake.Block) {
		for i := range fake.Slice[uint32](b, 0)[:b.Uint(1)] {
			fake.Slice[uint32](b, 0)[i]++
		}
	})
	return drv
}

// everything calls every method that can fail at least once, closes all that it
// made, and returns the first error.
func everything(drv driver.Driver) (err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	devs, err := drv.Devices()
	if err != nil {
		return err
	}
	dev := devs[0]
	defer func() { keep(dev.Close()) }()
	q, err := dev.NewQueue()
	if err != nil {
		return err
	}
	defer func() { keep(q.Close()) }()
	b, err := dev.Alloc(64)
	if err != nil {
		return err
	}
	defer func() { keep(b.Close()) }()
	w, err := dev.Wrap(b.Handle(), 64)
	if err != nil {
		return err
	}
	defer func() { keep(w.Close()) }()
	h, err := dev.AllocHost(64)
	if err != nil {
		return err
	}
	defer func() { keep(h.Close()) }()
	m, err := dev.LoadModule([]driver.Image{{Name: "m"}})
	if err != nil {
		return err
	}
	k, err := m.Kernel("inc")
	if err != nil {
		return err
	}
	e0, err := q.Record()
	if err != nil {
		return err
	}
	defer func() { keep(e0.Close()) }()
	for _, f := range []func() error{
		func() error { _, _, err := dev.Mem(); return err },
		func() error { _, err := k.Attributes(); return err },
		func() error { return q.Memset(b, 0, 41, 64) },
		func() error { return q.Launch(k, driver.Launch{Args: []driver.Arg{{Buf: b}, {Val: 8, Size: 4}}}) },
		func() error { return q.Copy(b, 32, w, 0, 32) },
		func() error { return q.CopyOut(h.Pointer(), b, 0, 64) },
		func() error { return q.CopyIn(b, 0, h.Pointer(), 64) },
		func() error { return q.Wait(e0) },
		func() error { _, err := e0.Done(); return err },
		e0.Wait,
		q.Synchronize,
		func() error { _, err := e0.Since(e0); return err },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	if got := unsafe.Slice((*uint32)(h.Pointer()), 16); got[0] != 42 || got[15] != 42 {
		return errors.New("wrong result")
	}
	return nil
}

// canFail lists the methods of the driver interfaces that return an error.
func canFail() map[string]bool {
	all := map[string]bool{}
	for name, typ := range map[string]reflect.Type{
		"Driver": reflect.TypeFor[driver.Driver](), "Device": reflect.TypeFor[driver.Device](),
		"Queue": reflect.TypeFor[driver.Queue](), "Event": reflect.TypeFor[driver.Event](),
		"Buffer": reflect.TypeFor[driver.Buffer](), "HostBuffer": reflect.TypeFor[driver.HostBuffer](),
		"Module": reflect.TypeFor[driver.Module](), "Kernel": reflect.TypeFor[driver.Kernel](),
	} {
		for i := range typ.NumMethod() {
			f := typ.Method(i)
			if n := f.Type.NumOut(); n > 0 && f.Type.Out(n-1) == reflect.TypeFor[error]() {
				all[name+"."+f.Name] = true
			}
		}
	}
	return all
}

func TestEveryCall(t *testing.T) {
	count := fault.New(newFake(), 0, nil)
	if err := everything(count); err != nil {
		t.Fatal(err)
	}
	missing := canFail()
	for k := 1; k <= count.Calls(); k++ {
		inner := newFake()
		drv := fault.New(inner, k, &driver.Error{Name: "INJECTED", Class: driver.ErrDeviceLost})
		err := everything(drv)
		var e *driver.Error
		if !errors.As(err, &e) || e.Name != "INJECTED" || !errors.Is(err, driver.ErrDeviceLost) {
			t.Errorf("call %d, %s: got %v", k, drv.Failed(), err)
			continue
		}
		if !strings.Contains(drv.Failed(), e.Op) {
			t.Errorf("call %d: the error names %s, the call was %s", k, e.Op, drv.Failed())
		}
		delete(missing, e.Op)
		if n := inner.Live(); n != 0 {
			t.Errorf("call %d, %s: %d objects leak", k, drv.Failed(), n)
		}
	}
	for m := range missing {
		t.Errorf("%s never failed", m)
	}
}

func TestLost(t *testing.T) {
	drv := fault.Lost(newFake(), 3, &driver.Error{Name: "GONE", Class: driver.ErrDeviceLost})
	devs, err := drv.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := devs[0].NewQueue(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := devs[0].Alloc(1); !errors.Is(err, driver.ErrDeviceLost) {
			t.Errorf("a lost device allocated: %v", err)
		}
	}
	if err := devs[0].Close(); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("closing a lost device: %v", err)
	}
}

// A driver that injects nothing behaves as the one inside.
func TestConformance(t *testing.T) {
	inner := fake.New()
	inner.RegisterSuite()
	drivertest.Run(t, fault.New(inner, 0, nil), drivertest.Fake())
	if n := inner.Live(); n != 0 {
		t.Errorf("%d objects are open after the suite", n)
	}
}

// TestAt: the function is called before call k, once, and no call fails by itself.
func TestAt(t *testing.T) {
	for _, k := range []int{0, 1, 3} {
		inner := newFake()
		called := 0
		drv := fault.At(inner, k, func() { called++ })
		if err := everything(drv); err != nil || called != min(k, 1) {
			t.Errorf("call %d: %v, the function was called %d times", k, err, called)
		}
	}
	inner := newFake()
	drv := fault.At(inner, 3, func() { inner.Lose(0) })
	if err := everything(drv); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("a device lost at call 3: %v", err)
	}
}

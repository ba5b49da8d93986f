//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

// TestLaunchParameters compares what was asked for with what arrived in C.
func TestLaunchParameters(t *testing.T) {
	dev, f := fakeDevice(t)
	r := newRig(t, dev, 64)
	r.l.Grid, r.l.Block = driver.Dim{X: 6, Y: 2, Z: 3}, driver.Dim{X: 32, Y: 4}
	r.l.Args[0].Off = 16
	r.l.Args[1].Val = 0
	for _, c := range []struct {
		name string
		set  func(*driver.Launch)
		want map[string]int64
	}{
		{"plain", func(*driver.Launch) {}, nil},
		{"shared", func(l *driver.Launch) { l.SharedBytes = 100 << 10 }, map[string]int64{"shared": 100 << 10}},
		{"cooperative", func(l *driver.Launch) { l.Cooperative = true }, map[string]int64{"coop": 1}},
		{"overlap", func(l *driver.Launch) { l.Overlap = true }, map[string]int64{"overlap": 1}},
		{"all", func(l *driver.Launch) { l.Cooperative, l.Overlap, l.SharedBytes = true, true, 4 },
			map[string]int64{"coop": 1, "overlap": 1, "shared": 4}},
	} {
		l := r.l
		c.set(&l)
		must(t, r.q.Launch(r.add, l))
		want := map[string]int64{"grid0": 6, "grid1": 2, "grid2": 3, "block0": 32, "block1": 4, "block2": 1,
			"shared": 0, "coop": 0, "overlap": 0,
			"arg0": int64(r.buf.Handle()) + 16, "arg1": 0, "arg2": 3}
		for k, v := range c.want {
			want[k] = v
		}
		for k, v := range want {
			if got := f.get(k); got != v {
				t.Errorf("%s: %s arrived as %d, want %d", c.name, k, got, v)
			}
		}
	}
}

// TestTwoDevices: a batch on one device survives use of another, and copies
// between them arrive.
func TestTwoDevices(t *testing.T) {
	drv, _ := fakeDriver(t)
	devs := drivertest.Devices(t, drv)
	a, b := newRig(t, devs[0], 100), newRig(t, devs[1], 100)
	must(t, a.q.Batch(func() error {
		must(t, a.q.Launch(a.add, a.l))
		must(t, b.q.Launch(b.add, b.l))
		must(t, a.q.Launch(a.add, a.l))
		return b.q.Batch(func() error { return errors.Join(a.q.Launch(a.add, a.l), b.q.Launch(b.add, b.l)) })
	}))
	a.want(16)
	b.want(13)
	if err := a.q.Copy(a.buf, 0, b.buf, 0, 400); err == nil {
		t.Error("a plain copy of another device's buffer was accepted")
	}
	if err := a.q.Wait(nil); err == nil {
		t.Error("waiting for nothing was accepted")
	}
	must(t, a.q.CopyPeer(a.buf, 0, b.buf, 0, 400))
	a.want(13)
	ok, err := devs[0].(driver.Peer).CanAccess(devs[1])
	must(t, err)
	if !ok {
		t.Fatal("the test library's devices see each other")
	}
	must(t, devs[0].(driver.Peer).EnableAccess(devs[1]))
	a.l.Args[0].Buf = b.buf
	must(t, a.q.Launch(a.add, a.l))
	b.want(16)
}

// scenario uses a device from end to end and closes all it made.
func scenario(drv driver.Driver) (err error) {
	devs, err := drv.Devices()
	if err != nil {
		return err
	}
	dev := devs[0]
	defer func() { err = errors.Join(err, dev.Close()) }()
	q, err := dev.NewQueue()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	b, err := dev.Alloc(64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	h, err := dev.AllocHost(64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	m, err := dev.LoadModule([]driver.Image{vectorImage})
	if err != nil {
		return err
	}
	k, err := m.Kernel("gs_test_add")
	if err != nil {
		return err
	}
	add := func() error {
		return q.Launch(k, driver.Launch{SharedBytes: 60 << 10, Args: []driver.Arg{{Buf: b}, {Val: 16, Size: 8}, {Val: 1, Size: 4}}})
	}
	p, err := q.(driver.QueueAllocator).AllocInOrder(64)
	if err != nil {
		return err
	}
	if err := errors.Join(q.Memset(b, 0, 0, 64), add(), q.Copy(p, 0, b, 0, 64), q.CopyIn(b, 0, h.Pointer(), 64), p.Close()); err != nil {
		return err
	}
	g, err := q.(driver.Grapher).Capture(add)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	e, err := q.Record()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var out [64]byte
	return errors.Join(g.Launch(q), q.Wait(e), e.Wait(), q.CopyOut(unsafe.Pointer(&out), b, 0, 64), q.Synchronize())
}

// TestFaultSweep fails every call in turn, softly and so that it sticks. The
// error surfaces in its class, and what could be released was.
func TestFaultSweep(t *testing.T) {
	drv, f := fakeDriver(t)
	must(t, scenario(drv))
	for _, c := range []struct {
		code  cu.Result
		class error
	}{{cu.OutOfMemory, driver.ErrOutOfMemory}, {cu.LaunchFailed, driver.ErrDeviceLost}} {
		surfaced := 0
		for k := 1; ; k++ {
			f.fail("", k, c.code)
			err := scenario(drv)
			pending := f.l.Extra("fake_pending")()
			f.fail("", 0, 0)
			// A release that failed leaves its one thing; a context that is lost,
			// or cannot be made current for its end, takes the rest with it.
			whole := c.code == cu.OutOfMemory && !strings.Contains(fmt.Sprint(err), "cuCtxSetCurrent: ")
			if left := f.get("memory") + f.get("objects"); left > 1 && whole {
				t.Errorf("call %d: %d things left", k, left)
			}
			if users := f.l.Extra("fake_reset")(); users > 1 {
				t.Errorf("call %d: %d contexts left", k, users)
			}
			if pending != 0 {
				break // the scenario has fewer calls than k
			}
			if err == nil {
				continue // a call whose failure is no error, such as a peek
			}
			surfaced++
			var de *driver.Error
			if !errors.As(err, &de) || de.Op == "" || de.Name == "" {
				t.Errorf("call %d: %v is no *driver.Error with an operation and a name", k, err)
			}
			// While devices are listed every failure means that there is none.
			if !errors.Is(err, c.class) && !errors.Is(err, driver.ErrNoDevice) {
				t.Errorf("call %d: %v is not of class %v", k, err, c.class)
			}
		}
		if surfaced < 50 {
			t.Errorf("only %d failures surfaced", surfaced)
		}
	}
}

func TestSticky(t *testing.T) {
	dev, _ := fakeDevice(t)
	r := newRig(t, dev, 16)
	m, err := dev.LoadModule([]driver.Image{vectorImage})
	must(t, err)
	k, err := m.Kernel("gs_test_fault")
	must(t, err)
	must(t, r.q.Launch(k, driver.Launch{Args: []driver.Arg{{Val: 8, Size: 8}}}))
	err = r.q.Synchronize()
	var de *driver.Error
	if !errors.As(err, &de) || !errors.Is(err, driver.ErrDeviceLost) {
		t.Fatalf("a fault is reported as %v", err)
	}
	if de.Op != "cuStreamSynchronize" || de.Code != 700 || de.Name != "CUDA_ERROR_ILLEGAL_ADDRESS" || de.Device != "cuda:0 Fake GPU 0" {
		t.Errorf("the error is %#v", de)
	}
	if _, err := dev.Alloc(4); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("the fault does not stick: %v", err)
	}
	must(t, r.buf.Close()) // nothing to give back is no error
	must(t, dev.Close())
	if r.q.d.l.Extra("fake_reset")() != 0 { // the memory went with the context
		t.Error("the context still has users")
	}
}

func TestOutOfMemory(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		_, err := dev.Alloc(1 << 46)
		if !errors.Is(err, driver.ErrOutOfMemory) || !strings.Contains(err.Error(), "70368744177664 bytes asked for") {
			t.Errorf("64 TiB: %v", err)
		}
		newRig(t, dev, 10).want(7)
	})
}

func TestImageChoice(t *testing.T) {
	dev, _ := fakeDevice(t) // sm_90
	image := func(f driver.Format, arch int) driver.Image {
		return driver.Image{Name: "m", Format: f, Arch: arch, Data: vectorPTX}
	}
	junk := driver.Image{Name: "m", Format: driver.Cubin, Arch: 90, Data: []byte("junk")}
	for i, c := range []struct {
		images []driver.Image
		ok     bool
		text   string
	}{
		{[]driver.Image{image(driver.Cubin, 90)}, true, ""},
		{[]driver.Image{image(driver.Cubin, 80)}, false, "the device is sm_90, there is machine code for sm_80"},
		{[]driver.Image{image(driver.Cubin, 100), image(driver.PTX, 90)}, true, ""},
		{[]driver.Image{image(driver.Cubin, 91), image(driver.PTX, 91)}, false, "PTX for sm_91 and newer"},
		{[]driver.Image{image(driver.OpenCLC, 0)}, false, "OpenCL C"},
		{[]driver.Image{junk, image(driver.PTX, 50)}, true, ""},
		{[]driver.Image{junk, image(driver.PTX, 100)}, false, "syntax error near 'junk'"},
	} {
		_, err := dev.LoadModule(c.images)
		if c.ok {
			must(t, err)
		} else if !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// TestCloseUnderUse: calls that race with Close succeed or say ErrClosed.
func TestCloseUnderUse(t *testing.T) {
	drv, _ := fakeDriver(t)
	for range 20 {
		dev := drivertest.Devices(t, drv)[0]
		var wg sync.WaitGroup
		for range 4 {
			r := newRig(t, dev, 16)
			wg.Go(func() {
				for i := range 200 {
					err := r.q.Launch(r.add, r.l)
					if err == nil && i%10 == 0 {
						var e driver.Event
						if e, err = r.q.Record(); err == nil {
							err = errors.Join(r.q.Wait(e), e.Wait(), e.Close())
						}
					}
					if errors.Is(err, driver.ErrClosed) {
						break
					}
					if err != nil {
						t.Error(err)
					}
				}
				if err := errors.Join(r.buf.Close(), r.q.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}

func TestErrorText(t *testing.T) {
	dev, _ := fakeDevice(t)
	_, err := dev.Wrap(64, 4)
	want := "cuda:0 Fake GPU 0: cuMemGetAddressRange_v2: CUDA_ERROR_INVALID_VALUE (1): 0x40 is no device pointer: error 1 explained"
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestBatchSetsContextOnce: the launches of a batch are the only calls.
func TestBatchSetsContextOnce(t *testing.T) {
	dev, f := fakeDevice(t)
	r := newRig(t, dev, 16)
	set, launched := f.calls("cuCtxSetCurrent"), f.calls("cuLaunchKernel")
	must(t, r.q.Batch(func() error {
		for range 10 {
			must(t, r.q.Launch(r.add, r.l))
		}
		return nil
	}))
	if set, launched = f.calls("cuCtxSetCurrent")-set, f.calls("cuLaunchKernel")-launched; set != 1 || launched != 10 {
		t.Errorf("the context was set %d times for %d launches", set, launched)
	}
}

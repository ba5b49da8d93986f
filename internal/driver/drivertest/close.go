package drivertest

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// closer is everything that has a Close.
type closer interface{ Close() error }

// everything makes one of each kind of object of dev.
func (s suite) everything(t *testing.T, dev driver.Device) (map[string]closer, driver.Queue, driver.Kernel) {
	t.Helper()
	q, err := dev.NewQueue()
	must(t, err)
	b, err := dev.Alloc(256)
	must(t, err)
	w, err := dev.Wrap(b.Handle(), 256)
	must(t, err)
	h, err := dev.AllocHost(256)
	must(t, err)
	m, err := dev.LoadModule([]driver.Image{s.k.Image})
	must(t, err)
	k, err := m.Kernel("t_args")
	must(t, err)
	must(t, q.Memset(b, 0, 1, 256))
	must(t, q.Launch(k, driver.Launch{Args: []driver.Arg{buf(b, 0), val(1, 1), val(2, 2), val(3, 4), val(4, 8)}}))
	e, err := q.Record()
	must(t, err)
	return map[string]closer{"queue": q, "buffer": b, "wrapped buffer": w, "host buffer": h, "event": e}, q, k
}

func testClose(t *testing.T, s suite) {
	before := runtime.NumGoroutine()
	dev := s.fresh(t)
	// Objects close in any order, twice, from two goroutines at once.
	for range 3 {
		all, q, _ := s.everything(t, dev)
		must(t, q.Synchronize())
		for name, c := range all {
			other := make(chan error, 1)
			go func() { other <- c.Close() }()
			for _, err := range []error{c.Close(), <-other, c.Close()} {
				if err != nil {
					t.Errorf("closing the %s: %v", name, err)
				}
			}
		}
	}
	must(t, dev.Close())
	must(t, dev.Close())
	if after := settle(before); after > before {
		t.Errorf("%d goroutines, %d before the device was used", after, before)
	}
}

func testDeviceFirst(t *testing.T, s suite) {
	dev := s.fresh(t)
	all, _, _ := s.everything(t, dev) // with work under way
	must(t, dev.Close())
	for name, c := range all {
		if err := c.Close(); err != nil {
			t.Errorf("closing the %s after its device: %v", name, err)
		}
	}
	// The device that other tests use is another value and goes on.
	q := s.queue(t)
	a := s.alloc(t, 64)
	p := pattern(64, 1)
	in(t, q, a, 0, p)
	equal(t, "on the other device", out(t, q, a, 0, 64), p)
}

func testUseAfterClose(t *testing.T, s suite) {
	dev := s.fresh(t)
	q, err := dev.NewQueue()
	must(t, err)
	b, err := dev.Alloc(64)
	must(t, err)
	must(t, b.Close())
	p := make([]byte, 64)
	wantError(t, "copy into a closed buffer", q.CopyIn(b, 0, unsafe.Pointer(&p[0]), 64), driver.ErrClosed)
	wantError(t, "memset of a closed buffer", q.Memset(b, 0, 0, 64), driver.ErrClosed)
	must(t, q.Close())
	c, err := dev.Alloc(64)
	must(t, err)
	wantError(t, "use of a closed queue", q.Memset(c, 0, 0, 64), driver.ErrClosed)
	wantError(t, "synchronising a closed queue", q.Synchronize(), driver.ErrClosed)
	must(t, dev.Close())
	_, err = dev.Alloc(64)
	wantError(t, "allocating on a closed device", err, driver.ErrClosed)
	_, err = dev.NewQueue()
	wantError(t, "a queue on a closed device", err, driver.ErrClosed)
	_, err = dev.LoadModule([]driver.Image{s.k.Image})
	wantError(t, "a module on a closed device", err, driver.ErrClosed)
}

// foreign is some other backend's object.
type foreign struct{}

func (foreign) Bytes() uint64                                { return 64 }
func (foreign) Handle() uintptr                              { return 64 }
func (foreign) Place() (space uintptr, off uint64)           { return 0, 64 }
func (foreign) Close() error                                 { return nil }
func (foreign) Name() string                                 { return "foreign" }
func (foreign) Attributes() (a driver.Attributes, err error) { return }
func (foreign) Wait() error                                  { return nil }
func (foreign) Done() (bool, error)                          { return true, nil }
func (foreign) Since(driver.Event) (ns int64, err error)     { return }

func testForeign(t *testing.T, s suite) {
	q := s.queue(t)
	a := s.alloc(t, 64)
	k := s.kernel(t, "t_grid2")
	wantError(t, "memset", q.Memset(foreign{}, 0, 0, 64), nil)
	wantError(t, "copy", q.Copy(a, 0, foreign{}, 0, 64), nil)
	wantError(t, "wait", q.Wait(foreign{}), nil)
	wantError(t, "kernel", q.Launch(foreign{}, driver.Launch{}), nil)
	wantError(t, "argument", q.Launch(k, driver.Launch{Args: []driver.Arg{buf(foreign{}, 0), val(1, 4)}}), nil)
	must(t, q.Synchronize())
}

package fake_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/fake"
)

func TestConformance(t *testing.T) {
	drv := fake.New(fake.Caps(), fake.Caps())
	drv.RegisterSuite()
	drivertest.Run(t, drv, drivertest.Fake())
	if n := drv.Live(); n != 0 {
		t.Errorf("%d objects are open after the suite", n)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, drv *fake.Driver) (driver.Device, driver.Queue, driver.Buffer) {
	t.Helper()
	dev := drivertest.Devices(t, drv)[0]
	q, err := dev.NewQueue()
	must(t, err)
	b, err := dev.Alloc(64)
	must(t, err)
	return dev, q, b
}

// A caller that forgets to synchronise gets old bytes.
func TestLazy(t *testing.T) {
	_, q, b := open(t, fake.New())
	var got uint32 = 1
	must(t, q.Memset(b, 0, 7, 64))
	must(t, q.CopyOut(unsafe.Pointer(&got), b, 0, 4))
	if got != 1 {
		t.Errorf("a copy arrived before it was waited for: %d", got)
	}
	must(t, q.Synchronize())
	if got != 7 {
		t.Errorf("after Synchronize: %d, want 7", got)
	}
}

// An access outside a buffer loses the device, and says where.
func TestIllegalAccess(t *testing.T) {
	drv := fake.New()
	drv.RegisterSuite()
	dev, q, b := open(t, drv)
	m, err := dev.LoadModule([]driver.Image{{Name: "m"}})
	must(t, err)
	k, err := m.Kernel("t_grid2")
	must(t, err)
	must(t, q.Launch(k, driver.Launch{Grid: driver.Dim{X: 5}, Block: driver.Dim{X: 4}, Args: []driver.Arg{{Buf: b}, {Val: 20, Size: 4}}}))
	for range 2 {
		if err := q.Synchronize(); !errors.Is(err, driver.ErrDeviceLost) {
			t.Fatalf("an access outside a buffer gave %v", err)
		}
	}
	if _, err := dev.Alloc(1); !errors.Is(err, driver.ErrDeviceLost) {
		t.Fatalf("allocating on a lost device gave %v", err)
	}
}

// Virtual time is the same in every run.
func TestVirtualTime(t *testing.T) {
	_, q, b := open(t, fake.New())
	e0, err := q.Record()
	must(t, err)
	must(t, q.Memset(b, 0, 0, 64))
	e1, err := q.Record()
	must(t, err)
	if _, err := e1.Since(e0); err == nil {
		t.Error("the time of events that have not completed is known")
	}
	must(t, e1.Wait())
	ns, err := e1.Since(e0)
	must(t, err)
	if ns != 2000+64+2000 {
		t.Errorf("%d ns", ns)
	}
}

func TestLimits(t *testing.T) {
	c := fake.Caps()
	c.GlobalBytes, c.MaxAllocBytes = 1000, 600
	drv := fake.New(c)
	dev := drivertest.Devices(t, drv)[0]
	a, err := dev.Alloc(600)
	must(t, err)
	for _, n := range []uint64{601, 401} {
		if _, err := dev.Alloc(n); !errors.Is(err, driver.ErrOutOfMemory) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	must(t, a.Close())
	if free, _, _ := dev.Mem(); free != 1000 || drv.Live() != 0 {
		t.Errorf("%d bytes free and %d objects live after everything was closed", free, drv.Live())
	}
}

func TestPeers(t *testing.T) {
	for _, links := range []fake.Links{fake.Relayed, fake.Linked} {
		drv := fake.NewLinked(links, fake.Caps(), fake.Caps())
		devs := drivertest.Devices(t, drv)
		drivertest.RunPeers(t, devs[0], devs[1])
		if n := drv.Live(); n != 0 {
			t.Errorf("links %v: %d objects are open after the suite", links, n)
		}
	}
}

// A linked driver passes the suite of one device, too.
func TestConformanceLinked(t *testing.T) {
	drv := fake.NewLinked(fake.Linked, fake.Caps(), fake.Caps())
	drv.RegisterSuite()
	drivertest.Run(t, drv, drivertest.Fake())
}

// A device that Lose took fails; others go on, and get nothing from it.
func TestLose(t *testing.T) {
	drv := fake.NewLinked(fake.Linked, fake.Caps(), fake.Caps())
	devs := drivertest.Devices(t, drv)
	var queues [2]driver.Queue
	var buffers [2]driver.Buffer
	for i, d := range devs {
		var err error
		queues[i], err = d.NewQueue()
		must(t, err)
		buffers[i], err = d.Alloc(4)
		must(t, err)
	}
	must(t, queues[0].Memset(buffers[0], 0, 7, 4))
	must(t, queues[0].Synchronize())
	must(t, queues[1].(driver.PeerCopier).CopyPeer(buffers[1], 0, buffers[0], 0, 4))
	drv.Lose(0)
	if err := queues[0].Synchronize(); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("a lost device's queue: %v", err)
	}
	var got uint32
	must(t, queues[1].CopyOut(unsafe.Pointer(&got), buffers[1], 0, 4))
	must(t, queues[1].Synchronize())
	if got == 7 {
		t.Error("a copy from a lost device that had not run has its memory")
	}
	if err := queues[1].(driver.PeerCopier).CopyPeer(buffers[1], 0, buffers[0], 0, 4); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("a copy from a lost device: %v", err)
	}
	for i := range devs {
		must(t, queues[i].Close())
		must(t, buffers[i].Close())
	}
	if n := drv.Live(); n != 0 {
		t.Errorf("%d objects live", n)
	}
}

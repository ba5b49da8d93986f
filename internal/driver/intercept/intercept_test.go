package intercept_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/intercept"
)

// rich is a fake with all optional interfaces; it refuses decorated arguments.
type rich struct{ driver.Driver }

type richDevice struct{ driver.Device }
type richQueue struct{ driver.Queue }
type richModule struct{ driver.Module }
type richKernel struct{ driver.Kernel }
type richGraph struct{ launches int }

func (r rich) Devices() ([]driver.Device, error) {
	devs, err := r.Driver.Devices()
	for i := range devs {
		devs[i] = richDevice{devs[i]}
	}
	return devs, err
}

func (d richDevice) NewQueue() (driver.Queue, error) {
	q, err := d.Device.NewQueue()
	return richQueue{q}, err
}

func (d richDevice) LoadModule(i []driver.Image) (driver.Module, error) {
	m, err := d.Device.LoadModule(i)
	return richModule{m}, err
}

func (d richDevice) CanAccess(peer driver.Device) (bool, error) {
	_, ok := peer.(richDevice)
	return ok, nil
}

func (d richDevice) EnableAccess(peer driver.Device) error {
	if _, ok := peer.(richDevice); !ok {
		return errors.New("decorated peer")
	}
	return nil
}

func (d richDevice) RegisterHost(p unsafe.Pointer, n uint64) (driver.HostBuffer, error) {
	return d.AllocHost(n)
}

func (m richModule) Kernel(name string) (driver.Kernel, error) {
	k, err := m.Module.Kernel(name)
	return richKernel{k}, err
}

func (m richModule) Global(name string) (driver.Buffer, error) {
	return nil, &driver.Error{Op: "Global", Name: "NONE"}
}

func (k richKernel) Occupancy(threads int, _ uint32) (int, error) { return threads / 32, nil }

func (q richQueue) Launch(k driver.Kernel, l driver.Launch) error {
	return q.Queue.Launch(k.(richKernel).Kernel, l)
}
func (q richQueue) Batch(f func() error) error { return f() }
func (q richQueue) Capture(f func() error) (driver.Graph, error) {
	return &richGraph{}, f()
}
func (q richQueue) CopyPeer(dst driver.Buffer, do uint64, src driver.Buffer, so uint64, n uint64) error {
	return q.Copy(dst, do, src, so, n)
}
func (q richQueue) AllocInOrder(n uint64) (driver.Buffer, error) {
	return nil, &driver.Error{Op: "AllocInOrder", Name: "NONE", Class: driver.ErrUnsupported}
}

func (g *richGraph) Launch(q driver.Queue) error {
	if _, ok := q.(richQueue); !ok {
		return errors.New("decorated queue")
	}
	g.launches++
	return nil
}
func (g *richGraph) Close() error { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Optional interfaces are there, get inner objects, and go through the hook.
func TestOptional(t *testing.T) {
	inner := fake.New()
	inner.RegisterSuite()
	seen := map[string]int{}
	drv := intercept.Wrap(rich{inner}, func(c *intercept.Call, do func() error) error {
		seen[c.Method]++
		return do()
	})
	dev := drivertest.Devices(t, drv)[0]
	ok, err := dev.(driver.Peer).CanAccess(dev)
	must(t, err)
	if !ok {
		t.Error("the peer reached the driver decorated")
	}
	must(t, dev.(driver.Peer).EnableAccess(dev))
	var word [8]byte
	h, err := dev.(driver.HostRegisterer).RegisterHost(unsafe.Pointer(&word), 8)
	must(t, err)
	must(t, h.Close())
	q, err := dev.NewQueue()
	must(t, err)
	a, err := dev.Alloc(8)
	must(t, err)
	b, err := dev.Alloc(8)
	must(t, err)
	must(t, q.(driver.PeerCopier).CopyPeer(b, 0, a, 0, 8))
	must(t, q.(driver.Batcher).Batch(func() error { return q.Memset(a, 0, 1, 8) }))
	g, err := q.(driver.Grapher).Capture(func() error { return q.Memset(a, 0, 1, 8) })
	must(t, err)
	must(t, g.Launch(q))
	must(t, g.Close())
	if _, err := q.(driver.QueueAllocator).AllocInOrder(8); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("an inner error arrived as %v", err)
	}
	m, err := dev.LoadModule([]driver.Image{{Name: "m"}})
	must(t, err)
	if _, err := m.(driver.GlobalFinder).Global("g"); err == nil {
		t.Error("an inner error was lost")
	}
	k, err := m.Kernel("t_args")
	must(t, err)
	if n, err := k.(driver.Occupier).Occupancy(256, 0); n != 8 || err != nil {
		t.Errorf("occupancy %d, %v", n, err)
	}
	must(t, q.Synchronize())
	for _, method := range []string{"Device.CanAccess", "Device.EnableAccess", "Device.RegisterHost", "Queue.CopyPeer", "Queue.Batch",
		"Queue.Capture", "Graph.Launch", "Graph.Close", "Queue.AllocInOrder", "Module.Global", "Kernel.Occupancy"} {
		if seen[method] != 1 {
			t.Errorf("%s went %d times through the hook", method, seen[method])
		}
	}
	if seen["Queue.Memset"] != 2 {
		t.Errorf("%d fills inside Batch and Capture went through the hook", seen["Queue.Memset"])
	}
}

// A backend without optional interfaces has none when decorated.
func TestPlain(t *testing.T) {
	drv := intercept.Wrap(fake.New(), func(_ *intercept.Call, do func() error) error { return do() })
	dev := drivertest.Devices(t, drv)[0]
	q, err := dev.NewQueue()
	must(t, err)
	if _, ok := dev.(driver.Peer); ok {
		t.Error("the device pretends to know peers")
	}
	if _, ok := q.(driver.Grapher); ok {
		t.Error("the queue pretends to capture")
	}
}

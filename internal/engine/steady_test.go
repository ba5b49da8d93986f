package engine

import (
	"context"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// quiet is a driver that does nothing, allocates nothing and counts: what is
// left is the executor's own.
type quiet struct {
	*fake.Driver
	allocs, queues, captures, launches, graphs, events int
}

type quietDevice struct {
	driver.Device
	c *quiet
}

type quietQueue struct {
	driver.Queue
	c *quiet
}

type quietEvent struct{}

type quietGraph struct{ c *quiet }

func (c *quiet) Devices() ([]driver.Device, error) {
	devs, err := c.Driver.Devices()
	for i, d := range devs {
		devs[i] = quietDevice{d, c}
	}
	return devs, err
}

func (d quietDevice) Alloc(n uint64) (driver.Buffer, error) {
	d.c.allocs++
	return d.Device.Alloc(n)
}

func (d quietDevice) NewQueue() (driver.Queue, error) {
	d.c.queues++
	q, err := d.Device.NewQueue()
	return &quietQueue{q, d.c}, err
}

func (q *quietQueue) Memset(driver.Buffer, uint64, uint32, uint64) error { return nil }
func (q *quietQueue) Copy(driver.Buffer, uint64, driver.Buffer, uint64, uint64) error {
	return nil
}
func (q *quietQueue) CopyIn(driver.Buffer, uint64, unsafe.Pointer, uint64) error { return nil }
func (q *quietQueue) Launch(driver.Kernel, driver.Launch) error {
	q.c.launches++
	return nil
}
func (q *quietQueue) Synchronize() error         { return nil }
func (q *quietQueue) Batch(f func() error) error { return f() }
func (q *quietQueue) Record() (driver.Event, error) {
	q.c.events++
	return quietEvent{}, nil
}
func (q *quietQueue) Capture(f func() error) (driver.Graph, error) {
	q.c.captures++
	return quietGraph{q.c}, f()
}

func (g quietGraph) Launch(driver.Queue) error {
	g.c.graphs++
	return nil
}
func (quietGraph) Close() error { return nil }

func (quietEvent) Wait() error                       { return nil }
func (quietEvent) Done() (bool, error)               { return true, nil }
func (quietEvent) Since(driver.Event) (int64, error) { return 7, nil }
func (quietEvent) Rerecord(driver.Queue) error       { return nil }
func (quietEvent) Close() error                      { return nil }

// TestSteadyState sorts the same buffers again and again: after the first few
// times nothing is allocated, on neither side, and each buffer has one graph.
func TestSteadyState(t *testing.T) {
	drv := &quiet{Driver: newFake()}
	e, err := fakeEngine(t, drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var buffers [3]Region
	for i := range buffers {
		m, err := e.Alloc(4000)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		buffers[i] = Region{m, 0, 4000}
	}
	for _, c := range []struct {
		p        plan.Problem
		buffers  int
		captures int
	}{
		{plan.Problem{Type: key.U32, Mode: plan.Keys, Items: 1000}, 1, 1},
		{plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 1000}, 1, 1},
		{plan.Problem{Type: key.F32, Mode: plan.Keys, Items: 1000}, 2, 2},
		{plan.Problem{Type: key.F32, Mode: plan.Keys, Items: 500}, 2, 2},
	} {
		i := 0
		sort := func() {
			var values Region
			if c.p.Mode == plan.Pairs {
				values = buffers[2]
			}
			r, err := e.Run(ctx, c.p, Regions{buffers[i%c.buffers], values})
			if err != nil || r.DeviceTime != 7 {
				t.Fatal(r, err)
			}
			i++
		}
		before := *drv
		for range c.buffers * (exec.GraphAfter + 1) {
			sort()
		}
		if n := drv.captures - before.captures; n != c.captures {
			t.Errorf("%v %v: %d graphs for %d buffers", c.p.Type, c.p.Mode, n, c.buffers)
		}
		before = *drv
		if n := testing.AllocsPerRun(50, sort); n != 0 {
			t.Errorf("%v %v: %v allocations", c.p.Type, c.p.Mode, n)
		}
		before.graphs += 51 // AllocsPerRun warms up once
		if *drv != before {
			t.Errorf("%v %v: the steady state is not only graph launches: %+v, before %+v", c.p.Type, c.p.Mode, *drv, before)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkSteadySort is the executor's own host time of a sort of resident
// keys: all but the driver's calls.
func BenchmarkSteadySort(b *testing.B) {
	e, err := fakeEngine(b, &quiet{Driver: newFake()}, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	m, err := e.Alloc(4096)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	ctx := context.Background()
	p := plan.Problem{Type: key.U32, Mode: plan.Keys, Items: 1 << 10}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Run(ctx, p, Regions{Region{m, 0, 4096}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManyBuffers goes through more buffers than a lane keeps arguments of.
func TestManyBuffers(t *testing.T) {
	drv := newFake()
	e, err := fakeEngine(t, drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	j, want := testJob(plan.Problem{Type: key.U64, Items: 100})
	in := bytesOf(j)
	var all []Region
	for range exec.KeptBounds + 3 {
		m, err := e.Alloc(j.KeyBytes())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Region{m, 0, j.KeyBytes()})
	}
	for turn := range 3 {
		for i, r := range all {
			if err := r.Upload(ctx, unsafe.Pointer(&in[0])); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Run(ctx, j.Spec, Regions{r}); err != nil {
				t.Fatal(err)
			}
			clear(unsafe.Slice((*byte)(j.At[op.KeysIO]), j.KeyBytes()))
			if err := r.Download(ctx, j.At[op.KeysIO]); err != nil {
				t.Fatal(err)
			}
			if err := sameJob(j, want); err != nil {
				t.Errorf("turn %d, buffer %d: %v", turn, i, err)
			}
		}
		if n := e.known["fake:0"].Bindings(); n != exec.KeptBounds {
			t.Errorf("%d bindings kept, want %d", n, exec.KeptBounds)
		}
	}
	for i, r := range all {
		if err := r.M.Close(); err != nil {
			t.Fatal(err)
		}
		if n := e.known["fake:0"].Bindings(); n > len(all)-1-i {
			t.Errorf("%d bindings kept for %d buffers", n, len(all)-1-i)
		}
	}
	if err := e.Close(); err != nil || drv.Live() != 0 {
		t.Errorf("close: %v, %d objects leaked", err, drv.Live())
	}
}

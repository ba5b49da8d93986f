package engine

import (
	"context"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// apartDriver is a driver whose devices say that they have memory of their own, so
// that a processor's OpenCL is used as a card behind a link is.
type apartDriver struct{ driver.Driver }

type apartDevice struct{ driver.Device }

func (d apartDriver) Devices() ([]driver.Device, error) {
	list, err := d.Driver.Devices()
	for i := range list {
		list[i] = apartDevice{list[i]}
	}
	return list, err
}

func (d apartDevice) Caps() driver.Caps {
	c := d.Device.Caps()
	c.CPU, c.HostUnified = false, false
	return c
}

// apartEngine is an engine on the driver's first device with the library's own
// algorithms and device code. It skips the test where there is none.
func apartEngine(t testing.TB, drv driver.Driver) *Engine {
	t.Helper()
	dev := drivertest.Devices(t, drv)[0]
	id := dev.Caps().ID
	unused(dev)
	e, err := New(Config{Device: id, Drivers: []driver.Driver{drv}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestHalvesOnDevices sorts in halves with real kernels: PoCL as if it were a card,
// and CUDA, there also as many keys as radix-msd takes for both halves.
func TestHalvesOnDevices(t *testing.T) {
	for _, drv := range []driver.Driver{opencl.New(), cuda.New()} {
		t.Run(drv.Name(), func(t *testing.T) {
			tr := trace.New(apartDriver{drv})
			e := apartEngine(t, tr)
			defer e.Close()
			e.exec.Sizes.HalveFrom, e.exec.Sizes.DirectUnit = 1<<20, 1<<20
			sizes := []uint64{1<<18 + 12345}
			if drv.Name() == "cuda" {
				sizes = append(sizes, 1<<27+12345)
			}
			for _, n := range sizes {
				for _, typ := range []key.Type{key.U32, key.U64} {
					halvesOnDevice(t, e, tr, plan.Problem{Type: typ, Items: n})
				}
			}
		})
	}
}

// halvesOnDevice sorts one job from ordinary and from page-locked memory and
// compares with the processor's sort.
func halvesOnDevice(t *testing.T, e *Engine, tr *trace.Driver, p plan.Problem) {
	t.Helper()
	n := p.KeyBytes()
	in, want, got := make([]uint64, n/8+1), make([]uint64, n/8+1), make([]uint64, n/8+1)
	scramble(in)
	copy(want, in)
	host, err := New(Config{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	ctx := context.Background()
	if _, err := host.Sort(ctx, op.Job{Spec: p, At: op.Memory{unsafe.Pointer(&want[0])}}); err != nil {
		t.Fatal(err)
	}
	m, err := e.AllocPinned(n + 8)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, at := range map[string]unsafe.Pointer{"ordinary": unsafe.Pointer(&got[0]), "page-locked": m.Pointer()} {
		hostcopy.Copy(at, unsafe.Pointer(&in[0]), n)
		tr.Reset()
		if r, err := e.Sort(ctx, op.Job{Spec: p, At: op.Memory{at}}); err != nil || r.Pieces != 1 {
			t.Fatal(r, err)
		}
		if err := sameJob(op.Job{Spec: p, At: op.Memory{at}}, op.Job{Spec: p, At: op.Memory{unsafe.Pointer(&want[0])}}); err != nil {
			t.Errorf("%v, %d keys, %s: %v", p.Type, p.Items, name, err)
		}
		merges := 0
		for _, c := range tr.Entries() {
			if c.Method == "Queue.Launch" && len(c.Args) > 13 && c.Args[:13] == "gs_merge_pass" {
				merges++
			}
		}
		if merges < 2 {
			t.Errorf("%v, %d keys, %s: %d merges", p.Type, p.Items, name, merges)
		}
	}
}

// scramble fills x with well mixed bits, all different.
func scramble(x []uint64) {
	const unit = 1 << 16
	workers.Each(16, (len(x)+unit-1)/unit, func(b int) {
		for i := b * unit; i < min((b+1)*unit, len(x)); i++ {
			// splitmix64
			z := uint64(i+1) * 0x9e3779b97f4a7c15
			z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			x[i] = z ^ z>>31
		}
	})
}

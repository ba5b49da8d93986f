package opencl

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

func TestConformance(t *testing.T) {
	t.Setenv(cachedir.Env, t.TempDir())
	drivertest.Run(t, New(), drivertest.OpenCL())
}

// BenchmarkLaunch measures the host's cost of a launch with five arguments;
// it must allocate nothing.
func BenchmarkLaunch(b *testing.B) {
	dev := drivertest.Devices(b, New())[0]
	q, k, args := launchable(b, dev)
	b.ReportAllocs()
	for b.Loop() {
		if err := q.Launch(k, driver.Launch{Args: args}); err != nil {
			b.Fatal(err)
		}
	}
	if err := q.Synchronize(); err != nil {
		b.Fatal(err)
	}
}

func launchable(t testing.TB, dev driver.Device) (driver.Queue, driver.Kernel, []driver.Arg) {
	t.Helper()
	q, err := dev.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	buf, err := dev.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	m, err := dev.LoadModule([]driver.Image{drivertest.OpenCL().Image})
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("t_args")
	if err != nil {
		t.Fatal(err)
	}
	return q, k, []driver.Arg{{Buf: buf}, {Val: 1, Size: 1}, {Val: 2, Size: 2}, {Val: 3, Size: 4}, {Val: 4, Size: 8}}
}

// TestProcessorsTellNoSpills: the private memory that PoCL answers is the same
// number for every kernel.
func TestProcessorsTellNoSpills(t *testing.T) {
	t.Setenv(cachedir.Env, t.TempDir())
	for _, dev := range drivertest.Devices(t, New()) {
		_, k, _ := launchable(t, dev)
		if a, err := k.Attributes(); err != nil || dev.Caps().CPU && a.LocalBytes != 0 {
			t.Errorf("%s: %+v, %v", dev.Caps().ID, a, err)
		}
	}
}

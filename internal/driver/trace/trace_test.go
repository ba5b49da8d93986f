package trace_test

import (
	_ "embed"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	for name, f := range map[string]func(driver.Driver) *trace.Driver{"plain": trace.New, "timed": trace.Timed} {
		t.Run(name, func(t *testing.T) {
			inner := fake.New()
			inner.RegisterSuite()
			drivertest.Run(t, f(inner), drivertest.Fake())
			if n := inner.Live(); n != 0 {
				t.Errorf("%d objects are open after the suite", n)
			}
		})
	}
}

// program uses a device in every way that has its own form in a trace.
func program(t *testing.T, drv driver.Driver) {
	dev := drivertest.Devices(t, drv)[0]
	q, err := dev.NewQueue()
	must(t, err)
	b, err := dev.Alloc(64)
	must(t, err)
	h, err := dev.AllocHost(64)
	must(t, err)
	m, err := dev.LoadModule([]driver.Image{drivertest.Fake().Image})
	must(t, err)
	k, err := m.Kernel("t_affine32")
	must(t, err)
	var word uint32
	must(t, q.CopyIn(b, 4, unsafe.Pointer(&word), 4))
	must(t, q.Memset(b, 0, 0x2A, 64))
	must(t, q.Launch(k, driver.Launch{Grid: driver.Dim{X: 2, Y: 3}, Block: driver.Dim{X: 4}, SharedBytes: 16,
		Args: []driver.Arg{{Buf: b}, {Buf: b, Off: 32}, {Val: 8, Size: 8}, {Val: 1, Size: 4}, {Val: 2, Size: 4}}}))
	must(t, q.CopyOut(unsafe.Add(h.Pointer(), 8), b, 0, 4))
	if err := q.Memset(b, 64, 0, 4); err == nil {
		t.Error("a fill outside the buffer succeeded")
	}
	must(t, q.Synchronize())
	must(t, h.Close())
	must(t, b.Close())
	must(t, q.Close())
	must(t, dev.Close())
}

//go:embed testdata/program.txt
var want string

// The text is that of testdata/program.txt, in every run.
func TestText(t *testing.T) {
	for range 2 {
		inner := fake.New()
		inner.RegisterSuite()
		drv := trace.New(inner)
		program(t, drv)
		if got := drv.String(); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	inner := fake.New()
	inner.RegisterSuite()
	drv := trace.Timed(inner)
	program(t, drv)
	times := map[string]int64{}
	for _, e := range drv.Entries() {
		if e.Nanos >= 0 {
			times[e.Method] += e.Nanos
		}
	}
	// The fake's virtual time of a command and of the event after it.
	if times["Queue.Memset"] != 2*2000+64 || len(times) != 4 {
		t.Errorf("times %v", times)
	}
	last := int64(-1 << 62)
	for _, e := range drv.Entries() {
		if e.Nanos >= 0 && e.Start < last {
			t.Errorf("%v began at %d, one before it at %d", e, e.Start, last)
		}
		if e.Nanos >= 0 {
			last = e.Start + e.Nanos
		}
	}
	if s := drv.String(); !strings.Contains(s, "# 4.1 µs") {
		t.Errorf("no times in\n%s", s)
	}
	if n := inner.Live(); n != 0 {
		t.Errorf("%d objects leak", n)
	}
	drv.Reset()
	if s := drv.String(); s != "" {
		t.Errorf("after Reset: %s", s)
	}
}

// On real devices too.
func TestConformanceOpenCL(t *testing.T) {
	t.Setenv(cachedir.Env, t.TempDir())
	drivertest.Run(t, trace.Timed(opencl.New()), drivertest.OpenCL())
}

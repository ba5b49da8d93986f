//go:build !nogpu && linux && !android && (amd64 || arm64)

package nvml

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFakeLibrary(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		absent.Skip(t, "cc", "the test library cannot be compiled")
	}
	if m, _ := filepath.Glob("testdata/fakenvml.c"); m == nil {
		absent.Skip(t, "testdata/fakenvml.c", "the test library cannot be compiled")
	}
	lib := filepath.Join(t.TempDir(), "libfakenvml.so")
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", lib, "testdata/fakenvml.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("GPUSORT_LIBNVML", lib)
	m, err := Open()
	must(t, err)
	v, err := m.DriverVersion()
	must(t, err)
	if v != "580.65.06" {
		t.Errorf("driver version %q", v)
	}
	if _, err := m.Device("GPU-9"); err == nil || !strings.Contains(err.Error(), "Not Found (6)") {
		t.Errorf("a device that is not there: %v", err)
	}
	for _, uuid := range []string{"GPU-1", "GPU-2"} { // the second is a MIG slice
		d, err := m.Device(uuid)
		must(t, err)
		name, err := d.Name()
		must(t, err)
		s, err := d.Sample()
		must(t, err)
		want := Sample{SMClockMHz: 1001, SMClockMaxMHz: 2001, MemClockMHz: 1002, MemClockMaxMHz: 2002,
			PowerWatts: 345.678, PowerLimitWatts: 700, TemperatureC: 41, BusyPercent: 97, MemBusyPercent: 55,
			Throttle: PowerCap | ThermalHardware}
		if s != want || name != "Fake GPU" {
			t.Errorf("%s: got  %+v\nwant %+v", name, s, want)
		}
		if !s.Throttle.Slow() || s.Throttle.String() != "power-cap thermal-hardware" || Throttle(1).Slow() || Throttle(0).String() != "none" {
			t.Errorf("throttle reasons %v", s.Throttle)
		}
	}
	must(t, m.Close())
	must(t, m.Close())
}

func TestAbsentLibrary(t *testing.T) {
	t.Setenv("GPUSORT_LIBNVML", "/nonexistent/libnvidia-ml.so.1")
	if m, err := Open(); m != nil || err == nil || !strings.Contains(err.Error(), "no management library") {
		t.Errorf("an absent library: %v", err)
	}
}

func TestHardware(t *testing.T) {
	devs := drivertest.Devices(t, cuda.New())
	m, err := Open()
	if err != nil {
		absent.Skip(t, "nvml", "%v", err) // a device without its management library works all the same
	}
	defer m.Close()
	for _, dev := range devs {
		d, err := m.Device(dev.Caps().UUID)
		must(t, err)
		s, err := d.Sample()
		must(t, err)
		if s.SMClockMHz <= 0 || s.TemperatureC <= 0 {
			t.Errorf("%s: no clock or temperature in %+v", dev.Caps().ID, s)
		}
		t.Logf("%s: %+v", dev.Caps().Name, s)
	}
}

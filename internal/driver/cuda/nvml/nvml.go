//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package nvml

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// Monitor is an open management library. It is safe for concurrent use.
type Monitor struct {
	lib    *cu.NVML
	closed atomic.Bool
}

// Device is one device of a Monitor.
type Device struct {
	m *Monitor
	h cu.NVMLDevice
}

// Open loads and starts the library: GPUSORT_LIBNVML if set, else the system's.
// That it is absent is an error like any other.
func Open() (*Monitor, error) {
	l, err := cu.OpenNVML(os.Getenv("GPUSORT_LIBNVML"))
	if err != nil {
		return nil, fmt.Errorf("nvml: no management library (it comes with the NVIDIA driver): %w", err)
	}
	m := &Monitor{lib: l}
	if err := m.check("nvmlInit_v2", l.Init()); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Monitor) check(op string, code int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("nvml: %s: %s (%d)", op, m.lib.ErrorString(code), code)
}

// Close stops the library.
func (m *Monitor) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	return m.check("nvmlShutdown", m.lib.Shutdown())
}

// DriverVersion is the kernel driver's: "580.65.06".
func (m *Monitor) DriverVersion() (string, error) {
	s, r := m.lib.DriverVersion()
	return s, m.check("nvmlSystemGetDriverVersion", r)
}

// Device finds a device by its UUID, as driver.Caps gives it.
func (m *Monitor) Device(uuid string) (*Device, error) {
	h, r := m.lib.DeviceByUUID(uuid)
	if r != 0 && strings.HasPrefix(uuid, "GPU-") {
		// The compute API calls a slice of a partitioned device a GPU too.
		if h2, r2 := m.lib.DeviceByUUID("MIG-" + strings.TrimPrefix(uuid, "GPU-")); r2 == 0 {
			h, r = h2, 0
		}
	}
	if err := m.check("nvmlDeviceGetHandleByUUID", r); err != nil {
		return nil, fmt.Errorf("%w: device %s", err, uuid)
	}
	return &Device{m, h}, nil
}

// Name is the marketing name.
func (d *Device) Name() (string, error) {
	s, r := d.m.lib.Name(d.h)
	return s, d.m.check("nvmlDeviceGetName", r)
}

// Sample reads the device's state. It costs some milliseconds at worst, and no
// time of the device. It fails only if not even the clock can be read.
func (d *Device) Sample() (s Sample, err error) {
	l := d.m.lib
	clock, r := l.Clock(d.h, cu.ClockSM)
	if err := d.m.check("nvmlDeviceGetClockInfo", r); err != nil {
		return s, err
	}
	s.SMClockMHz = int(clock)
	s.SMClockMaxMHz = reported(l.MaxClock(d.h, cu.ClockSM))
	s.MemClockMHz = reported(l.Clock(d.h, cu.ClockMem))
	s.MemClockMaxMHz = reported(l.MaxClock(d.h, cu.ClockMem))
	s.TemperatureC = reported(l.Temperature(d.h))
	s.PowerWatts = float64(reported(l.Power(d.h))) / 1e3
	s.PowerLimitWatts = float64(reported(l.PowerLimit(d.h))) / 1e3
	if mj, r := l.Energy(d.h); r == 0 {
		s.EnergyJoules = float64(mj) / 1e3
	}
	if bits, r := l.ThrottleReasons(d.h); r == 0 {
		s.Throttle = Throttle(bits)
	}
	if gpu, mem, r := l.Utilization(d.h); r == 0 {
		s.BusyPercent, s.MemBusyPercent = int(gpu), int(mem)
	}
	return s, nil
}

// reported is v, or 0 if the call failed.
func reported(v uint32, code int) int {
	if code != 0 {
		return 0
	}
	return int(v)
}

// Package nvml reads clocks, power and temperature of NVIDIA devices through
// the management library that comes with the driver. Measurements note them,
// because a number without the clock that it was made at says little.
package nvml

import "strings"

// Sample is the state of a device at one moment. A field that the device does
// not report is 0.
type Sample struct {
	SMClockMHz, SMClockMaxMHz   int
	MemClockMHz, MemClockMaxMHz int
	PowerWatts, PowerLimitWatts float64
	EnergyJoules                float64 // since the driver was loaded
	TemperatureC                int
	BusyPercent                 int // of the last sampling period (up to 1 s): a kernel ran
	MemBusyPercent              int // memory was read or written
	Throttle                    Throttle
}

// Throttle is a set of reasons that hold the clocks down.
type Throttle uint64

// The reasons, with NVML's bits.
const (
	Idle              Throttle = 1 << 0
	ApplicationClocks Throttle = 1 << 1
	PowerCap          Throttle = 1 << 2
	HardwareSlowdown  Throttle = 1 << 3
	SyncBoost         Throttle = 1 << 4
	ThermalSoftware   Throttle = 1 << 5
	ThermalHardware   Throttle = 1 << 6
	PowerBrake        Throttle = 1 << 7
	DisplayClocks     Throttle = 1 << 8
)

var reasons = [...]string{"idle", "application-clocks", "power-cap", "hardware-slowdown", "sync-boost",
	"thermal-software", "thermal-hardware", "power-brake", "display-clocks"}

// Slow reports whether a measurement made now would be slower than the device
// can be: hot, or out of power. Idle and clocks that somebody set are not.
func (t Throttle) Slow() bool {
	return t&(PowerCap|HardwareSlowdown|ThermalSoftware|ThermalHardware|PowerBrake) != 0
}

// String lists the reasons, or is "none".
func (t Throttle) String() string {
	var s []string
	for i, r := range reasons {
		if t>>i&1 != 0 {
			s = append(s, r)
		}
	}
	if s == nil {
		return "none"
	}
	return strings.Join(s, " ")
}

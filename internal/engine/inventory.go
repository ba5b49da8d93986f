package engine

import (
	"runtime"
)

// DeviceInfo describes a device for lists.
type DeviceInfo struct {
	ID            string
	Backend       string
	Name          string
	Vendor        string
	DriverVersion string
	MemoryBytes   uint64
	ComputeUnits  int
	ClockMHz      int
	MemoryGBps    float64
	HostProcessor bool
}

// Inventory lists the CPU and the devices of every backend of the catalogue.
// The list is valid also with an error.
func Inventory() ([]DeviceInfo, error) {
	list := []DeviceInfo{{ID: "cpu", Backend: "cpu", Name: runtime.GOARCH + " host processor", ComputeUnits: runtime.NumCPU()}}
	all, err := (&Engine{}).devices()
	for _, d := range all {
		c := d.Caps()
		unused(d)
		list = append(list, DeviceInfo{
			ID: c.ID, Backend: c.Backend, Name: c.Name, Vendor: c.Vendor, DriverVersion: c.DriverVersion,
			MemoryBytes: c.GlobalBytes, ComputeUnits: c.ComputeUnits, ClockMHz: c.ClockKHz / 1000,
			MemoryGBps: c.MemoryGBps, HostProcessor: c.CPU,
		})
	}
	return list, err
}

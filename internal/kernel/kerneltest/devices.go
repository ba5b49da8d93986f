package kerneltest

import (
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// EachDevice calls f with a runner on every device that is here, as a test of its ID below
// its driver's. A driver without one is skipped, or fails where it is required.
func EachDevice(t *testing.T, f func(t *testing.T, r *Runner, c driver.Caps)) {
	for _, drv := range []driver.Driver{opencl.New(), cuda.New()} {
		t.Run(drv.Name(), func(t *testing.T) {
			for _, dev := range drivertest.Devices(t, drv) {
				t.Run(dev.Caps().ID, func(t *testing.T) { f(t, NewRunner(t, dev), dev.Caps()) })
			}
		})
	}
}

// UnderOclgrind calls f in a process of its own with a runner on Oclgrind's device, which c says not to be a processor:
// data races, divergent barriers and accesses outside buffers fail the test. It is all that t does; see
// drivertest.UnderOclgrind. A run with -short leaves t out.
func UnderOclgrind(t *testing.T, f func(t *testing.T, r *Runner, c driver.Caps)) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "Oclgrind interprets kernels, which takes seconds")
	}
	drivertest.UnderOclgrind(t, func(t *testing.T) {
		dev := drivertest.Devices(t, opencl.New())[0]
		c := dev.Caps()
		c.CPU = false
		f(t, NewRunner(t, dev), c)
	})
}

// Emulated are the devices that emulators of each target stand for, with two
// multiprocessors, so that small inputs fill them.
func Emulated(target string) driver.Caps {
	c := driver.Caps{
		Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", Arch: 90, ComputeUnits: 2, WarpSize: 32, MaxThreadsPerBlock: 1024,
		SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, ForwardProgress: true, SubGroups: true, Atomics64: true, Cooperative: true,
	}
	if target != "SM_90" {
		c.Name, c.Arch, c.SharedPerBlockMax, c.Cooperative = "GTX 1050 Ti", 61, 48<<10, false
	}
	return c
}

// Package fake is a driver whose devices live in the process's memory and whose
// kernels are Go functions. It runs real plans in tests, deterministically, on
// any machine.
//
// It is as lazy as the contracts allow: a queue runs its work, one command
// after the other, when somebody waits for it and not before, fresh memory
// holds a pattern instead of zeros, and pinned memory is read when the copy
// runs. A caller that forgets to synchronise sees old bytes every time. Time is
// virtual: a command takes launchNanos plus a nanosecond for every byte it moves.
package fake

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
)

const backend = "fake"

// launchNanos is the virtual time of a command that moves nothing: about what a
// launch costs on real hardware, so that traces look familiar.
const launchNanos = 2000

// Func is a kernel. It is called once for each block, in the order x, y, z, and
// does the work of all threads of the block; between two barriers of a real
// kernel it loops over them. A panic, such as an index outside a buffer, is the
// device's illegal access: the device is lost.
type Func func(b *Block)

// Driver is the fake backend. The zero value has no kernels and no devices.
type Driver struct {
	mu      sync.Mutex
	caps    []driver.Caps
	kernels map[string]Func
	live    map[any]struct{}
	fresh   int // the last MiB of addresses given out
	links   Links
	devices []*device // all that Devices returned
}

// Lose has the devices with that number fail from now on, as a card does that drops off
// its bus: calls return driver.ErrDeviceLost, and what their memory held is gone.
func (d *Driver) Lose(number int) {
	d.mu.Lock()
	all := d.devices
	d.mu.Unlock()
	for _, v := range all {
		if v.caps.ID == fmt.Sprintf("%s:%d", backend, number) {
			v.lose()
		}
	}
}

// Caps are the default limits: those of a small GPU with 1 GiB.
func Caps() driver.Caps {
	return driver.Caps{
		Backend: backend, ID: backend + ":0", Name: "in-memory device", Vendor: "gpusort", DriverVersion: "1",
		ComputeUnits: 4, ClockKHz: 1_000_000, WarpSize: 32, MaxThreadsPerBlock: 1024, MaxThreadsPerUnit: 2048,
		RegistersPerUnit: 65536, SharedPerBlock: 48 << 10, SharedPerBlockMax: 96 << 10, SharedPerUnit: 96 << 10,
		L2Bytes: 4 << 20, GlobalBytes: 1 << 30, MaxAllocBytes: 1 << 30, BufferAlign: 256, MemoryGBps: 1,
		ForwardProgress: true, SubGroups: true, Atomics64: true,
	}
}

// New makes a driver with one device for each of caps, or one with Caps() if
// none are given. IDs are set to fake:0, fake:1, ….
func New(caps ...driver.Caps) *Driver {
	if len(caps) == 0 {
		caps = []driver.Caps{Caps()}
	}
	d := &Driver{kernels: map[string]Func{}, live: map[any]struct{}{}}
	for i, c := range caps {
		c.Backend, c.ID = backend, fmt.Sprintf("%s:%d", backend, i)
		d.caps = append(d.caps, c)
	}
	return d
}

// Register gives a kernel its code, before a module is asked for it. The module
// it is looked up in does not matter.
func (d *Driver) Register(name string, f Func) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kernels[name] = f
}

// Name returns "fake".
func (*Driver) Name() string { return backend }

// Devices returns a new value for each device.
func (d *Driver) Devices() ([]driver.Device, error) {
	if len(d.caps) == 0 {
		return nil, &driver.Error{Op: "Devices", Name: "NO_DEVICE", Class: driver.ErrNoDevice, Detail: "make the driver with New"}
	}
	devs := make([]driver.Device, len(d.caps))
	for i, c := range d.caps {
		v := &device{drv: d, caps: c, buffers: map[uintptr][]byte{}, owned: map[any]func(){}, modules: map[string]*module{}}
		if devs[i] = v; d.links != Unlinked {
			devs[i] = linkedDevice{v}
		}
		d.mu.Lock()
		d.devices = append(d.devices, v)
		d.mu.Unlock()
	}
	return devs, nil
}

// Live counts the queues, buffers, host buffers and events that nobody has
// closed: 0 after a test that leaks nothing.
func (d *Driver) Live() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.live)
}

func (d *Driver) born(x any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live[x] = struct{}{}
}

func (d *Driver) died(x any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.live, x)
}

// handle returns the first of n addresses that no buffer had before.
func (d *Driver) handle(n uint64) uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.fresh + 1
	d.fresh = at + int(n>>20)
	return uintptr(at) << 20
}

// errorf makes an error of this backend.
func (d *device) errorf(op, name string, class error, format string, args ...any) *driver.Error {
	return &driver.Error{Op: op, Code: code(class), Name: name, Device: d.caps.ID + " " + d.caps.Name,
		Class: class, Detail: fmt.Sprintf(format, args...)}
}

// code numbers the classes; 1 is an argument refused.
func code(class error) int {
	for i, c := range []error{driver.ErrNoDevice, driver.ErrUnsupported, driver.ErrOutOfMemory, driver.ErrDeviceLost, driver.ErrClosed} {
		if errors.Is(class, c) {
			return i + 2
		}
	}
	return 1
}

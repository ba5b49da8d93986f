// Package opencl implements internal/driver on OpenCL 1.2: every device of
// every platform that the system's loader knows, GPU, CPU or accelerator, as
// opencl:0, opencl:1, … in the loader's order.
//
// A Device has one context; its queues are in order and measure time. Kernels
// are built from source on first use and kept as binaries in a cache on disk.
// $GPUSORT_LIBOPENCL overrides the library, $GPUSORT_CACHE the cache's folder
// ("off" for none).
package opencl

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

const backend = "opencl"

// Driver is the OpenCL backend. Its zero value is not ready; use New.
type Driver struct {
	mu   sync.Mutex
	api  *cl.API
	list []info // found once: a device does not appear while a process runs
}

// New returns the backend. It loads nothing; Devices does.
func New() *Driver { return &Driver{} }

// Name returns "opencl".
func (*Driver) Name() string { return backend }

// info is what enumeration learns of a device.
type info struct {
	platform cl.Platform
	id       cl.Device
	caps     driver.Caps
	identity string // everything that a program binary depends on
}

// Devices lists the usable devices. Each call returns new values, with contexts
// and memory of their own; the caller closes them. It returns ErrNoDevice if
// the library is absent or knows no usable device.
func (d *Driver) Devices() ([]driver.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.api == nil {
		api, err := cl.Load()
		if errors.Is(err, cl.ErrBuiltWithout) {
			return nil, &driver.Error{Op: "load OpenCL", Name: "BUILT_WITHOUT", Class: driver.ErrNoDevice,
				Detail: err.Error() + "; use a build without that tag, on a platform that has GPUs"}
		}
		if err != nil {
			return nil, &driver.Error{Op: "load OpenCL", Name: "LIBRARY_NOT_FOUND", Class: driver.ErrNoDevice,
				Detail: fmt.Sprintf("%v; install an OpenCL loader and a driver (Debian: ocl-icd-libopencl1 and pocl-opencl-icd, "+
					"or the GPU vendor's driver), or name the library in %s", err, cl.LibraryEnv)}
		}
		d.api = api
	}
	if d.list == nil {
		list, err := enumerate(d.api)
		if err != nil {
			return nil, err
		}
		d.list = list
	}
	devs := make([]driver.Device, len(d.list))
	for i := range d.list {
		devs[i] = newDevice(d.api, &d.list[i])
	}
	return devs, nil
}

// enumerate finds the devices that can run our kernels.
func enumerate(api *cl.API) ([]info, error) {
	platforms, c := api.GetPlatformIDs()
	if c != cl.Success && c != cl.PlatformNotFound {
		return nil, apiError("", "clGetPlatformIDs", c, "")
	}
	var list []info
	var refused []string
	for _, p := range platforms {
		// Oclgrind, the race and memory checker, is single-threaded.
		if name, _ := api.GetPlatformInfo(p, cl.PlatformName); name.String() == "Oclgrind" {
			api.Serialize()
		}
		ids, c := api.GetDeviceIDs(p, cl.DeviceTypeAll)
		if c != cl.Success {
			// One vendor's failure leaves the others usable.
			name, _ := api.GetPlatformInfo(p, cl.PlatformName)
			refused = append(refused, fmt.Sprintf("platform %q: clGetDeviceIDs: %s", name, c.Name()))
			continue
		}
		for _, id := range ids {
			q := query{api: api, platform: p, device: id}
			if why := q.unusable(); why != "" {
				refused = append(refused, why)
				continue
			}
			list = append(list, info{p, id, q.caps(len(list)), q.identity()})
		}
	}
	if len(list) == 0 {
		detail := "the loader " + api.Path() + " knows no device; install a driver (Debian: pocl-opencl-icd, or the GPU vendor's driver)"
		if len(refused) > 0 {
			detail = "no usable device: " + strings.Join(refused, "; ")
		}
		return nil, &driver.Error{Op: "clGetDeviceIDs", Code: int(cl.DeviceNotFound), Name: cl.DeviceNotFound.Name(),
			Class: driver.ErrNoDevice, Detail: detail}
	}
	return list, nil
}

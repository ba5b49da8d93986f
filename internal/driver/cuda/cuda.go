//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// LibraryEnv names the environment variable that overrides the library's path.
const LibraryEnv = "GPUSORT_LIBCUDA"

// oldest is the oldest driver version that has every required function.
const oldest = 9000

type cudaDriver struct{ path string }

// New returns the CUDA driver. It loads nothing before Devices is called.
func New() driver.Driver { return cudaDriver{os.Getenv(LibraryEnv)} }

func (cudaDriver) Name() string { return "cuda" }

// Devices lists the devices afresh: each call gives values of its own, which
// share nothing with earlier ones but the primary context.
func (c cudaDriver) Devices() ([]driver.Device, error) {
	l, err := cu.Open(c.path)
	if err != nil {
		return nil, loadError(err)
	}
	if r := l.Init(); r != cu.Success {
		return nil, initError(l, r)
	}
	version, r := l.DriverVersion()
	if err := plainError(l, "cuDriverGetVersion", r); err != nil {
		return nil, err
	}
	if version < oldest {
		return nil, noDevice("cuDriverGetVersion", "CUDA_ERROR_INSUFFICIENT_DRIVER",
			fmt.Sprintf("driver too old: it supports CUDA %s, needs %s", versionText(version), versionText(oldest)))
	}
	n, r := l.DeviceCount()
	if err := plainError(l, "cuDeviceGetCount", r); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, noDevice("cuDeviceGetCount", "CUDA_ERROR_NO_DEVICE",
			"the NVIDIA driver shows no device; see nvidia-smi -L and CUDA_VISIBLE_DEVICES")
	}
	devs := make([]driver.Device, n)
	for i := range devs {
		h, r := l.DeviceGet(i)
		if err := plainError(l, "cuDeviceGet", r); err != nil {
			return nil, err
		}
		caps, err := readCaps(l, h, i, version)
		if err != nil {
			return nil, err
		}
		devs[i] = newDevice(l, h, caps)
	}
	return devs, nil
}

// versionText turns 12040 into "12.4".
func versionText(v int32) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

func noDevice(op, name, detail string) error {
	return &driver.Error{Op: op, Code: int(cu.NoDevice), Name: name, Detail: detail, Class: driver.ErrNoDevice}
}

func loadError(err error) error {
	if m, ok := errors.AsType[*cu.MissingError](err); ok {
		return noDevice("dlsym", "CUDA_ERROR_INSUFFICIENT_DRIVER", m.Error()+"; install a newer NVIDIA driver")
	}
	return noDevice("dlopen", "LIBRARY_NOT_FOUND",
		err.Error()+"; install the NVIDIA driver, or set "+LibraryEnv+" to its libcuda")
}

func initError(l *cu.Lib, r cu.Result) error {
	remedy := map[cu.Result]string{
		cu.NoDevice:             "the machine has no NVIDIA device that this process may use; see nvidia-smi -L and CUDA_VISIBLE_DEVICES",
		cu.StubLibrary:          l.Path + " is the toolkit's stub; put the driver's own library first in the search path",
		cu.SystemDriverMismatch: "the library and the kernel module differ in version; restart after a driver update",
		cu.InsufficientDriver:   "the kernel module is too old for " + l.Path + "; install a newer NVIDIA driver",
		cu.Unknown:              "the kernel module does not answer; see nvidia-smi and dmesg",
	}[r]
	if remedy == "" {
		remedy = l.ErrorString(r)
	}
	return &driver.Error{Op: "cuInit", Code: int(r), Name: l.ErrorName(r), Detail: remedy, Class: driver.ErrNoDevice}
}

// batches counts the Batch calls in progress in the process. While there is
// none, no thread relies on a context that a nested call might replace.
var batches atomic.Int32

// switches counts the Batch calls that replaced another context on their
// thread. A Batch around such a one can then no longer rely on its own.
var switches atomic.Uint32

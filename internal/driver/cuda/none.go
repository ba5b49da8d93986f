//go:build nogpu || !((linux && !android) || windows) || !(amd64 || arm64)

package cuda

import "github.com/gpusort/gpusort/internal/driver"

type none struct{}

// New returns a driver that has no devices: this build leaves CUDA out.
func New() driver.Driver { return none{} }

func (none) Name() string { return "cuda" }

func (none) Devices() ([]driver.Device, error) {
	return nil, &driver.Error{
		Op: "cuda", Name: "NO_GPU_SUPPORT", Class: driver.ErrNoDevice,
		Detail: "this build has no CUDA support (build tag nogpu, or a system without NVIDIA drivers); " +
			"build for linux or windows without the tag, or use the CPU",
	}
}

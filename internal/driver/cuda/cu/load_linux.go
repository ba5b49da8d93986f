//go:build !nogpu && linux && !android && (amd64 || arm64)

package cu

import (
	"github.com/ebitengine/purego"

	"github.com/gpusort/gpusort/internal/sys/dynlib"
)

var (
	// The directory is where WSL keeps the library, which its ldconfig may not
	// know.
	driverNames = []string{"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"}
	nvmlNames   = []string{"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"}
)

func openLibrary(name string) (uintptr, error) { return dynlib.Local(name) }

// symbol returns 0 for a name that the library lacks.
func symbol(lib uintptr, name string) uintptr {
	p, err := purego.Dlsym(lib, name)
	if err != nil {
		return 0
	}
	return p
}

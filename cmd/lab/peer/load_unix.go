//go:build !nogpu && !android && (linux || darwin || freebsd) && (amd64 || arm64)

package peer

import (
	"github.com/ebitengine/purego"

	"github.com/gpusort/gpusort/internal/sys/dynlib"
)

func open(path string) (uintptr, error) { return dynlib.Local(path) }

// symbol returns 0 for a name that the library lacks.
func symbol(lib uintptr, name string) uintptr {
	p, err := purego.Dlsym(lib, name)
	if err != nil {
		return 0
	}
	return p
}

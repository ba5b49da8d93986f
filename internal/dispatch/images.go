package dispatch

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
)

// images returns the device code of a module for a backend, best image first.
func (e *Engine) images(backend, module string) ([]driver.Image, error) {
	if e.cfg.Images != nil {
		return e.cfg.Images(backend, module)
	}
	return nil, fmt.Errorf("%w: no embedded device code", driver.ErrUnsupported)
}

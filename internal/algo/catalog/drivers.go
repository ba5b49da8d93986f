//go:build !nogpu && !android

package catalog

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// drivers holds one line per backend, preferred first.
var drivers = []driver.Driver{
	cuda.New(),
	opencl.New(),
}

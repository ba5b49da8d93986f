//go:build !nogpu

package catalog

import "github.com/gpusort/gpusort/internal/driver"

// drivers holds one line per backend, preferred first.
var drivers = []driver.Driver{}

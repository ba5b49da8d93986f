//go:build nogpu

package catalog

import "github.com/gpusort/gpusort/internal/driver"

// drivers is empty, so that nothing of purego is linked and the binary can be
// fully static.
var drivers []driver.Driver

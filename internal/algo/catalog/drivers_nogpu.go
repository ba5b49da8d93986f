//go:build nogpu || android

package catalog

import "github.com/gpusort/gpusort/internal/driver"

// drivers is empty, so that nothing of purego is linked and the binary can be
// fully static. On Android purego needs cgo, and there is no driver to load.
var drivers []driver.Driver

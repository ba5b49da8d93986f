// Package drivertest holds the conformance suite that every driver passes, and
// what tests with devices share: finding them, and buffers with red zones.
package drivertest

import (
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
)

// Devices lists drv's devices and closes them when the test ends. Without any
// it skips the test, naming what is absent, or fails it if the backend is
// required.
func Devices(t testing.TB, drv driver.Driver) []driver.Device {
	t.Helper()
	devs, err := drv.Devices()
	if err != nil || len(devs) == 0 {
		absent.Skip(t, drv.Name(), "%v", err)
	}
	t.Cleanup(func() {
		for _, d := range devs {
			if err := d.Close(); err != nil {
				t.Errorf("closing %s: %v", d.Caps().ID, err)
			}
		}
	})
	return devs
}

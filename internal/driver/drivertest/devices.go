// Package drivertest holds the conformance suite that every driver passes, and
// what tests with devices share: finding them, and buffers with red zones.
package drivertest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
)

// RequireEnv is the environment variable that lists, with commas, the backends
// whose absence fails a test instead of skipping it: "cuda,opencl".
const RequireEnv = "GPUSORT_REQUIRE"

// Required reports whether backend must be present.
func Required(backend string) bool {
	return slices.ContainsFunc(strings.Split(os.Getenv(RequireEnv), ","),
		func(s string) bool { return strings.TrimSpace(s) == backend })
}

// Devices lists drv's devices and closes them when the test ends. Without any
// it skips the test, naming what is absent, or fails it if the backend is
// required.
func Devices(t testing.TB, drv driver.Driver) []driver.Device {
	t.Helper()
	devs, err := drv.Devices()
	if err != nil || len(devs) == 0 {
		if Required(drv.Name()) {
			t.Fatalf("%s names %s, which is absent: %v", RequireEnv, drv.Name(), err)
		}
		t.Skipf("%s is absent here: %v", drv.Name(), err)
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

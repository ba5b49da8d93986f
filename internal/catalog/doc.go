// Package catalog holds the lists that flags, tests, benchmarks and doc tables
// iterate: drivers, device algorithms, host algorithms, key types and input
// distributions. Adding one is one line here beside its own package.
package catalog

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
)

// Drivers returns the backends of this build in order of preference. A build
// with the nogpu tag has none. Making the list loads no library.
func Drivers() []driver.Driver { return append([]driver.Driver(nil), drivers...) }

// Algorithms returns the device algorithms in order of preference: the first
// that supports a problem on a device is the one chosen by default.
func Algorithms() []algo.Algorithm { return append([]algo.Algorithm(nil), algorithms...) }

// KeyTypes returns the rows of the key-type table.
func KeyTypes() []key.Row { return key.Table() }

// Distributions returns the rows of the table of input generators.
func Distributions() []dist.Dist { return dist.Table() }

// Algorithm finds a device algorithm by name, in any case. The error lists the
// known names.
func Algorithm(name string) (algo.Algorithm, error) {
	known := make([]string, len(algorithms))
	for i, a := range algorithms {
		if strings.EqualFold(a.Name, name) {
			return a, nil
		}
		known[i] = a.Name
	}
	return algo.Algorithm{}, fmt.Errorf("unknown device algorithm %q: known are %s", name, strings.Join(known, ", "))
}

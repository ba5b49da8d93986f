// Package catalog holds the lists that flags, tests, benchmarks and doc tables
// iterate: drivers, device algorithms, host algorithms and key types. Adding one is
// one line here beside its own package, or one in internal/algo/catalog/study if the
// sort is never chosen unless it is named: what the library links is listed here,
// and programs that import that package, as the command does, have all.
package catalog

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/equalzeros"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
)

// Drivers returns the backends of this build in order of preference. A build
// with the nogpu tag or for Android has none. Making the list loads no library.
func Drivers() []driver.Driver { return append([]driver.Driver(nil), drivers...) }

// Algorithms returns the device algorithms in order of preference: the first
// that supports a problem on a device is the one chosen by default. All sort by orders
// with EqualZeros, too.
func Algorithms() []algo.Algorithm { return append([]algo.Algorithm(nil), algorithms()...) }

// KeyTypes returns the rows of the key-type table.
func KeyTypes() []key.Row { return key.Table() }

// added is what Add was given.
var added []func() ([]algo.Algorithm, []Host)

// Add appends the sorts on devices and on the processor that lists returns, which is called
// when somebody asks for any. It is for the init of internal/algo/catalog/study, before
// anything reads the lists.
func Add(lists func() (devices []algo.Algorithm, processor []Host)) { added = append(added, lists) }

// wrapped has algorithms sort by orders with EqualZeros.
func wrapped(list ...algo.Algorithm) (all []algo.Algorithm) {
	for _, a := range list {
		all = append(all, equalzeros.Wrap(a))
	}
	return all
}

// Elsewhere ends an error about an unknown name in a program without the sorts of
// internal/algo/catalog/study; else it is empty.
func Elsewhere() string {
	if len(hosts()) > 1 {
		return ""
	}
	return "; sorts that are here to be studied are in the gpusort command, not in the library"
}

// Algorithm finds a device algorithm by name, in any case. The error lists the
// known names.
func Algorithm(name string) (algo.Algorithm, error) {
	all := algorithms()
	known := make([]string, len(all))
	for i, a := range all {
		if strings.EqualFold(a.Name, name) {
			return a, nil
		}
		known[i] = a.Name
	}
	return algo.Algorithm{}, fmt.Errorf("unknown device algorithm %q: known are %s%s", name, strings.Join(known, ", "), Elsewhere())
}

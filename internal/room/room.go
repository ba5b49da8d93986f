// Package room tells whether the system gives a process the memory that it is
// about to need. The Go runtime ends the process when it does not.
package room

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gpusort/gpusort/internal/units"
)

// least is the number of bytes below which For does not ask.
const least = 16 << 20

// For returns an error that names the remedy if memory for items of a width in
// bytes cannot be had in one piece: more than the machine has, or than a limit such
// as ulimit -v leaves. What a container's limit or other processes take away it
// does not see.
func For(items, width uint64) error {
	over, n := bits.Mul64(items, width)
	if over != 0 {
		n = math.MaxUint64
	}
	if n < least || available(n) {
		return nil
	}
	return fmt.Errorf("%s of memory are needed, more than the system gives: raise the limit (ulimit -v), or use a machine with more", units.Bytes(n))
}

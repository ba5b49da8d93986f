// Package room tells whether the system gives a process the memory that it is
// about to need. The Go runtime ends the process when it does not.
package room

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/gpusort/gpusort/cmd/internal/units"
)

// least is the number of bytes below which For does not ask.
const least = 16 << 20

// containerLimit is the memory in bytes that the process's control group may take.
var containerLimit = memlimit.FromCgroup

// For returns an error that names the remedy if memory for items of a width in
// bytes cannot be had in one piece: more than the machine has, or than a limit such
// as ulimit -v or a container's leaves. What other processes take away, and what
// was taken before, it does not see.
func For(items, width uint64) error {
	over, n := bits.Mul64(items, width)
	if over != 0 {
		n = math.MaxUint64
	}
	if n < least {
		return nil
	}
	if limit, err := containerLimit(); err == nil && n > limit {
		return fmt.Errorf("%s of memory are needed, more than the system gives: this container may take %s; raise its limit, or use a machine with more", units.Bytes(n), units.Bytes(limit))
	}
	if available(n) {
		return nil
	}
	return fmt.Errorf("%s of memory are needed, more than the system gives: raise the limit (ulimit -v), or use a machine with more", units.Bytes(n))
}

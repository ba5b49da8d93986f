// Package room tells whether the system gives a process the memory that it is
// about to need. The Go runtime ends the process when it does not, and the kernel when
// the memory is filled that it gave too freely.
package room

import (
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/gpusort/gpusort/cmd/internal/units"
)

// least is the number of bytes below which For does not ask.
const least = 16 << 20

// containerLimit is the memory in bytes that the process's control group may take.
var containerLimit = memlimit.FromCgroup

// Used is the memory in bytes that the process holds.
func Used() uint64 { return used() }

// Peak is the most memory in bytes that the process held, 0 if the system does not tell.
func Peak() uint64 { return peak() }

// Space is the address space in bytes that the process maps, 0 if the system does not tell.
func Space() uint64 { return space() }

// Left is the memory in bytes that the process may still take: what the machine has
// free, and what a container's limit leaves. It does not know of ulimit -v.
func Left() uint64 {
	left := free()
	if limit, err := containerLimit(); err == nil {
		left = min(left, limit-min(used(), limit))
	}
	return left
}

// Total is the memory in bytes that the machine has, or that a container lets it have. The system
// is asked once: the answer takes it longer than sorting a thousand lines.
func Total() uint64 { return askedTotal() }

var askedTotal = sync.OnceValue(func() uint64 {
	total := total()
	if limit, err := containerLimit(); err == nil {
		total = min(total, limit)
	}
	return total
})

// Largest is the most of n bytes that For lets pass, or little less.
func Largest(n uint64) uint64 {
	n = min(n, Left())
	for n >= least && For(n, 1) != nil {
		n -= n / 8
	}
	return n
}

// For returns an error that names the remedy if memory for items of a width in
// bytes cannot be had in one piece: more than the machine or a container has left, or
// than a limit such as ulimit -v lets the process have.
func For(items, width uint64) error {
	over, n := bits.Mul64(items, width)
	if over != 0 {
		n = math.MaxUint64
	}
	return of(n, n)
}

// ToDouble is For a buffer of n bytes that is about to be replaced by one of twice its
// length: the old one goes when its bytes have moved.
func ToDouble(n uint64) error { return of(n, 2*n) }

// of asks for bytes that are filled, in a piece of length whole.
func of(filled, whole uint64) error {
	if whole < least {
		return nil
	}
	limit, err := containerLimit()
	if err == nil && filled > limit-min(used(), limit) {
		return fmt.Errorf("%s of memory are needed, more than the system gives: this container may take %s and holds %s; raise its limit, or use a machine with more",
			units.Bytes(filled), units.Bytes(limit), units.Bytes(used()))
	}
	if left := free(); left < filled {
		return fmt.Errorf("%s of memory are needed, more than the system gives: %s are free; end other programs, or use a machine with more",
			units.Bytes(filled), units.Bytes(left))
	}
	if available(whole) {
		return nil
	}
	return fmt.Errorf("%s of memory are needed, more than the system gives: raise the limit (ulimit -v), or use a machine with more", units.Bytes(whole))
}

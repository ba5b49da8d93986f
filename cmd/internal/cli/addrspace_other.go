//go:build !linux

package cli

import "math"

// ampleSpace is the address space from which on devices are looked for.
const ampleSpace = 0

// addressSpace is not limited.
func addressSpace() uint64 { return math.MaxUint64 }

// spaceLeft is what a limit leaves.
func spaceLeft(limit uint64) uint64 { return limit }

func saveAddressSpace() {}

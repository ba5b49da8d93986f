//go:build !linux

package cli

import "math"

// ampleSpace is the address space from which on devices are looked for.
const ampleSpace = 0

// runtimeSpace is what the Go runtime reserves, where that matters.
const runtimeSpace = 0

// addressSpace is not limited.
func addressSpace() uint64 { return math.MaxUint64 }

func saveAddressSpace() {}

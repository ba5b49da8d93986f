// Package kernel holds the embedded device code and names its entry points.
//
// An entry point is gs_<algo>_<stage>_<width>_<keys|pairs32|pairs64>, in the
// module <algo>; stages that do not depend on keys leave the rest out. CUDA
// modules are embedded as sm_90 machine code and as PTX for everything else,
// OpenCL modules as source. manifest.json says from which sources, with which
// compiler, flags and policy each was made.
package kernel

import "fmt"

// ID names an entry point: the module that holds it and its symbol.
type ID struct {
	Module string // "onesweep"
	Symbol string // "gs_onesweep_pass_32_keys"
}

// Entry returns the ID of a stage for keys of the given width in bits and
// values of valueBytes (0 for keys alone).
func Entry(algo, stage string, keyBits, valueBytes int) ID {
	suffix := "keys"
	if valueBytes != 0 {
		suffix = fmt.Sprintf("pairs%d", 8*valueBytes)
	}
	return ID{algo, fmt.Sprintf("gs_%s_%s_%d_%s", algo, stage, keyBits, suffix)}
}

// Plain returns the ID of a stage that does not depend on keys.
func Plain(algo, stage string) ID {
	return ID{algo, fmt.Sprintf("gs_%s_%s", algo, stage)}
}

// Overlaps reports whether every kernel of the module waits for the launches before
// it (kernels/cuda/warp/overlap.cuh), in code for compute capability 9.0, so that a
// launch may start while the one before it ends.
func Overlaps(module string) bool {
	switch module {
	case "elements", "msd", "msdpairs", "onesweep", "segments", "strings":
		return true
	}
	return false
}

// Package tune holds the geometry of the device kernels: threads per block,
// items per thread and the like. policies.json is the source; tools/cmd/policy
// generates zpolicy.go and the kernels' headers from it. A policy changes
// speed, never results.
package tune

import "github.com/gpusort/gpusort/internal/driver"

// instance names a row of a table.
type instance struct {
	target              string
	keyBits, valueBytes int
}

// image names a compiled module.
type image struct{ backend, module, target string }

// CUDATarget names the image that a device of compute capability arch (times
// ten) runs: machine code if there is some for it, else the PTX.
func CUDATarget(c driver.Caps) string {
	if c.Arch == 90 {
		return "sm_90"
	}
	return "ptx"
}

// SM90 reports whether a device runs the machine code for compute capability 9.0,
// which alone has kernels with grid barriers and kernels that wait for the launches
// before them.
func SM90(c driver.Caps) bool { return CUDATarget(c) == "sm_90" }

// Hash returns the policy hash of a module's image for a target. The module's
// entry point gs_<module>_policy writes the same number; a difference means
// that code and table were not made from one policies.json.
func Hash(backend, module, target string) (uint64, bool) {
	h, ok := hashes()[image{backend, module, target}]
	return h, ok
}

package drivertest

import (
	_ "embed"

	"github.com/gpusort/gpusort/internal/driver"
)

// Kernels is the device code that the suite runs, in one backend's language.
// Buffer arguments b are as in driver.Arg; i is a thread's global index. The
// entry points, each with the order of its arguments:
//
//	t_affine32 (in b, out b, n u64, a u32, c u32)  out[i] = in[i]·a + c for i < n
//	t_affine64 (in b, out b, n u64, a u64, c u64)  the same on 64 bits
//	t_args     (out b, p u8, q u16, r u32, s u64)  out[0..3] = p, q, r, s as u64
//	t_reverse  (in b, out b)                       each block reverses its u32s in
//	                                               dynamic shared memory, 4 bytes a thread
//	t_grid2    (out b, width u32)                  out[y·width+x] = y·65536 + x
type Kernels struct {
	Image driver.Image
	// Bad is an image that the device's compiler refuses, BadLog what its
	// message must hold. An empty Bad is not tried.
	Bad    driver.Image
	BadLog string
}

//go:embed testdata/kernels.cl
var openclSource []byte

//go:embed testdata/kernels.ptx
var ptxSource []byte

// OpenCL is the suite's device code for OpenCL.
func OpenCL() Kernels {
	return Kernels{
		Image:  driver.Image{Name: "drivertest", Format: driver.OpenCLC, Data: openclSource},
		Bad:    driver.Image{Name: "bad", Format: driver.OpenCLC, Data: []byte("__kernel void k(__global int *p) { p[0] = undeclared_thing; }\n")},
		BadLog: "undeclared_thing",
	}
}

// CUDA is the suite's device code for CUDA: PTX for compute capability 5.0.
func CUDA() Kernels {
	return Kernels{
		Image:  driver.Image{Name: "drivertest", Format: driver.PTX, Arch: 50, Data: ptxSource},
		Bad:    driver.Image{Name: "bad", Format: driver.PTX, Arch: 50, Data: []byte(".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { undeclared_thing; }\n")},
		BadLog: "undeclared_thing",
	}
}

// Fake is the suite's image for a driver whose kernels are registered by name.
func Fake() Kernels {
	return Kernels{Image: driver.Image{Name: "drivertest", Format: driver.OpenCLC, Data: []byte("registered by name")}}
}

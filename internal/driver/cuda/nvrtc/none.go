//go:build nogpu || !linux || android || !(amd64 || arm64)

// Package nvrtc compiles CUDA C++ at run time with NVIDIA's libnvrtc, where it
// is installed.
package nvrtc

import "errors"

// EnvLibrary names the library, if the loader does not find it.
const EnvLibrary = "GPUSORT_LIBNVRTC"

// Compiler is absent from this build.
type Compiler struct{}

// Open always fails in this build.
func Open() (*Compiler, error) {
	return nil, errors.New("nvrtc: this build cannot load libraries (build tag nogpu, or the platform)")
}

// CUBIN is never called, because there is no Compiler.
func (*Compiler) CUBIN(string, string, ...string) ([]byte, error) { return nil, nil }

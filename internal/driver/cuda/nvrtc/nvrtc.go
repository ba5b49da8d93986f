//go:build !nogpu && linux && !android && (amd64 || arm64)

// Package nvrtc compiles CUDA C++ at run time with NVIDIA's libnvrtc, where it
// is installed.
package nvrtc

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpusort/gpusort/internal/sys/dynlib"
)

// EnvLibrary names the library, if the loader does not find it.
const EnvLibrary = "GPUSORT_LIBNVRTC"

// names are those of CUDA 13, 12 and of a development package.
var names = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}

// Compiler is the loaded library. One goroutine uses it at a time.
type Compiler struct {
	fn map[string]uintptr
}

// functions are what a Compiler calls; CUBIN came with CUDA 11.1.
var functions = []string{"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog",
	"nvrtcGetCUBINSize", "nvrtcGetCUBIN", "nvrtcDestroyProgram"}

// Open loads $GPUSORT_LIBNVRTC or the system's library. The error says what is
// missing.
func Open() (*Compiler, error) {
	list := names
	if path := os.Getenv(EnvLibrary); path != "" {
		list = []string{path}
		// NVRTC opens its second library by bare name; one that is loaded already
		// is found. Failing to is reported by the compilation.
		if more, err := filepath.Glob(filepath.Join(filepath.Dir(path), "libnvrtc-builtins.so*")); err == nil && len(more) > 0 {
			_, _ = dynlib.Global(more[0])
		}
	}
	var first error
	for _, name := range list {
		h, err := dynlib.Global(name)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		c := &Compiler{fn: map[string]uintptr{}}
		for _, f := range functions {
			p, err := purego.Dlsym(h, f)
			if err != nil {
				return nil, fmt.Errorf("%s: too old: %w", name, err)
			}
			c.fn[f] = p
		}
		return c, nil
	}
	return nil, fmt.Errorf("no NVRTC: install CUDA's libnvrtc or name it in $%s: %w", EnvLibrary, first)
}

// call calls a function with the addresses of Go memory, which keep pins for
// its time.
func (c *Compiler) call(name string, keep []any, args ...uintptr) int32 {
	var pin runtime.Pinner
	defer pin.Unpin()
	for _, k := range keep {
		pin.Pin(k)
	}
	r, _, _ := purego.SyscallN(c.fn[name], args...)
	return int32(r)
}

func text(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// CUBIN compiles source, called name in messages, with options such as
// "--gpu-architecture=sm_90". The error is what the compiler says.
func (c *Compiler) CUBIN(name, source string, options ...string) ([]byte, error) {
	prog, src, label := new(uintptr), text(source), text(name)
	if r := c.call("nvrtcCreateProgram", []any{prog, src, label}, address(prog), address(src), address(label), 0, 0, 0); r != 0 {
		return nil, fmt.Errorf("nvrtcCreateProgram: error %d", r)
	}
	defer c.call("nvrtcDestroyProgram", []any{prog}, address(prog))
	opts := make([]uintptr, len(options)+1)
	keep := []any{&opts[0]}
	for i, o := range options {
		p := text(o)
		keep = append(keep, p)
		opts[i] = address(p)
	}
	if r := c.call("nvrtcCompileProgram", keep, *prog, uintptr(len(options)), address(&opts[0])); r != 0 {
		return nil, fmt.Errorf("%s", strings.Trim(string(c.bytes(*prog, "nvrtcGetProgramLog")), "\x00\n ")+fmt.Sprintf("\nNVRTC error %d", r))
	}
	code := c.bytes(*prog, "nvrtcGetCUBIN")
	if len(code) == 0 {
		return nil, fmt.Errorf("nvrtcGetCUBIN: no machine code: give a real architecture (sm_90), not a virtual one")
	}
	return code, nil
}

// bytes reads what the pair of functions name+"Size" and name give.
func (c *Compiler) bytes(prog uintptr, name string) []byte {
	n := new(uint64)
	if c.call(name+"Size", []any{n}, prog, address(n)) != 0 || *n == 0 {
		return nil
	}
	b := make([]byte, *n)
	if c.call(name, []any{&b[0]}, prog, address(&b[0])) != 0 {
		return nil
	}
	return b
}

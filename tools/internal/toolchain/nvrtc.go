package toolchain

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// PTX compiles CUDA C++ with NVRTC. Includes are read from the file system.
func (t Tools) PTX(name string, source []byte, options []string) ([]byte, error) {
	// NVRTC opens its builtins library by bare name; loading it first makes
	// the dynamic loader find it.
	if _, err := purego.Dlopen(t.NVRTCHelper, purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
		return nil, err
	}
	lib, err := purego.Dlopen(t.NVRTC, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	var (
		create  func(prog *uintptr, src, name *byte, headers int32, texts, names unsafe.Pointer) int32
		compile func(prog uintptr, n int32, opts unsafe.Pointer) int32
		logSize func(prog uintptr, n *uint64) int32
		logText func(prog uintptr, log *byte) int32
		ptxSize func(prog uintptr, n *uint64) int32
		ptxText func(prog uintptr, ptx *byte) int32
		destroy func(prog *uintptr) int32
	)
	purego.RegisterLibFunc(&create, lib, "nvrtcCreateProgram")
	purego.RegisterLibFunc(&compile, lib, "nvrtcCompileProgram")
	purego.RegisterLibFunc(&logSize, lib, "nvrtcGetProgramLogSize")
	purego.RegisterLibFunc(&logText, lib, "nvrtcGetProgramLog")
	purego.RegisterLibFunc(&ptxSize, lib, "nvrtcGetPTXSize")
	purego.RegisterLibFunc(&ptxText, lib, "nvrtcGetPTX")
	purego.RegisterLibFunc(&destroy, lib, "nvrtcDestroyProgram")

	src, cname := cstring(string(source)), cstring(name)
	var prog uintptr
	if r := create(&prog, &src[0], &cname[0], 0, nil, nil); r != 0 {
		return nil, fmt.Errorf("nvrtcCreateProgram: error %d", r)
	}
	defer destroy(&prog)

	var pin runtime.Pinner
	defer pin.Unpin()
	opts := make([]*byte, len(options))
	for i, o := range options {
		c := cstring(o)
		pin.Pin(&c[0])
		opts[i] = &c[0]
	}
	r := compile(prog, int32(len(opts)), unsafe.Pointer(&opts[0]))
	var n uint64
	if logSize(prog, &n) == 0 && n > 1 {
		log := make([]byte, n)
		logText(prog, &log[0])
		if text := strings.TrimRight(string(log), "\x00\n"); r != 0 {
			return nil, fmt.Errorf("nvrtc %s: error %d\n%s", name, r, text)
		}
	}
	if r != 0 {
		return nil, fmt.Errorf("nvrtc %s: error %d", name, r)
	}
	if r := ptxSize(prog, &n); r != 0 {
		return nil, fmt.Errorf("nvrtcGetPTXSize: error %d", r)
	}
	ptx := make([]byte, n)
	if r := ptxText(prog, &ptx[0]); r != 0 {
		return nil, fmt.Errorf("nvrtcGetPTX: error %d", r)
	}
	return ptx[:n-1], nil
}

func cstring(s string) []byte { return append([]byte(s), 0) }

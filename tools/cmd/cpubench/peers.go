package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// vqsort holds the C functions by type name.
var vqsort = map[string]func(p unsafe.Pointer, n int){}

func (b *bench) setUp(level, lib string) error {
	runtime.GOMAXPROCS(max(2, b.workers))
	for _, l := range []simd.Level{simd.Plain, simd.AVX2, simd.AVX512} {
		if l.String() == level {
			simd.Force(l)
		}
	}
	if !slices.Contains(b.peers, "vqsort") {
		return nil
	}
	if lib == "" {
		dir, err := os.MkdirTemp("", "cpubench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		lib = filepath.Join(dir, "libvqsort.so")
		out, err := exec.Command("g++", "-O2", "-shared", "-fPIC", "../bench/peers/vqsort.cc",
			"-o", lib, "-lhwy_contrib", "-lhwy").CombinedOutput()
		if err != nil {
			return fmt.Errorf("compile bench/peers/vqsort.cc (needs g++ and libhwy-dev; run from tools/): %w\n%s", err, out)
		}
	}
	h, err := purego.Dlopen(lib, purego.RTLD_NOW)
	if err != nil {
		return err
	}
	var setLevel func(avx2 int32)
	purego.RegisterLibFunc(&setLevel, h, "vqsort_level")
	if simd.Current() == simd.AVX2 {
		setLevel(1)
	}
	for _, t := range []string{"u32", "u64", "f32", "f64"} {
		sym, err := purego.Dlsym(h, "vqsort_"+t)
		if err != nil {
			return err
		}
		vqsort[t] = func(p unsafe.Pointer, n int) { purego.SyscallN(sym, uintptr(p), uintptr(n)) }
	}
	return nil
}

// ours, slicesSort and vqsort sort the n keys of type t at p.
func (b *bench) ours(t string, p unsafe.Pointer, n int) {
	ty, err := key.Parse(t)
	if err != nil {
		panic(err)
	}
	c := key.CodecOf(ty, key.Order{})
	o := cpu.Options{Workers: b.workers}
	if ty.Bytes() == 4 {
		_ = cpu.Keys(unsafe.Slice((*uint32)(p), n), c, o)
	} else {
		_ = cpu.Keys(unsafe.Slice((*uint64)(p), n), c, o)
	}
}

func slicesSort(t string, p unsafe.Pointer, n int) {
	switch t {
	case "u32":
		slices.Sort(unsafe.Slice((*uint32)(p), n))
	case "u64":
		slices.Sort(unsafe.Slice((*uint64)(p), n))
	case "f32":
		slices.Sort(unsafe.Slice((*float32)(p), n))
	case "f64":
		slices.Sort(unsafe.Slice((*float64)(p), n))
	}
}

// fill writes n keys of type t: the image u of each as a number of the type,
// never NaN.
func fill(t string, p unsafe.Pointer, n int, u func(i int) uint64) {
	switch t {
	case "u32":
		for i, x := 0, unsafe.Slice((*uint32)(p), n); i < n; i++ {
			x[i] = uint32(u(i) >> 32)
		}
	case "u64":
		for i, x := 0, unsafe.Slice((*uint64)(p), n); i < n; i++ {
			x[i] = u(i)
		}
	case "f32":
		for i, x := 0, unsafe.Slice((*float32)(p), n); i < n; i++ {
			x[i] = float32(float64(u(i))/math.MaxUint64*2 - 1)
		}
	case "f64":
		for i, x := 0, unsafe.Slice((*float64)(p), n); i < n; i++ {
			x[i] = float64(u(i))/math.MaxUint64*2 - 1
		}
	}
}

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/jfcg/sorty/v2"
)

// peers are the sorts we are compared with; what needs a library or a process
// gets it on first use.
type peers struct {
	lib, script, python string

	vqsort   map[string]func(p unsafe.Pointer, n int) // by type; nil: not loaded
	setAVX2  func(avx2 int32)
	vqErr    error
	level    string
	child    *numpy
	childErr error
}

func (p *peers) close() {
	if p.child != nil {
		p.child.close()
	}
}

// contestant returns the peer called name on the input of c.
func (p *peers) contestant(name string, c cell, in *input) (contestant, error) {
	if c.op != "keys" && name != "slices" && name != "numpy" && name != "one" {
		return nil, fmt.Errorf("has no %s to compare with", c.op)
	}
	switch name {
	case "slices":
		if c.op != "keys" {
			return sortFunc(c, in), nil
		}
		return in.timed(c.workers, slicesSort(c.typ, c.n)), nil
	case "sorty":
		sorty.MaxGor = uint64(c.workers)
		return in.timed(c.workers, sortySort(c.typ, c.n)), nil
	case "vqsort":
		if err := p.load(); err != nil {
			return nil, err
		}
		f, n := p.vqsort[c.typ], c.n
		return in.timed(c.workers, func(x, _ unsafe.Pointer) { f(x, n) }), nil
	case "one":
		return in.timed(c.workers, ours(c, 1)), nil
	case "uniform":
		u := c
		u.dist = "uniform"
		other, err := newInput(u)
		if err != nil {
			return nil, err
		}
		return other.timed(c.workers, ours(u, c.workers)), nil
	case "numpy":
		if p.child == nil && p.childErr == nil {
			p.child, p.childErr = startNumpy(p.python, p.script)
		}
		if p.childErr != nil {
			return nil, p.childErr
		}
		return func() (time.Duration, error) { return p.child.sort(c, in.copies) }, nil
	}
	return nil, fmt.Errorf("unknown peer %q", name)
}

// load loads vqsort, compiling it first if no library is named.
func (p *peers) load() error {
	if p.vqsort != nil || p.vqErr != nil {
		return p.vqErr
	}
	p.vqErr = func() error {
		lib := p.lib
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
		lib, err := filepath.Abs(lib)
		if err != nil {
			return err
		}
		h, err := purego.Dlopen(lib, purego.RTLD_NOW)
		if err != nil {
			return err
		}
		purego.RegisterLibFunc(&p.setAVX2, h, "vqsort_level")
		p.vqsort = map[string]func(unsafe.Pointer, int){}
		for _, t := range []string{"u32", "u64", "f32", "f64"} {
			sym, err := purego.Dlsym(h, "vqsort_"+t)
			if err != nil {
				return err
			}
			p.vqsort[t] = func(x unsafe.Pointer, n int) { purego.SyscallN(sym, uintptr(x), uintptr(n)) }
		}
		return p.setLevel(p.level)
	}()
	return p.vqErr
}

// setLevel holds vqsort to AVX2 if that is the level.
func (p *peers) setLevel(level string) error {
	p.level = level
	if p.setAVX2 != nil {
		avx2 := int32(0)
		if level == "avx2" {
			avx2 = 1
		}
		p.setAVX2(avx2)
	}
	return nil
}

// slicesSort and sortySort return the peer's sort of n keys of type t. Each case calls by itself: a call through a
// function value would cost a few keys 2 ns.
func slicesSort(t string, n int) func(p, _ unsafe.Pointer) {
	switch t {
	case "u32":
		return func(p, _ unsafe.Pointer) { slices.Sort(unsafe.Slice((*uint32)(p), n)) }
	case "u64":
		return func(p, _ unsafe.Pointer) { slices.Sort(unsafe.Slice((*uint64)(p), n)) }
	case "f32":
		return func(p, _ unsafe.Pointer) { slices.Sort(unsafe.Slice((*float32)(p), n)) }
	default:
		return func(p, _ unsafe.Pointer) { slices.Sort(unsafe.Slice((*float64)(p), n)) }
	}
}

func sortySort(t string, n int) func(p, _ unsafe.Pointer) {
	switch t {
	case "u32":
		return func(p, _ unsafe.Pointer) { sorty.SortSlice(unsafe.Slice((*uint32)(p), n)) }
	case "u64":
		return func(p, _ unsafe.Pointer) { sorty.SortSlice(unsafe.Slice((*uint64)(p), n)) }
	case "f32":
		return func(p, _ unsafe.Pointer) { sorty.SortSlice(unsafe.Slice((*float32)(p), n)) }
	default:
		return func(p, _ unsafe.Pointer) { sorty.SortSlice(unsafe.Slice((*float64)(p), n)) }
	}
}

// sortFunc is slices.SortFunc of structs of a key and a value, or of indices
// by their keys.
func sortFunc(c cell, in *input) contestant {
	switch c.typ {
	case "u32":
		return sortFuncOf[uint32, uint32](c, in)
	case "u64":
		return sortFuncOf[uint64, uint64](c, in)
	case "f32":
		return sortFuncOf[float32, uint32](c, in)
	default:
		return sortFuncOf[float64, uint64](c, in)
	}
}

func sortFuncOf[K cmp.Ordered, V uint32 | uint64](c cell, in *input) contestant {
	type pair struct {
		k K
		v V
	}
	keys := unsafe.Slice((*K)(unsafe.Pointer(&in.keys[0])), in.n*in.copies)
	if c.op == "argsort" {
		idx := make([]V, c.n)
		return func() (time.Duration, error) {
			var d time.Duration
			for i := range in.copies {
				k := keys[i*c.n : (i+1)*c.n]
				start := clock(c.workers)
				for j := range idx {
					idx[j] = V(j)
				}
				slices.SortFunc(idx, func(a, b V) int { return cmp.Compare(k[a], k[b]) })
				d += clock(c.workers) - start
			}
			return d, nil
		}
	}
	ps := make([]pair, len(keys))
	return func() (time.Duration, error) {
		for i, k := range keys {
			ps[i] = pair{k, V(i)}
		}
		start := clock(c.workers)
		for i := range in.copies {
			slices.SortFunc(ps[i*c.n:(i+1)*c.n], func(a, b pair) int { return cmp.Compare(a.k, b.k) })
		}
		return clock(c.workers) - start, nil
	}
}

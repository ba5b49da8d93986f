package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"
)

// dists make key images by position.
var dists = []struct {
	name string
	make func(n int) func(i int) uint64
}{
	{"uniform", func(int) func(int) uint64 {
		r := rand.New(rand.NewPCG(1, 2))
		return func(int) uint64 { return r.Uint64() }
	}},
	{"zipf", func(n int) func(int) uint64 {
		r := rand.New(rand.NewPCG(1, 2))
		z := rand.NewZipf(r, 1.1, 1, uint64(n))
		return func(int) uint64 { return z.Uint64() * 0x9e3779b97f4a7c15 }
	}},
	{"constant", func(int) func(int) uint64 { return func(int) uint64 { return 42 << 40 } }},
	{"sorted", func(n int) func(int) uint64 {
		step := math.MaxUint64 / uint64(n)
		return func(i int) uint64 { return uint64(i) * step }
	}},
	{"reverse", func(n int) func(int) uint64 {
		step := math.MaxUint64 / uint64(n)
		return func(i int) uint64 { return uint64(n-i) * step }
	}},
	{"organ", func(n int) func(int) uint64 {
		step := math.MaxUint64 / uint64(n)
		return func(i int) uint64 { return uint64(min(i, n-i)) * step }
	}},
	{"few", func(int) func(int) uint64 {
		r := rand.New(rand.NewPCG(1, 2))
		return func(int) uint64 { return r.Uint64N(16) * 0x0edcba9876543210 }
	}},
	{"two", func(int) func(int) uint64 {
		r := rand.New(rand.NewPCG(1, 2))
		return func(int) uint64 { return r.Uint64N(2) << 62 }
	}},
	{"almost", func(n int) func(int) uint64 {
		r := rand.New(rand.NewPCG(1, 2))
		step := math.MaxUint64 / uint64(n)
		return func(i int) uint64 {
			if r.IntN(100) == 0 {
				return r.Uint64()
			}
			return uint64(i) * step
		}
	}},
}

func distNames() []string {
	var s []string
	for _, d := range dists {
		s = append(s, d.name)
	}
	return s
}

// input is the keys of a cell, as many copies of n as make a call long enough
// to time, and room to sort them in.
type input struct {
	n, size, copies int
	keys, x, v      []uint64
	draw            func() // writes the next keys of the distribution
}

func newInput(c cell) (*input, error) {
	at := slices.IndexFunc(dists, func(d struct {
		name string
		make func(n int) func(i int) uint64
	}) bool {
		return d.name == c.dist
	})
	if at < 0 {
		return nil, fmt.Errorf("unknown distribution %q", c.dist)
	}
	if !slices.Contains([]string{"u32", "u64", "f32", "f64"}, c.typ) {
		return nil, fmt.Errorf("unknown type %q", c.typ)
	}
	in := &input{n: c.n, size: 8, copies: max(1, 200_000/c.n)}
	if c.typ[1:] == "32" {
		in.size = 4
	}
	words := (c.n*in.copies*in.size + 7) / 8
	in.keys, in.x = make([]uint64, words), make([]uint64, words)
	if c.op != "keys" {
		in.v = make([]uint64, words)
		clear(in.v) // its pages are there before the first round
	}
	image := dists[at].make(c.n)
	in.draw = func() {
		for i := range in.copies {
			fill(c.typ, in.at(in.keys, i), c.n, image)
		}
	}
	in.draw()
	return in, nil
}

// at is copy i of s.
func (in *input) at(s []uint64, i int) unsafe.Pointer {
	if s == nil {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(&s[0]), i*in.n*in.size)
}

// timed is a contestant that sorts with f the copies of the input at p, values
// or indices at v.
func (in *input) timed(workers int, f func(p, v unsafe.Pointer)) contestant {
	return func() (time.Duration, error) {
		copy(in.x, in.keys)
		start := clock(workers)
		for i := range in.copies {
			f(in.at(in.x, i), in.at(in.v, i))
		}
		return clock(workers) - start, nil
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

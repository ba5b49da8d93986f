package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"
	"unsafe"
)

// bench is one invocation.
type bench struct {
	rounds, workers int
	peers           []string
	logs            []float64 // sums of logarithms of ratios, per peer
	rows            int
}

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

// row measures one cell and prints it.
func (b *bench) row(t, dist string, n int) error {
	var image func(int) uint64
	for _, d := range dists {
		if d.name == dist {
			image = d.make(n)
		}
	}
	if image == nil {
		return fmt.Errorf("unknown distribution %q", dist)
	}
	size := 8
	if t[1:] == "32" {
		size = 4
	}
	copies := max(1, 200_000/n)
	in := make([]uint64, (n*copies*size+7)/8)
	x := make([]uint64, len(in))
	for i := range copies {
		fill(t, unsafe.Add(unsafe.Pointer(&in[0]), i*n*size), n, image)
	}
	sorts := []func(p unsafe.Pointer){func(p unsafe.Pointer) { b.ours(t, p, n) }}
	for _, p := range b.peers {
		switch p {
		case "vqsort":
			sorts = append(sorts, func(p unsafe.Pointer) { vqsort[t](p, n) })
		case "slices":
			sorts = append(sorts, func(p unsafe.Pointer) { slicesSort(t, p, n) })
		default:
			return fmt.Errorf("unknown peer %q", p)
		}
	}
	times := make([][]time.Duration, len(sorts))
	runtime.GC()
	for r := range b.rounds + 1 {
		for s, sort := range sorts {
			copy(x, in)
			p := unsafe.Pointer(&x[0])
			start := b.clock()
			for i := range copies {
				sort(unsafe.Add(p, i*n*size))
			}
			if d := b.clock() - start; r > 0 { // the first round warms up
				times[s] = append(times[s], d)
			}
		}
	}
	rate := func(s int) float64 { return float64(n*copies) / median(times[s]).Seconds() / 1e6 }
	fmt.Printf("| %s | %s | %.0e | %.0f |", t, dist, float64(n), rate(0))
	if b.logs == nil {
		b.logs = make([]float64, len(b.peers))
	}
	b.rows++
	for i := range b.peers {
		ratio := rate(0) / rate(i+1)
		b.logs[i] += math.Log(ratio)
		fmt.Printf(" %.0f | %.2f |", rate(i+1), ratio)
	}
	fmt.Println()
	return nil
}

// summary prints the geometric means of the ratios.
func (b *bench) summary() {
	for i, p := range b.peers {
		fmt.Printf("\ngeometric mean of gpusort / %s: %.2f\n", p, math.Exp(b.logs[i]/float64(b.rows)))
	}
}

// Command hostpeers measures what gpusort does on a host, by the clock, for a comparison with
// baselines/strings.cc and with NumPy's partition, which run in turns with it:
//
//	hostpeers lines FILE…   sorts the lines of each file by all processors
//	hostpeers median        selects the median of 10^7 keys by one worker and by two
//	hostpeers smallest      selects the least 100 of 10^8 keys by one worker, in turns with reading them
//
// It prints medians of milliseconds, the least and the most.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cpu"
)

const rounds = 9

// times are those of some rounds, in order.
type times []float64

func (t *times) add(f func()) {
	start := time.Now()
	f()
	*t = append(*t, float64(time.Since(start).Nanoseconds())/1e6)
	slices.Sort(*t)
}

func (t times) median() float64 { return t[len(t)/2] }

func (t times) String() string {
	return fmt.Sprintf("%.1f ms (%.1f to %.1f)", t.median(), t[0], t[len(t)-1])
}

func main() {
	err := fmt.Errorf("hostpeers: say lines FILE…, median or smallest")
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "lines":
			err = lines(os.Args[2:])
		case "median":
			err = each(median[uint32], median[uint64], median[float64])
		case "smallest":
			err = each(smallest[uint32], smallest[uint64], smallest[float64])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func each(measures ...func() error) error {
	for _, measure := range measures {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

func lines(files []string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		input := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		x := make([]string, len(input))
		var t times
		for range rounds {
			copy(x, input)
			runtime.GC() // of what the last round left
			t.add(func() { cpu.SortStrings(x) })
		}
		if !slices.IsSorted(x) {
			return fmt.Errorf("hostpeers: %s is not sorted", file)
		}
		fmt.Printf("gpusort %s: %d lines, %v, %d processors\n", file, len(x), t, runtime.GOMAXPROCS(0))
	}
	return nil
}

type number interface{ uint32 | uint64 | float64 }

func random[T number](n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rand.Uint64N(1 << 62))
	}
	return x
}

func median[T number]() error {
	input := random[T](1e7)
	x := make([]T, len(input))
	for _, workers := range []int{1, 2} {
		s, err := cpu.New(cpu.WithWorkers(workers))
		if err != nil {
			return err
		}
		var t times
		for range rounds {
			copy(x, input)
			t.add(func() { _, err = cpu.SelectWith(context.Background(), s, x, len(x)/2) })
			if err != nil {
				return err
			}
		}
		fmt.Printf("median of 10^7 %T by %d: %v\n", x[0], workers, t)
	}
	return nil
}

func smallest[T number]() error {
	x := random[T](1e8)
	s, err := cpu.New(cpu.WithWorkers(1))
	if err != nil {
		return err
	}
	var ours, reading times
	var sums [4]T
	for range rounds {
		ours.add(func() { _, err = cpu.SmallestWith(context.Background(), s, x, 100) })
		if err != nil {
			return err
		}
		reading.add(func() { sums = read(x, sums) })
	}
	fmt.Printf("least 100 of 10^8 %T: %v; reading: %v, %.2f of it\n", x[0], ours, reading, reading.median()/ours.median())
	runtime.KeepAlive(sums)
	return nil
}

// read adds x up as fast as memory is read.
func read[T number](x []T, sums [4]T) [4]T {
	a, b, c, d := sums[0], sums[1], sums[2], sums[3]
	for i := 0; i+4 <= len(x); i += 4 {
		a += x[i]
		b += x[i+1]
		c += x[i+2]
		d += x[i+3]
	}
	return [4]T{a + b + c + d}
}

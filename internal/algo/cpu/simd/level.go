package simd

import (
	"os"
	"sync/atomic"
)

// Level is a set of vector instructions that kernels exist for.
type Level int32

// The levels, each faster than the one before.
const (
	Plain Level = iota // no vector instructions
	AVX2
	AVX512 // F, BW, DQ and VL, and BMI2
)

var levelNames = [...]string{"plain", "avx2", "avx512"}

func (l Level) String() string { return levelNames[l] }

var current atomic.Int32

func init() {
	l := detect()
	for i, name := range levelNames {
		if os.Getenv("GPUSORT_CPU") == name {
			l = min(l, Level(i))
		}
	}
	current.Store(int32(l))
}

// Current returns the level in use: the best that the processor has, or a
// lower one that the environment variable GPUSORT_CPU names (avx512, avx2 or
// plain).
func Current() Level { return Level(current.Load()) }

// Best returns the best level of the processor.
func Best() Level { return detect() }

// Force sets the level for tests and benchmarks, at most Best, and returns a
// function that restores the one before.
func Force(l Level) (restore func()) {
	old := current.Swap(int32(min(l, detect())))
	return func() { current.Store(old) }
}

package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// Env names the environment variable that lowers the level.
const Env = "GPUSORT_CPU"

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
		if strings.EqualFold(os.Getenv(Env), name) {
			l = min(l, Level(i))
		}
	}
	current.Store(int32(l))
}

// Current returns the level in use: the best that the processor has, or a
// lower one that the environment variable Env names (avx512, avx2 or
// plain, in any case).
func Current() Level { return Level(current.Load()) }

// CheckEnv returns an error if the environment variable Env is set and names no
// level: sorts then use the best one.
func CheckEnv() error {
	if name := os.Getenv(Env); name != "" && !slices.Contains(levelNames[:], strings.ToLower(name)) {
		return fmt.Errorf("%s=%s names no vector instructions: known are %s; unset it for the best of this processor", Env, name, strings.Join(levelNames[:], ", "))
	}
	return nil
}

// Best returns the best level of the processor.
func Best() Level { return detect() }

// Force sets the level for tests and benchmarks, at most Best, and returns a
// function that restores the one before.
func Force(l Level) (restore func()) {
	old := current.Swap(int32(min(l, detect())))
	return func() { current.Store(old) }
}

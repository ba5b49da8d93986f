// Package soak is how long sweeps of tests are bounded: without -short each draws a share
// of its cases anew, so that over many runs every case comes. What is at a boundary is no
// matter of luck: tests take it always.
package soak

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const (
	// EveryEnv is the environment variable that, as 1, has every case of every sweep run.
	EveryEnv = "GPUSORT_EVERY"
	// SeedEnv is the environment variable that repeats what was drawn.
	SeedEnv = "GPUSORT_SEED"
)

// Every reports whether each case is run, however long that takes: EveryEnv is set, and -short is not.
func Every() bool { return !testing.Short() && os.Getenv(EveryEnv) == "1" }

// Rand is a source of cases for t, and logs the seed that repeats them: also if other
// tests, or none, run beside t.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed, set := rand.Uint64(), os.Getenv(SeedEnv)
	if set != "" {
		s, err := strconv.ParseUint(set, 0, 64)
		if err != nil {
			t.Fatalf("%s: %v; give a number", SeedEnv, err)
		}
		seed = s
	}
	t.Logf("%s=%d", SeedEnv, seed)
	name := fnv.New64a()
	name.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}

// OneIn returns a function that tells of the cases of a sweep, in turn, which are run: of
// every n in a row one, drawn. With Every all are, and with -short, too: there a test
// leaves out its share by itself. It is for one goroutine.
func OneIn(t testing.TB, n int) func() bool {
	t.Helper()
	return Share(t, 1, n)
}

// Share is OneIn for one in n also with -short: one in short of them. It is for sweeps whose
// every case is alike; a test with cases that must not be missed takes those by itself.
func Share(t testing.TB, short, n int) func() bool {
	t.Helper()
	if testing.Short() {
		n = short
	}
	if n < 2 || Every() {
		return func() bool { return true }
	}
	r, at, taken := Rand(t), 0, 0
	return func() bool {
		if at == 0 {
			taken = r.IntN(n)
		}
		take := at == taken
		at = (at + 1) % n
		return take
	}
}

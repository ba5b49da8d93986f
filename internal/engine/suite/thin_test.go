package suite

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// studyEvery thins the inputs of the sorts that nobody gets without naming
// them; each takes other ones.
const studyEvery = 8

// wanted reports whether GPUSORT_SUITE_ALGO, names with commas between them,
// asks for an algorithm; without it all are wanted. A tool that is slow to
// prepare kernels gets one module a process so.
func wanted(algorithm string) bool {
	list := os.Getenv("GPUSORT_SUITE_ALGO")
	return list == "" || slices.Contains(strings.Split(list, ","), algorithm)
}

// thinned keeps every k-th input (GPUSORT_SUITE_EVERY) of at most so many items
// (GPUSORT_SUITE_ITEMS); all of them by default. Where the time is bounded they
// come in random order, so that what is left out is of all kinds.
func thinned(list []shared) (out []shared) {
	number := func(name string, missing uint64) uint64 {
		if v, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil && v > 0 {
			return v
		}
		return missing
	}
	most, every := number("GPUSORT_SUITE_ITEMS", math.MaxUint64), int(number("GPUSORT_SUITE_EVERY", 1))
	for i, s := range list {
		if s.input.p.Items <= most && i%every == 0 {
			out = append(out, s)
		}
	}
	if os.Getenv("GPUSORT_SUITE_TIME") != "" {
		r := rand.New(rand.NewPCG(seed, 2))
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// stop returns a function that reports whether GPUSORT_SUITE_TIME, a duration
// from now on, is over. The cases left then are skipped and counted.
func stop(t *testing.T) func() bool {
	text := os.Getenv("GPUSORT_SUITE_TIME")
	if text == "" {
		return func() bool { return false }
	}
	most, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("GPUSORT_SUITE_TIME: %v", err)
	}
	end := time.Now().Add(most)
	return func() bool { return time.Now().After(end) }
}

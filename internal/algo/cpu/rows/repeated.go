package rows

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
)

const (
	// A sample of one in drawnStep strings, but drawnMost, shows how many are distinct; from
	// repeatedMin on that pays.
	repeatedMin, drawnStep, drawnMost = 1 << 14, 64, 1 << 10
	// repeatedAlike is the least number of strings for each distinct one, and repeatedMost the most
	// distinct ones, with which they are counted.
	repeatedAlike, repeatedMost = 24, 1 << 17
	// repeatedBytes is the longest string that is counted: all of it is read twice.
	repeatedBytes = 64
	// filledMost is the most strings for each worker where the context may end. While they are written,
	// some 2 ns each, nobody looks at it: strings would be lost.
	filledMost = 1 << 23
)

// sortRepeated sorts s where strings are many times as many as the distinct ones and short: it counts
// each, sorts the distinct ones, and writes each as often as it occurred. So of equal strings all
// share the memory of one. It returns false, s being as it was, where they are not so.
func sortRepeated(h cpu.Options, s []string, desc bool) (bool, error) {
	if len(s) < repeatedMin || h.Ctx != nil && h.Ctx.Done() != nil && len(s)/h.Team().Size() > filledMost {
		return false, nil
	}
	distinct := distinctOf(s)
	if distinct > min(repeatedMost, len(s)/repeatedAlike) {
		return false, nil
	}
	all, counts, err := countStrings(h, s, distinct)
	if err != nil || len(all) == 0 {
		return false, err
	}
	idx, put := cpu.Buffer[uint32](len(all))
	defer put()
	if err := bytekeys.Argsort(h.Ctx, idx, texts(all), bytekeys.Options{Workers: h.Workers, Desc: desc}); err != nil {
		return false, err
	}
	end := 0
	sorted, ends := make([]string, len(all)), make([]int, len(all))
	for i, at := range idx {
		end += counts[at]
		sorted[i], ends[i] = all[at], end
	}
	return true, each(h, len(s), step[string](), false, func(lo, hi int) {
		for i := sort.SearchInts(ends, lo+1); lo < hi; i++ {
			for w, to := sorted[i], min(hi, ends[i]); lo < to; lo++ {
				s[lo] = w
			}
		}
	})
}

// distinctOf estimates how many distinct strings s has by a sample.
func distinctOf(s []string) int {
	sample := make([]string, min(len(s)/drawnStep, drawnMost))
	step := len(s) / len(sample)
	for i := range sample {
		sample[i] = s[i*step+rand.IntN(step)]
		if len(sample[i]) > repeatedBytes {
			return len(s)
		}
	}
	slices.Sort(sample)
	return cpu.Distinct(sample, len(s))
}

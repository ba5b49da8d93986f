package verify

import (
	"runtime"
	"sync"

	"github.com/gpusort/gpusort/internal/key"
)

// serialItems is the length below which starting goroutines costs more than it
// saves.
const serialItems = 1 << 15

// FirstDisorder returns the least i with x[i] before x[i−1] in c's order, or
// −1 if x is sorted. It uses all processors.
func FirstDisorder[U key.Word](x []U, c key.Codec) int {
	parts := split(len(x))
	found := make([]int, len(parts))
	var wg sync.WaitGroup
	for p, r := range parts {
		check := func() { found[p] = firstDisorder(x, max(r[0], 1), r[1], c) }
		if len(parts) == 1 {
			check()
			continue
		}
		wg.Go(check)
	}
	wg.Wait()
	for _, i := range found {
		if i >= 0 {
			return i
		}
	}
	return -1
}

// firstDisorder looks at positions lo … hi−1, each against the one before.
func firstDisorder[U key.Word](x []U, lo, hi int, c key.Codec) int {
	if lo >= hi {
		return -1
	}
	prev := key.Encode(c, x[lo-1])
	for i := lo; i < hi; i++ {
		e := key.Encode(c, x[i])
		if e < prev {
			return i
		}
		prev = e
	}
	return -1
}

// split cuts [0, n) into one part per processor, at least one part.
func split(n int) [][2]int {
	k := runtime.GOMAXPROCS(0)
	if n < serialItems {
		k = 1
	}
	parts := make([][2]int, k)
	for p := range parts {
		parts[p] = [2]int{p * (n / k), (p + 1) * (n / k)}
	}
	parts[k-1][1] = n
	return parts
}

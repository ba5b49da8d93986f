package workers

import (
	"sync/atomic"
	"testing"
)

// TestEach: every number once, by no more goroutines than asked for.
func TestEach(t *testing.T) {
	for _, w := range []int{0, 1, 3, 100} {
		for _, n := range []int{0, 1, 2, 1000} {
			seen := make([]atomic.Int32, n)
			var now, most atomic.Int32
			Each(w, n, func(i int) {
				if k := now.Add(1); k > most.Load() {
					most.Store(k)
				}
				seen[i].Add(1)
				now.Add(-1)
			})
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Errorf("%d of %d by %d: called %d times", i, n, w, seen[i].Load())
				}
			}
			if int(most.Load()) > max(w, 1) {
				t.Errorf("%d at once, %d were asked for", most.Load(), w)
			}
		}
	}
}

// Package workers splits host work among goroutines.
package workers

import (
	"sync"
	"sync/atomic"
)

// Counter hands out 0, 1, 2, … to several goroutines.
type Counter struct{ n atomic.Int64 }

// Take returns the next number.
func (c *Counter) Take() int { return int(c.n.Add(1) - 1) }

// Each calls f(i) for i in [0, n) on up to w goroutines and waits.
func Each(w, n int, f func(i int)) {
	if w > n {
		w = n
	}
	if w <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var wg sync.WaitGroup
	var next Counter
	for range w {
		wg.Go(func() {
			for i := next.Take(); i < n; i = next.Take() {
				f(i)
			}
		})
	}
	wg.Wait()
}

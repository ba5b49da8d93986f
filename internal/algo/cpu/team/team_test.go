package team

import (
	"context"
	"sync/atomic"
	"testing"
)

func TestEachAndChunk(t *testing.T) {
	for _, workers := range []int{0, 1, 3} {
		o := Options{Workers: workers}
		for _, n := range []int{0, 1, 2, 100} {
			var sum atomic.Int64
			o.Each(n, func(i int) { sum.Add(int64(i) + 1) })
			if got := sum.Load(); got != int64(n)*int64(n+1)/2 {
				t.Errorf("%d workers, %d items: %d", workers, n, got)
			}
		}
	}
	for _, parts := range []int{1, 3, 7} {
		at := 0
		for i := range parts {
			lo, hi := Chunk(23, parts, i)
			if lo != at || hi < lo || hi-lo > 23/parts+1 {
				t.Errorf("part %d of %d: %d … %d", i, parts, lo, hi)
			}
			at = hi
		}
		if at != 23 {
			t.Errorf("%d parts end at %d", parts, at)
		}
	}
	if p := (Options{Workers: 8}).Parts(100, 30); p != 3 {
		t.Errorf("%d parts", p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if (Options{Ctx: ctx}).Err() == nil || (Options{}).Err() != nil {
		t.Error("Err is not the context's")
	}
}

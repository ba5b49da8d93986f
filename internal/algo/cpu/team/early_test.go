package team

import (
	"runtime"
	"sync"
	"testing"
)

// TestEarly ends workers in either way: the caller is ended likewise, by the first one.
func TestEarly(t *testing.T) {
	for _, end := range []func(){nil, func() { panic("first") }, runtime.Goexit} {
		var e Early
		stops, value, returned := 0, any(nil), false
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() { value = recover() }()
			for _, work := range []func(){end, func() { panic("second") }} {
				if end == nil {
					work = func() {}
				}
				var worker sync.WaitGroup
				worker.Go(func() { e.Do(work, func() { stops++ }) })
				worker.Wait()
			}
			if e.Ended() != (end != nil) {
				t.Error("whether a worker has ended early is wrong")
			}
			e.Repeat()
			returned = true
		})
		wg.Wait()
		if end == nil && (stops != 0 || !returned) || end != nil && (stops != 2 || returned) || value != nil && value != "first" {
			t.Errorf("%d stops, panic %v, returned %v", stops, value, returned)
		}
	}
}

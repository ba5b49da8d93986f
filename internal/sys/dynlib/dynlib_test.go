//go:build !nogpu && !android && (linux || darwin || freebsd) && (amd64 || arm64)

package dynlib

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestWhyNotLoaded: the reason belongs to the thread that failed, and is lost if
// the goroutine asks for it on another.
func TestWhyNotLoaded(t *testing.T) {
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 2000 {
				if _, err := Local("libabsent.so"); err == nil || !strings.Contains(err.Error(), "libabsent.so") {
					t.Errorf("error %v", err)
					return
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
}

//go:build !linux

package simd

import "testing"

// guardedPages returns plain memory: guard pages are tried on Linux.
func guardedPages(_ *testing.T, n int) []byte { return make([]byte, n) }

package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Lengths of the loops that look for disorder, in bytes.
const (
	streamTestBytes = 8*4096 + 512
	blockTestBytes  = 8 * streamTestBytes
)

// TestFirstDisorder makes one key of a sequence in order too small, at the
// places where the loops begin and end: among the first and the last 300, and
// around the ends of streams and blocks. Keys are over the whole range, so the
// first and the last are NaN for floats; or few and special; or all the same.
func TestFirstDisorder(t *testing.T) {
	t.Run("u32", testFirstDisorder[uint32])
	t.Run("u64", testFirstDisorder[uint64])
}

func testFirstDisorder[U wide](t *testing.T) {
	block := blockTestBytes / int(unsafe.Sizeof(U(0)))
	lengths := []int{300, 301, 511, 4096, block - 1, block, block + 1, block + 2, block + 65, 2 * block, 2*block + 1, 2*block + 301}
	for i, c := range codecs[U]() {
		for k, n := range lengths {
			for _, kind := range []string{"distinct", "special", "constant"} {
				// Every place for some codecs and lengths, some for the others.
				step := 11
				switch {
				case testing.Short():
					step = 37
				case (i+k)%4 == 0:
					step = 1
				}
				t.Run(fmt.Sprintf("%s/codec=%d/n=%d", kind, c, n), func(t *testing.T) {
					checkDisorder(t, orderedKeys[U](kind, c, n), c, step)
				})
			}
		}
	}
}

// orderedKeys are n keys in the order of c.
func orderedKeys[U wide](kind string, c key.Codec, n int) []U {
	x := make([]U, n)
	size := unsafe.Sizeof(x[0])
	if kind == "distinct" {
		step := ^U(0) / U(n+1)
		for i := range x {
			x[i] = key.Decode(c, U(i+1)*step)
		}
		return x
	}
	special := []U{7}
	if kind == "special" {
		for _, f := range []float64{math.Copysign(0, -1), 0, math.Inf(-1), math.Inf(1), math.NaN(), -math.NaN(), 1, -1} {
			if size == 4 {
				special = append(special, U(math.Float32bits(float32(f))))
			} else {
				special = append(special, U(math.Float64bits(f)))
			}
		}
	}
	slices.SortFunc(special, func(a, b U) int {
		if key.Encode(c, a) < key.Encode(c, b) {
			return -1
		}
		return 1
	})
	for i := range x {
		x[i] = special[i*len(special)/n]
	}
	return x
}

func checkDisorder[U wide](t *testing.T, x []U, c key.Codec, step int) {
	n := len(x)
	if at := FirstDisorder(x, c); at >= 0 {
		t.Fatalf("in order, but found %d", at)
	}
	try := func(at int) {
		if at < 1 || at >= n || key.Encode(c, x[at-1]) == 0 {
			return // there is no key before that one
		}
		u := x[at]
		x[at] = key.Decode(c, key.Encode(c, x[at-1])-1)
		if got := FirstDisorder(x, c); got != at {
			t.Fatalf("key %d is too small, but found %d", at, got)
		}
		x[at] = u
	}
	for i := 0; i < 300; i += step {
		try(i)
		try(n - 1 - i)
	}
	stream := streamTestBytes / int(unsafe.Sizeof(x[0]))
	for s := stream; s < n; s += stream {
		for i := -20; i <= 20; i += step {
			try(s + i)
		}
	}
}

//go:build !noasm && !purego

package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestOrdered looks for the first disorder, at every level with the loops of either
// maker, right before a page that must not be touched.
func TestOrdered(t *testing.T) {
	eachKernel(t, testOrdered[uint32], testOrdered[uint64])
}

func testOrdered[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	size := int(unsafe.Sizeof(U(0)))
	mem := guardedPages(t, 3*streamsBlock)
	lengths := []int{streamsBlock / size, streamsBlock/size + 1, 2*streamsBlock/size + 77}
	for n := range 700 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		x := unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(mem[len(mem)-n*size:]))), n)
		words(r, x)
		slices.Sort(x)
		mask := U(0)
		first := n // the first word below the one before it
		if n > 1 && r.IntN(3) > 0 {
			if at := 1 + r.IntN(n-1); x[at-1] > 0 {
				x[at], first = x[at-1]-1, at
			}
		}
		if r.IntN(2) == 0 { // falling words, by their complements
			mask = ^U(0)
			for i := range x {
				x[i] = ^x[i]
			}
		}
		got := Ordered(x, Codec[U]{Mask: mask})
		if got >= max(first, 1) || got < 0 {
			t.Fatalf("%d words, the first disorder at %d: %d", n, first, got)
		}
		if least := first - 1 - 5*64/size; first == n && n >= 2*Slack && Current() == AVX512 && got < least {
			t.Fatalf("%d words in order: %d, more than five vectors short", n, got)
		}
	}
}

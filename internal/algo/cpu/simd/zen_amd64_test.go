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
	eachKernel(t, func(t *testing.T) {
		testOrdered(t, &FloatMap[uint32]{1<<23 - 1, 2*(1<<23-1) - 1, 1 << 31, 2 * (1<<23 - 1), 0})
	}, func(t *testing.T) {
		testOrdered(t, &FloatMap[uint64]{1<<52 - 1, 2*(1<<52-1) - 1, 1 << 63, 0, ^uint64(0)})
	})
}

func testOrdered[U Word](t *testing.T, f *FloatMap[U]) {
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
		first := n // the first word below the one before it
		if n > 1 && r.IntN(3) > 0 {
			if at := 1 + r.IntN(n-1); x[at-1] > 0 {
				x[at], first = x[at-1]-1, at
			}
		}
		c := []Codec[U]{{}, {Mask: ^U(0)}, {Float: f}}[r.IntN(3)]
		if c != (Codec[U]{}) {
			c.Decode(x)
		}
		got := Ordered(x, c)
		if got >= max(first, 1) || got < 0 {
			t.Fatalf("%d words, the first disorder at %d: %d", n, first, got)
		}
		if least := first - 1 - 5*64/size; first == n && n >= 2*Slack && Current() == AVX512 && got < least {
			t.Fatalf("%d words in order: %d, more than five vectors short", n, got)
		}
	}
}

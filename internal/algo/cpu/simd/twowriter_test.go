//go:build amd64 && !noasm && !purego

package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestTwoWriter tries the pass for two values on every short length, on some
// blocks, beside guard pages.
func TestTwoWriter(t *testing.T) {
	eachKernel(t, testTwoWriter[uint32], testTwoWriter[uint64])
}

func testTwoWriter[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	size := int(unsafe.Sizeof(U(0)))
	mem := guardedPages(t, 3*streamsBlock)
	all := unsafe.Slice((*U)(unsafe.Pointer(&mem[0])), len(mem)/size)
	block := streamsBlock / size
	var lengths []int
	for n := range maxTestItems + 1 {
		lengths = append(lengths, n)
	}
	for i := 1; i <= 3; i++ {
		lengths = append(lengths, i*block-1, i*block, min(i*block+1, len(all)), r.IntN(len(all)))
	}
	for i, n := range lengths {
		at := len(all) - n
		if i%2 == 0 {
			at = min(i%16, at)
		}
		x, zones := all[at:at+n], [][]U{all[max(0, at-512):at], all[at+n : min(at+n+512, len(all))]}
		before, after := slices.Clone(zones[0]), slices.Clone(zones[1])
		tryTwo(t, r, x, -1, nil)
		if n > 0 {
			tryTwo(t, r, x, r.IntN(n), nil)
		}
		if !slices.Equal(zones[0], before) || !slices.Equal(zones[1], after) {
			t.Fatalf("%d words: others were written to", n)
		}
	}
}

// TestStranger puts a third value at the first and the last word of steps,
// streams and blocks, and at words of every lane, among two values.
func TestStranger(t *testing.T) {
	eachKernel(t, testStranger[uint32], testStranger[uint64])
}

func testStranger[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	size := int(unsafe.Sizeof(U(0)))
	block := streamsBlock / size
	x := make([]U, 2*block+100)
	stream, step := block/blockStreams, twoVectors*kernelsOf[U]().lanes
	var places []int
	for base := 0; base <= 2*block; base += block {
		for s := range blockStreams {
			first := base + s*stream
			for _, at := range []int{first, first + step - 1, first + step, first + stream - step, first + stream - 1, first + r.IntN(stream)} {
				places = append(places, min(at, len(x)-1))
			}
		}
	}
	for lane := range step {
		places = append(places, 5*step+lane)
	}
	for _, at := range places {
		tryTwo(t, r, x, at, nil)
	}
}

// TestTwoStops cancels the pass before its first block and before later ones.
func TestTwoStops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(25, 26))
		for blocks := range 7 {
			looks := 0
			stop := func() bool {
				looks++
				return looks > blocks
			}
			tryTwo(t, r, make([]uint32, 2*streamsBlock), -1, stop)
			looks = 0
			tryTwo(t, r, make([]uint64, streamsBlock), -1, stop)
		}
	})
}

// tryTwo fills x by two values, some by one, and at a place that is not negative
// by a third, which a bit tells from one of them, and runs the pass over it.
func tryTwo[U Word](t *testing.T, r *rand.Rand, x []U, stranger int, stop func() bool) {
	t.Helper()
	n, size := len(x), int(unsafe.Sizeof(U(0)))
	in := [2]U{U(r.Uint64()), U(r.Uint64())}
	share, lower := r.IntN(5), 0
	for i := range x {
		x[i] = in[1]
		if r.IntN(4) < share {
			x[i] = in[0]
			lower++
		}
	}
	w := twoWriter[U]{k: kernelsOf[U](), in: in, out: in, stop: stop}
	if r.IntN(2) == 0 {
		w.out = [2]U{U(r.Uint64()), U(r.Uint64())}
	}
	name := fmt.Sprintf("%d words, %d of them lower, third value at %d, decoded %v", n, lower, stranger, w.out != in)
	if stranger >= 0 {
		x[stranger] = in[r.IntN(2)] ^ 1<<r.IntN(8*size)
	}
	before := slices.Clone(x)
	got, ok := w.sort(x)
	if stranger >= 0 || stop != nil {
		if ok {
			t.Fatalf("%s: the pass went to the end", name)
		}
		if !sameWords(before, x, in) {
			t.Fatalf("%s: words were lost", name)
		}
		return
	}
	if !ok || got != lower {
		t.Fatalf("%s: counted %d, to the end: %v", name, got, ok)
	}
	for i, u := range x {
		if want := w.out[min(1, i/max(1, lower))]; lower > 0 && u != want || lower == 0 && u != w.out[1] {
			t.Fatalf("%s: word %d is %x", name, i, u)
		}
	}
}

// sameWords reports whether a and b have the same words, mostly the two values.
func sameWords[U Word](a, b []U, values [2]U) bool {
	var counts [2][2]int
	var others [2][]U
	for i, x := range [][]U{a, b} {
		for _, u := range x {
			if at := slices.Index(values[:], u); at >= 0 {
				counts[i][at]++
			} else {
				others[i] = append(others[i], u)
			}
		}
	}
	return counts[0] == counts[1] && slices.Equal(others[0], others[1])
}

// TestTwoBalance looks before each block at how far what has been written is from
// what has been read: a block at most, wherever the lower words lie.
func TestTwoBalance(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(27, 28))
		const block = streamsBlock / 8
		x := make([]uint64, 20*block+77)
		for name, lower := range map[string]func(i int) bool{
			"none":      func(int) bool { return false },
			"all":       func(int) bool { return true },
			"first":     func(i int) bool { return i < len(x)/3 },
			"last":      func(i int) bool { return i > len(x)/3 },
			"any":       func(int) bool { return r.IntN(3) == 0 },
			"in blocks": func(i int) bool { return i/block%3 == 1 },
		} {
			want := 0
			for i := range x {
				x[i] = 9
				if lower(i) {
					x[i] = 5
					want++
				}
			}
			w := twoWriter[uint64]{k: kernelsOf[uint64](), in: [2]uint64{5, 9}, out: [2]uint64{5, 9}}
			w.stop = func() bool {
				if off := w.lower - w.front; off > block || off < -block {
					t.Fatalf("%s: %d lower words read, %d written", name, w.lower, w.front)
				}
				return false
			}
			if got, ok := w.sort(x); !ok || got != want || !slices.IsSorted(x) {
				t.Fatalf("%s: wrong", name)
			}
		}
	})
}

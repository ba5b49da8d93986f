//go:build !noasm && !purego

package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// wideElem is an element whose word is its first eight bytes.
type wideElem struct{ k, v uint64 }

// TestSpread tries the loops over elements by digits at lengths up to 1,100, with
// what they read and write right before and right behind a page that must not be
// touched, against plain loops.
func TestSpread(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		t.Run("4", func(t *testing.T) { testSpread(t, func(u, _ uint64) uint32 { return uint32(u) }) })
		t.Run("8", func(t *testing.T) { testSpread(t, func(u, _ uint64) uint64 { return u }) })
		t.Run("16", func(t *testing.T) { testSpread(t, func(u, i uint64) wideElem { return wideElem{u, i} }) })
	})
}

// guarded returns two rooms for n elements each: at the front and at the end of
// pages between forbidden ones.
func guarded[E any](mem []byte, n int) [2][]E {
	size := int(unsafe.Sizeof(*new(E)))
	return [2][]E{
		unsafe.Slice((*E)(unsafe.Pointer(&mem[0])), n),
		unsafe.Slice((*E)(unsafe.Pointer(&mem[len(mem)-n*size])), n),
	}
}

func testSpread[E comparable](t *testing.T, make1 func(u, i uint64) E) {
	size := unsafe.Sizeof(*new(E))
	r := rand.New(rand.NewPCG(5, 6))
	word := func(e E) uint64 {
		if size == 4 {
			return uint64(*(*uint32)(unsafe.Pointer(&e)))
		}
		return *(*uint64)(unsafe.Pointer(&e))
	}
	from, to := guardedPages(t, 5*4096), guardedPages(t, 5*4096)
	for n := 1; n <= 1100; n += 1 + n/150 {
		for side := range 2 {
			src, dst := guarded[E](from, n)[side], guarded[E](to, n)[side]
			for i := range src {
				src[i] = make1(r.Uint64()>>r.IntN(64), uint64(i))
			}
			width := 1 + r.UintN(10)
			shift, mask := r.UintN(uint(min(size, 8))*8-width), uint32(1)<<width-1
			digit := func(e E) int { return int(uint32(word(e)>>shift) & mask) }
			var tally, want Tally
			ref := r.Uint64()
			if size == 4 {
				ref = uint64(uint32(ref))
			}
			varying := uint64(0)
			for _, e := range src {
				varying |= word(e) ^ ref
				want[0][digit(e)]++
			}
			got := Count(src, shift, mask, &tally, ref)
			for d := range tally[0] {
				tally[0][d] += tally[1][d]
			}
			if got != varying || tally[0] != want[0] {
				t.Fatalf("%d elements, digits of %d bits from %d: wrong counts, or varying bits %x, not %x", n, width, shift, got, varying)
			}
			if size == 4 {
				continue
			}
			next, sum := tally[0], uint32(0)
			for d, m := range next {
				next[d], sum = sum, sum+m
			}
			Move(src, shift, mask, &next, dst)
			stable := slices.Clone(src)
			slices.SortStableFunc(stable, func(a, b E) int { return digit(a) - digit(b) })
			if !slices.Equal(dst, stable) {
				t.Fatalf("%d elements, digits of %d bits from %d: moved wrong", n, width, shift)
			}
			tags := guarded[uint32](to, n)[side]
			place := 1 + r.UintN(20)
			shift = r.UintN(60)
			Tags(tags, src, shift, place)
			for i, e := range src {
				if want := uint32(word(e)>>shift)<<place | uint32(i); tags[i] != want {
					t.Fatalf("%d elements, shifts of %d and %d: tag %d is %x, not %x", n, shift, place, i, tags[i], want)
				}
			}
			pick := make([]uint32, n)
			for i := range pick {
				pick[i] = r.Uint32()<<11 | r.Uint32N(uint32(n))
			}
			Fetch(dst, src, pick, 1<<11-1)
			for i, p := range pick {
				if dst[i] != src[p&(1<<11-1)] {
					t.Fatalf("%d elements: fetched a wrong one at %d", n, i)
				}
			}
		}
	}
}

// TestZip tries what takes words of two halves together and apart, at every
// alignment, between forbidden pages.
func TestZip(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		var mem [3][]byte
		for i := range mem {
			mem[i] = guardedPages(t, 3*4096)
		}
		for n := 1; n <= 1000; n += 1 + n/100 {
			for side := range 2 {
				off := r.IntN(17)
				w := guarded[uint64](mem[0], n)[side]
				k, v := guarded[uint32](mem[1], n)[side], guarded[uint32](mem[2], n+off)[side]
				v = v[off*(1-side):][:n]
				for i := range k {
					k[i], v[i] = r.Uint32(), r.Uint32()
				}
				wantK, wantV := slices.Clone(k), slices.Clone(v)
				at := r.IntN(1 << 31)
				ZipAt(w, k, at)
				for i, u := range w {
					if u != uint64(k[i])<<32|uint64(at+i) {
						t.Fatalf("%d words: the position of %d is wrong", n, i)
					}
				}
				Zip(w, k, v)
				for i, u := range w {
					if u != uint64(k[i])<<32|uint64(v[i]) {
						t.Fatalf("%d words: word %d is wrong", n, i)
					}
				}
				for _, f := range []func(k, v []uint32, w []uint64){Unzip, UnzipStream} {
					clear(k)
					clear(v)
					f(k, v, w)
					StreamDone()
					if !slices.Equal(k, wantK) || !slices.Equal(v, wantV) {
						t.Fatalf("%d words, %d before the second slice: halves are wrong", n, off)
					}
				}
				least := ^uint32(0)
				for i := range k[1:] {
					least = min(least, k[i]^k[i+1])
				}
				if got := Nearest(k); got != least {
					t.Fatalf("%d words: the nearest neighbours differ by %x, not %x", n, got, least)
				}
			}
		}
	})
}

// TestStreamWord takes pairs of 64-bit words apart at every alignment, between
// forbidden pages.
func TestStreamWord(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		from, to := guardedPages(t, 3*4096), guardedPages(t, 2*4096)
		for n := 1; n <= 500; n += 1 + n/100 {
			for side := range 2 {
				off := r.IntN(9)
				w, x := guarded[[2]uint64](from, n)[side], guarded[uint64](to, n+off)[side]
				x = x[off*(1-side):][:n]
				for i := range w {
					w[i] = [2]uint64{r.Uint64(), r.Uint64()}
				}
				for word := range 2 {
					StreamWord(x, w, word)
					StreamDone()
					for i := range x {
						if x[i] != w[i][word] {
							t.Fatalf("%d pairs, %d before the words: word %d of pair %d is wrong", n, off, word, i)
						}
					}
				}
			}
		}
	})
}

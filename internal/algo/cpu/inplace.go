package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// flag is a sort with no more scratch than counters: American flag sort (McIlroy,
// Bostic, McIlroy 1993), 8 bits a level. The first level is split by one worker,
// the buckets go to all.
//
// Buckets of up to encodeBytes are encoded, sorted and decoded. Longer ones, which
// it would take too long to decode when a sort is cancelled, are split by encoded keys
// that are made of each key anew.
type flag[U wide] struct {
	*run
	c   key.Codec
	raw keyEncoder[U]
}

// keyEncoder makes encoded keys one by one; the zero value takes words for their encoded keys.
type keyEncoder[U wide] struct {
	mask  U
	float bool
	f     floatMap[U]
}

func (m *keyEncoder[U]) of(u U) U {
	if m.float {
		return m.f.encode(u)
	}
	return u ^ m.mask
}

// keysInPlace sorts x by a flag sort.
func keysInPlace[U wide](r *run, x []U, c key.Codec) error {
	f := flag[U]{run: r, c: c}
	if f.raw.float = isFloat(c); f.raw.float {
		f.raw.f = newFloatMap[U](c)
	} else {
		f.raw.mask = intMask[U](c)
	}
	top := wordBits[U]()
	if len(x) < forkItems {
		f.bucket(x, top)
	} else if start, shift, ok := f.split(x, top, &f.raw); ok {
		r.each(radix, func(_, d int) { f.bucket(x[start[d]:start[d+1]], shift) })
	}
	return r.end()
}

// bucket sorts x, whose encoded keys agree from bit top on.
func (f *flag[U]) bucket(x []U, top uint) {
	if len(x) < 2 || f.cancelled() {
		return
	}
	if len(x) <= encodeBytes/int(unsafe.Sizeof(x[0])) {
		encodeTo(x, x, f.c)
		f.encoded(x, top)
		decodeTo(x, x, f.c)
		return
	}
	if start, shift, ok := f.split(x, top, &f.raw); ok {
		for d := range radix {
			f.bucket(x[start[d]:start[d+1]], shift)
		}
	}
}

// encoded sorts x, encoded keys that agree from bit top on.
func (f *flag[U]) encoded(x []U, top uint) {
	if len(x) <= insertionMax {
		insertion(x, 0)
		return
	}
	if start, shift, ok := f.split(x, top, &keyEncoder[U]{}); ok {
		for d := range radix {
			if start[d+1]-start[d] > 1 {
				f.encoded(x[start[d]:start[d+1]], shift)
			}
		}
	}
}

// split permutes x by the digit that holds the highest varying bit of its encoded keys.
// ok is false if nothing is left to sort: no bit varies, or the sort was cancelled.
func (f *flag[U]) split(x []U, top uint, m *keyEncoder[U]) (start [radix + 1]int, shift uint, ok bool) {
	if top == 0 || len(x) < 2 {
		return start, 0, false
	}
	size := int(unsafe.Sizeof(x[0]))
	varying, ref := U(0), m.of(x[0])
	f.inSteps(len(x), size, func(lo, hi int) {
		v := U(0)
		for _, u := range x[lo:hi] {
			v |= m.of(u) ^ ref
		}
		varying |= v
	})
	if varying == 0 || f.cancelled() {
		return start, 0, false
	}
	if n := uint(bits.Len64(uint64(varying))); n > 8 {
		shift = n - 8
	}
	f.inSteps(len(x), size, func(lo, hi int) {
		for _, u := range x[lo:hi] {
			start[int(uint8(m.of(u)>>shift))+1]++
		}
	})
	for d := range radix {
		start[d+1] += start[d]
	}
	return start, shift, f.permute(x, &start, shift, m) && shift > 0
}

// flagSteps is how many keys are moved between two looks at the context: each goes
// to a place of its own, some ten nanoseconds.
const flagSteps = 1 << 16

// permute moves each key of x to the part [start[d], start[d+1]) of its digit d. If
// the sort is cancelled it returns false, with x in some order.
func (f *flag[U]) permute(x []U, start *[radix + 1]int, shift uint, m *keyEncoder[U]) bool {
	var next [radix]int
	copy(next[:], start[:radix])
	left := 0
	for d := range radix {
		for next[d] < start[d+1] {
			// Follow one cycle: u is in the hand, its place is taken by the last.
			hole := next[d]
			for u := x[hole]; ; left-- {
				if left == 0 {
					if f.cancelled() {
						x[hole] = u // what was there has gone to another place
						return false
					}
					left = flagSteps
				}
				e := uint8(m.of(u) >> shift)
				at := next[e]
				next[e] = at + 1
				if int(e) == d {
					x[at] = u
					break
				}
				u, x[at] = x[at], u
			}
		}
	}
	return true
}

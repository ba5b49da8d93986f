package cpu

import (
	"math/bits"

	"github.com/gpusort/gpusort/internal/key"
)

// keysInPlace sorts with no more scratch than counters: American flag sort
// (McIlroy, Bostic, McIlroy 1993), 8 bits a level. The first level is split by
// one worker, the buckets go to all.
func keysInPlace[U wide](x []U, c key.Codec, o Options) error {
	r := newRun(o)
	defer r.end()
	parts := max(1, min(r.workers, len(x)/(8*blockItems)))
	r.each(parts, func(_, p int) {
		lo, hi := chunk(len(x), parts, p)
		encodeTo(x[lo:hi], x[lo:hi], c)
	})
	if start, shift, ok := flagLevel(r, x, wordBits[U]()); ok {
		r.each(radix, func(_, d int) { flagSort(r, x[start[d]:start[d+1]], shift) })
	}
	r.each(parts, func(_, p int) {
		lo, hi := chunk(len(x), parts, p)
		decodeTo(x[lo:hi], x[lo:hi], c)
	})
	return r.end()
}

// flagSort sorts x, whose keys agree from bit top on.
func flagSort[U wide](r *run, x []U, top uint) {
	if len(x) <= insertionMax {
		insertion(x, 0)
		return
	}
	if start, shift, ok := flagLevel(r, x, top); ok {
		for d := range radix {
			if start[d+1]-start[d] > 1 {
				flagSort(r, x[start[d]:start[d+1]], shift)
			}
		}
	}
}

// flagLevel permutes x by the digit that holds its highest varying bit. ok is
// false if nothing is left to sort: no bit varies, or the sort was cancelled.
func flagLevel[U wide](r *run, x []U, top uint) (start [radix + 1]int, shift uint, ok bool) {
	if top == 0 || len(x) < 2 || r.cancelled() {
		return start, 0, false
	}
	varying := U(0)
	for _, u := range x {
		varying |= u ^ x[0]
	}
	if varying == 0 {
		return start, 0, false
	}
	if n := uint(bits.Len64(uint64(varying))); n > 8 {
		shift = n - 8
	}
	for _, u := range x {
		start[int(uint8(u>>shift))+1]++
	}
	for d := range radix {
		start[d+1] += start[d]
	}
	var next [radix]int
	copy(next[:], start[:radix])
	for d := range radix {
		for next[d] < start[d+1] {
			// Follow one cycle: u is in the hand, its place is taken.
			if next[d]&0xffff == 0 && r.cancelled() {
				return start, 0, false
			}
			u := x[next[d]]
			for {
				e := uint8(u >> shift)
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
	return start, shift, shift > 0
}

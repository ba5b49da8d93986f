package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// cappedIndex is an argsort with scratch of a fixed size. The positions are divided by
// 8 bits of their keys, as often as it takes for parts to fit: the first time as they
// are written, then in place, which changes the order of equal keys. So positions are
// put in order before a part is sorted stably by its keys.
type cappedIndex[U key.Word, I wide] struct {
	*run
	k   []U
	idx []I
	c   key.Codec
	o   Options // of the sorts of parts
	// part is how many positions are sorted at once by each worker, whole how many
	// bytes it may take.
	part  int
	whole uint64
}

// cappedArgsort is argsortByKey under a cap.
func cappedArgsort[U key.Word, I wide](k []U, idx []I, c key.Codec, o Options) error {
	r := newRun(o)
	s := cappedIndex[U, I]{run: r, k: k, idx: idx, c: c, o: Options{Workers: 1, Ctx: o.Ctx, look: o.look}}
	s.whole = max(o.MemoryCap, leastCap) / uint64(r.workers)
	// A copy of the key, of the position, the place of it, and what it takes to sort.
	s.part = int(s.whole / uint64(unsafe.Sizeof(k[0])+unsafe.Sizeof(idx[0])+4+itemScratch))
	s.all()
	return r.end()
}

func (s *cappedIndex[U, I]) all() {
	start := s.first()
	s.each(radix, func(_, d int) { s.sort(s.idx[start[d]:start[d+1]], true) })
}

// first writes the positions, divided by the highest 8 bits that vary, each part in
// order.
func (s *cappedIndex[U, I]) first() (start [radix + 1]int) {
	ref, varying := uint64(key.Encode(s.c, s.k[0])), uint64(0)
	s.encoded(func(_ int, e []uint64) {
		for _, u := range e {
			varying |= u ^ ref
		}
	})
	shift := uint(max(0, bits.Len64(varying)-8))
	s.encoded(func(_ int, e []uint64) {
		for _, u := range e {
			start[int(uint8(u>>(shift&63)))+1]++
		}
	})
	for d := range radix {
		start[d+1] += start[d]
	}
	next := start
	s.encoded(func(at int, e []uint64) {
		for i, u := range e {
			d := uint8(u >> (shift & 63))
			s.idx[next[d]] = I(at + i)
			next[d]++
		}
	})
	return start
}

// encoded calls f for the encoded keys of all keys, block by block, unless the sort is
// cancelled.
func (s *cappedIndex[U, I]) encoded(f func(at int, e []uint64)) {
	block := getScratch[uint64](blockItems)
	defer block.put()
	for i := 0; i < len(s.k) && !s.cancelled(); i += blockItems {
		e := block.s[:min(blockItems, len(s.k)-i)]
		encode64(e, s.k[i:i+len(e)], s.c)
		f(i, e)
	}
}

func (s *cappedIndex[U, I]) encodedKey(at I) uint64 { return uint64(key.Encode(s.c, s.k[at])) }

// sort sorts the positions p by their keys; ordered says that they are in order.
func (s *cappedIndex[U, I]) sort(p []I, ordered bool) {
	if len(p) < 2 || s.cancelled() {
		return
	}
	var varying uint64
	if len(p) > s.part {
		ref := s.encodedKey(p[0])
		s.inSteps(len(p), int(unsafe.Sizeof(p[0])), func(lo, hi int) {
			for _, at := range p[lo:hi] {
				varying |= s.encodedKey(at) ^ ref
			}
		})
		if varying != 0 && !s.cancelled() {
			s.split(p, uint(max(0, bits.Len64(varying)-8)))
			return
		}
	}
	if !ordered && !s.cancelled() {
		o := s.o
		o.MemoryCap = s.whole
		if keysWide(p, key.CodecUnsigned, o) != nil {
			return
		}
	}
	if len(p) <= s.part {
		s.leaf(p)
	}
}

// leaf sorts positions, which are in order, by copies of their keys.
func (s *cappedIndex[U, I]) leaf(p []I) {
	k, order, was := getScratch[U](len(p)), getScratch[uint32](len(p)), getScratch[I](len(p))
	defer k.put()
	defer order.put()
	defer was.put()
	for i, at := range p {
		k.s[i] = s.k[at]
	}
	if argsortByKey(k.s, order.s, s.c, s.o) != nil {
		return
	}
	copy(was.s, p)
	for i, at := range order.s {
		p[i] = was.s[at]
	}
}

// split divides p in place by the 8 bits from shift on, above which its encoded keys agree,
// and sorts the parts.
func (s *cappedIndex[U, I]) split(p []I, shift uint) {
	digit := func(at I) uint8 { return uint8(s.encodedKey(at) >> (shift & 63)) }
	var start [radix + 1]int
	s.inSteps(len(p), int(unsafe.Sizeof(p[0])), func(lo, hi int) {
		for _, at := range p[lo:hi] {
			start[int(digit(at))+1]++
		}
	})
	if s.cancelled() {
		return // the counts are not whole
	}
	for d := range radix {
		start[d+1] += start[d]
	}
	next := start
	for d, left := 0, flagSteps; d < radix; d++ {
		for next[d] < start[d+1] {
			// Follow one cycle, as flag.permute does.
			for u := p[next[d]]; ; left-- {
				e := digit(u)
				at := next[e]
				next[e]++
				if int(e) == d {
					p[at] = u
					break
				}
				u, p[at] = p[at], u
			}
			if left <= 0 {
				if s.cancelled() {
					return
				}
				left = flagSteps
			}
		}
	}
	for d := range radix {
		s.sort(p[start[d]:start[d+1]], false)
	}
}

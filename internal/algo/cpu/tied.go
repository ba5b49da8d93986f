package cpu

import (
	"cmp"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// In an order with key.CodecEqualZeros different bit patterns tie. No sort knows such
// orders. Here a sort of bit patterns is made to keep the input order of what ties.

// PairsTied is Pairs by c with CodecEqualZeros. sort sorts some of the pairs by c
// without it. Where zeros of both signs or several NaNs occur, they are
// put behind the other pairs, which are sorted, and then moved to their place: that takes
// scratch for as many pairs, or half of o.MemoryCap.
func PairsTied[U key.Word, V Word32or64](k []U, v []V, c key.Codec, o Options, sort func(k []U, v []V) error) error {
	if err := o.err(); err != nil {
		return err
	}
	v = v[:len(k)]
	if unsafe.Sizeof(*new(V)) == 4 {
		return pairsTied(k, cast[uint32](v), c, o, func(k []U, v []uint32) error { return sort(k, cast[V](v)) })
	}
	return pairsTied(k, cast[uint64](v), c, o, func(k []U, v []uint64) error { return sort(k, cast[V](v)) })
}

func pairsTied[U key.Word, V wide](k []U, v []V, c key.Codec, o Options, sort func(k []U, v []V) error) error {
	r := runOf(o, len(k))
	t := tiesOf(r, k, c)
	if err := r.end(); err != nil {
		return err
	}
	if !t.mixed() {
		return sort(k, v)
	}
	room := max(t.zeros, t.nans)
	if o.MemoryCap != 0 {
		room = min(room, o.half(unsafe.Sizeof(k[0])+unsafe.Sizeof(v[0])))
	}
	return sortAround(r, k, v, c, o, t, room, sort)
}

// sortAround sorts the pairs around t, what of them ties, with a buffer for so many.
func sortAround[U key.Word, V wide](r *run, k []U, v []V, c key.Codec, o Options, t ties[U], room int, sort func(k []U, v []V) error) error {
	bk, bv := getScratch[U](room), getScratch[V](room)
	defer bk.put()
	defer bv.put()
	m := longRuns[U, V]{&pairRuns[U, V]{k, bk.s[:room], v, bv.s[:room], c}}
	nan, zero := key.Canonical(c, ^U(0)), U(0)
	others := setAside(r, m, 0, len(k), t.nans, nan)
	others = setAside(r, m, 0, others, t.zeros, zero)
	if err := cmp.Or(r.end(), o.err()); err != nil {
		return err
	}
	if err := sort(k[:others], v[:others]); err != nil {
		return err
	}
	numbers := others + t.zeros
	least := key.Encode(c, zero)
	rotate(m, bound(0, others, func(i int) bool { return key.Encode(c, k[i]) < least }), others, numbers)
	if key.Encode(c, nan) < least {
		rotate(m, 0, numbers, len(k))
	}
	return nil
}

// longRuns is pairRuns whose long copies go in steps: nothing stops a goroutine within one.
type longRuns[U key.Word, V wide] struct{ *pairRuns[U, V] }

func (m longRuns[U, V]) save(from, n int) {
	copyInSteps(m.bk, m.k[from:from+n])
	copyInSteps(m.bv, m.v[from:from+n])
}

func (m longRuns[U, V]) restore(to, at, n int) {
	copyInSteps(m.k[to:], m.bk[at:at+n])
	copyInSteps(m.v[to:], m.bv[at:at+n])
}

func (m longRuns[U, V]) move(to, from, n int) {
	copyInSteps(m.k[to:], m.k[from:from+n])
	copyInSteps(m.v[to:], m.v[from:from+n])
}

// copyInSteps is copy to what is at least as long as from, and may overlap it.
func copyInSteps[T any](to, from []T) {
	step := lookBytes / int(unsafe.Sizeof(*new(T)))
	if len(from) == 0 {
		return
	}
	if uintptr(unsafe.Pointer(&to[0])) < uintptr(unsafe.Pointer(&from[0])) {
		for at := 0; at < len(from); at += step {
			copy(to[at:], from[at:min(len(from), at+step)])
		}
		return
	}
	for end := len(from); end > 0; end -= step {
		at := max(0, end-step)
		copy(to[at:], from[at:end])
	}
}

// setAside moves the pairs of [lo, hi) whose keys have one canonical pattern, of which
// there are so many, behind the others, and returns where they begin. All keep their
// order. If the sort is cancelled the pairs are permuted.
func setAside[U key.Word, V wide](r *run, m longRuns[U, V], lo, hi, count int, pattern U) int {
	switch {
	case count == 0:
		return hi
	case count == hi-lo:
		return lo
	case count <= m.room():
		to, saved := lo, 0
		r.inSteps(hi-lo, int(unsafe.Sizeof(m.k[0])+unsafe.Sizeof(m.v[0])), func(from, end int) {
			for i := lo + from; i < lo+end; i++ {
				if k, v := m.k[i], m.v[i]; key.Canonical(m.c, k) == pattern {
					m.bk[saved], m.bv[saved] = k, v
					saved++
				} else {
					m.k[to], m.v[to] = k, v
					to++
				}
			}
		})
		m.restore(to, 0, saved)
		return to
	}
	mid, left := lo+(hi-lo)/2, 0
	for _, k := range m.k[lo:mid] {
		if key.Canonical(m.c, k) == pattern {
			left++
		}
	}
	at := setAside(r, m, lo, mid, left, pattern)
	end := setAside(r, m, mid, hi, count-left, pattern)
	rotate(m, at, mid, end)
	return end - left
}

// ownPairsTied is PairsTied by this package's sort.
func ownPairsTied[U key.Word, V Word32or64](k []U, v []V, c key.Codec, o Options) error {
	return PairsTied(k, v, c, o, func(k []U, v []V) error { return Pairs(k, v, c&^key.CodecEqualZeros, o) })
}

// ownArgsortTied is ArgsortTied by this package's sort.
func ownArgsortTied[U key.Word, I Word32or64](k []U, idx []I, c key.Codec, o Options) error {
	return ArgsortTied(k, idx, c, o, func() error { return Argsort(k, idx, c&^key.CodecEqualZeros, o) })
}

// ArgsortTied is Argsort by c with CodecEqualZeros. sort writes the positions by c
// without it; those of zeros are then put in order, and those of NaNs.
func ArgsortTied[U key.Word, I Word32or64](k []U, idx []I, c key.Codec, o Options, sort func() error) error {
	idx, c = idx[:len(k)], c|key.CodecEqualZeros
	if err := sort(); err != nil {
		return err
	}
	for _, pattern := range []U{0, key.Canonical(c, ^U(0))} {
		encodedKey := key.Encode(c, pattern)
		from := bound(0, len(idx), func(i int) bool { return key.Encode(c, k[idx[i]]) < encodedKey })
		to := bound(from, len(idx), func(i int) bool { return key.Encode(c, k[idx[i]]) == encodedKey })
		var err error
		if unsafe.Sizeof(*new(I)) == 4 {
			err = Keys(cast[uint32](idx[from:to]), key.CodecUnsigned, o)
		} else {
			err = Keys(cast[uint64](idx[from:to]), key.CodecUnsigned, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ties is what of some keys ties in an order with CodecEqualZeros.
type ties[U key.Word] struct {
	zeros, nans int
	// The bits of all zeros, and of all NaNs, by and and by or.
	zeroAnd, zeroOr, nanAnd, nanOr U
}

func noTies[U key.Word]() ties[U] { return ties[U]{zeroAnd: ^U(0), nanAnd: ^U(0)} }

// tiesOf looks at all keys, which are floats of codec c. If the sort is cancelled it means nothing.
func tiesOf[U key.Word](r *run, k []U, c key.Codec) ties[U] {
	step := lookBytes / int(unsafe.Sizeof(U(0)))
	found := make([]ties[U], (len(k)+step-1)/step)
	r.each(len(found), func(_, i int) {
		if !r.cancelled() {
			found[i] = tiesIn(k[i*step:min(len(k), (i+1)*step)], c)
		}
	})
	all := noTies[U]()
	for _, t := range found {
		all = ties[U]{
			all.zeros + t.zeros, all.nans + t.nans,
			all.zeroAnd & t.zeroAnd, all.zeroOr | t.zeroOr, all.nanAnd & t.nanAnd, all.nanOr | t.nanOr,
		}
	}
	return all
}

// mixed reports whether keys of different bits tie.
func (t ties[U]) mixed() bool {
	return t.zeros > 0 && t.zeroAnd != t.zeroOr || t.nans > 0 && t.nanAnd != t.nanOr
}

func tiesIn[U key.Word](k []U, c key.Codec) ties[U] {
	t := noTies[U]()
	quiet := key.Canonical(c, ^U(0))
	least := quiet & (quiet << 1) << 1 // twice the pattern of infinity
	for _, u := range k {
		switch magnitude := u << 1; {
		case magnitude-1 < least: // a number
		case magnitude == 0:
			t.zeros++
			t.zeroAnd &= u
			t.zeroOr |= u
		default:
			t.nans++
			t.nanAnd &= u
			t.nanOr |= u
		}
	}
	return t
}

package simd

import "unsafe"

// Inputs of few values come down to ranges of one or two, which are not
// partitioned but counted, and written (twowriter.go). What suggests such a range is a sample
// in which the least word that the range can hold occurs, and one other word at
// most: of many values, a sample would have to be very unlucky to look so.

// fillTwo sorts and hands on x if its words are only lo and one other, as its
// splitters suggest; splitters[0] is lo. If it returns false x has the words it
// had, in some order.
func (q *quick[U]) fillTwo(x []U, lo U, splitters []U) bool {
	hi := splitters[len(splitters)-1]
	if mid := splitters[len(splitters)/2]; mid != lo && mid != hi || !twoValued(splitters) {
		return false
	}
	return q.writeTwo(x, lo, hi, false)
}

// fillRaw is fillTwo for words that are not encoded yet, fewer than fewMin;
// splitters are encoded.
func (q *quick[U]) fillRaw(x, splitters []U) bool {
	if len(splitters) < 3 || len(x) >= fewMin || !twoValued(splitters) {
		return false
	}
	lo, hi := splitters[0], splitters[len(splitters)-1]
	return q.writeTwo(x, lo, hi, true)
}

// Two is Sort for words of one or two values, which a sample shows: one pass over
// memory. If it returns false x has the words it had, in some order, as Raw says.
// It must be Available.
func (j *Job[U]) Two(x []U) bool {
	q, raw := j.drawn(x)
	if q.drawn == 0 {
		return false
	}
	drawn := unsafe.Slice(q.buf, q.drawn)
	return twoValued(drawn) && q.writeTwo(x, drawn[0], drawn[len(drawn)-1], raw)
}

// Few is Two for words of few values: one pass that reads and one that writes. Stop is
// not asked in these.
func (j *Job[U]) Few(x []U) bool {
	q, raw := j.drawn(x)
	return q.fillFew(x, raw)
}

// drawn samples x, if it is not too short to be worth that, and reports whether x is
// to be encoded.
func (j *Job[U]) drawn(x []U) (q quick[U], raw bool) {
	q = quick[U]{k: kernelsOf[U](), buf: &j.Scratch[0], job: j, room: j.Scratch[bufWords:]}
	raw = j.Raw && j.Codec != (Codec[U]{})
	if len(x) >= fewMin {
		codec := &j.Codec
		if !raw {
			codec = nil
		}
		q.sample(x, q.splitters(), codec)
	}
	return q, raw
}

// writeTwo sorts and hands on x if its words are only those whose encoded keys are lo
// and hi; raw says that they are not encoded. lower is how many are likely to be
// lo. If it returns false x has the words it had, in some order.
func (q *quick[U]) writeTwo(x []U, lo, hi U, raw bool) bool {
	w := twoWriter[U]{k: q.k, in: [2]U{lo, hi}, out: [2]U{q.plain(lo), q.plain(hi)}}
	if raw {
		w.in = w.out
	}
	if q.job != nil {
		w.stop = q.job.Stop
	}
	m, ok := w.sort(x)
	if ok {
		q.hand(x[:m])
		q.hand(x[m:])
	}
	return ok
}

// twoValued reports whether the ascending words s are all its first or its last.
func twoValued[U Word](s []U) bool {
	i := 0
	for i < len(s) && s[i] == s[0] {
		i++
	}
	return i == len(s) || s[i] == s[len(s)-1]
}

// scanTwo counts the words of x that are a, up to the first word that is
// neither a nor b; done is that word's place, or len(x).
func scanTwo[U Word](k *kernels[U], x []U, a, b U) (done, equal int) {
	if len(x) == 0 {
		return 0, 0
	}
	done, equal = k.two(&x[0], len(x), a, b)
	for done < len(x) && (x[done] == a || x[done] == b) {
		if x[done] == a {
			equal++
		}
		done++
	}
	return done, equal
}

// plain returns the key whose encoded key is u.
func (q *quick[U]) plain(u U) U {
	if q.job == nil {
		return u
	}
	v := [1]U{u}
	decodeAll(v[:], q.job.Codec)
	return v[0]
}

// write fills x with the key whose encoded key is u, past the caches or not, and hands
// it on.
func (q *quick[U]) write(x []U, u U, stream bool) {
	if len(x) == 0 {
		return
	}
	fill(x, q.plain(u), stream)
	q.hand(x)
}

// hand hands on x, sorted and decoded.
func (q *quick[U]) hand(x []U) {
	if len(x) > 0 && q.job != nil && q.job.Then != nil {
		q.job.Then(x)
	}
}

// streamMin is the number of bytes of a range from which it is filled past the
// caches: below it, the words have just been read into one.
const streamMin = 8 << 20

// fillBytes is how much of a fill the rest is copied from.
const fillBytes = 4096

// fill sets all words of x to v, past the caches or not.
func fill[U Word](x []U, v U, stream bool) {
	size := int(unsafe.Sizeof(v))
	first := x[:min(len(x), fillBytes/size)]
	for i := range first {
		first[i] = v
	}
	rest := x[len(first):]
	if stream && len(rest)*size >= StreamBytes {
		// From the next multiple of a line on; first is longer than one.
		back := int(uintptr(unsafe.Pointer(&rest[0]))%StreamBytes) / size
		rest = x[len(first)-back:]
		for len(rest) >= StreamBytes/size {
			Stream(unsafe.Pointer(&rest[0]), unsafe.Pointer(&first[0]))
			rest = rest[StreamBytes/size:]
		}
		StreamDone()
	}
	for len(rest) > 0 {
		rest = rest[copy(rest, first):]
	}
}

// Same returns how many words at the front of x are equal, or fewer where
// there are no kernels.
func Same[U Word](x []U) int {
	k := kernelsOf[U]()
	if k == nil || len(x) == 0 {
		return min(1, len(x))
	}
	size := int(unsafe.Sizeof(x[0]))
	a := uint64(x[0])
	if size == 4 {
		a |= a << 32
	}
	at := k.same((*uint64)(unsafe.Pointer(&x[0])), len(x)*size, a) / size
	done, _ := scanTwo(k, x[at:], x[0], x[0])
	return at + done
}

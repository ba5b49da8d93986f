package simd

import "unsafe"

// Inputs of few values come down to ranges of one or two, which are not
// partitioned but counted, and written. What suggests such a range is a sample
// in which the least word that the range can hold occurs, and one other word at
// most: of many values, a sample would have to be very unlucky to look so.

// fillTwo sorts and hands on x if its words are only lo and one other, as its
// splitters suggest; splitters[0] is lo.
func (q *quick[U]) fillTwo(x []U, lo U, splitters []U) bool {
	hi := splitters[len(splitters)-1]
	if mid := splitters[len(splitters)/2]; mid != lo && mid != hi || !twoValued(splitters) {
		return false
	}
	done, equal := scanTwo(q.k, x, lo, hi)
	if done < len(x) {
		return false
	}
	stream := len(x)*int(unsafe.Sizeof(lo)) >= streamMin
	q.write(x[:equal], lo, stream)
	q.write(x[equal:], hi, stream)
	return true
}

// fillRaw is fillTwo for words that are not encoded yet; splitters are.
func (q *quick[U]) fillRaw(x, splitters []U) bool {
	lo, hi := splitters[0], splitters[len(splitters)-1]
	if !twoValued(splitters) || len(splitters) < 3 {
		return false
	}
	done, equal := scanTwo(q.k, x, q.plain(lo), q.plain(hi))
	if done < len(x) {
		return false
	}
	stream := len(x)*int(unsafe.Sizeof(lo)) >= streamMin
	q.write(x[:equal], lo, stream)
	q.write(x[equal:], hi, stream)
	return true
}

// twoValued reports whether the ascending words s are all its first or its last.
func twoValued[U Word](s []U) bool {
	i := 0
	for i < len(s) && s[i] == s[0] {
		i++
	}
	return i == len(s) || s[i] == s[len(s)-1]
}

// streamsBlock is the number of bytes that kernels read as streams side by side.
const streamsBlock = 8 * (8*4096 + 512)

// scanTwo counts the words of x that are a, up to the first word that is
// neither a nor b; done is that word's place, or len(x).
func scanTwo[U Word](k *kernels[U], x []U, a, b U) (done, equal int) {
	if len(x) == 0 {
		return 0, 0
	}
	size := int(unsafe.Sizeof(a))
	if len(x)*size >= streamsBlock {
		done, equal = k.twoStreams(&x[0], len(x), a, b)
	}
	if done < len(x) {
		d, e := k.two(&x[done], len(x)-done, a, b)
		done, equal = done+d, equal+e
	}
	for done < len(x) && (x[done] == a || x[done] == b) {
		if x[done] == a {
			equal++
		}
		done++
	}
	return done, equal
}

// plain returns the key whose image is u.
func (q *quick[U]) plain(u U) U {
	if q.job == nil {
		return u
	}
	v := [1]U{u}
	decodeAll(v[:], q.job.Codec)
	return v[0]
}

// write fills x with the key whose image is u, past the caches or not, and hands
// it on.
func (q *quick[U]) write(x []U, u U, stream bool) {
	if len(x) == 0 {
		return
	}
	v := q.plain(u)
	fill(x, v, stream)
	if q.job != nil && q.job.Then != nil {
		q.job.Then(x)
	}
}

// streamMin is the number of bytes of a range from which it is filled past the
// caches: below it, the words have just been read into one.
const streamMin = 8 << 20

// fillBytes is how much of a fill the rest is copied from.
const fillBytes = 4096

// fill sets all words of x, which is not empty, to v, past the caches or not.
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

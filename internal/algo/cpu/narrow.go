package cpu

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// keys8 is a counting sort: one pass to count, one to write runs.
func keys8(x []uint8, c key.Codec, o Options) error {
	m := intMask[uint8](c)
	if tinyNarrow(x, m) {
		return nil
	}
	if r := runOf(o, len(x)); keysNearlyInOrder(r, x, c) {
		return r.end()
	}
	if len(x) < 2*countPart {
		var n [radix]int
		countPatterns(x, n[:])
		writeRuns(x, n[:], c, 0, len(x))
		return nil
	}
	return countingSort(newRun(o), x, radix, c)
}

// countPart is the least number of keys that is worth another worker: about as long
// as one takes to wake, some 50 µs of counting bytes.
const countPart = 1 << 16

// countingMin is the length from which counting into 2^16 counters beats
// radix passes and vector instructions.
const countingMin = 1 << 16

// keys16 counts large inputs; others are widened, and sorted by vector instructions
// or by radix.
func keys16(x []uint16, c key.Codec, o Options) error {
	if isFloat(c) && len(x) < countingMin {
		// So few take less time than two looks at the context are apart.
		Encode(x, x, c)
		err := keys16(x, key.CodecUnsigned, Options{Workers: o.Workers})
		Decode(x, x, c)
		return err
	}
	m := intMask[uint16](c) // of integers
	if tinyNarrow(x, m) {
		return nil
	}
	if len(x) >= countingMin {
		r := newRun(o)
		if keysNearlyInOrder(r, x, c) {
			return r.end()
		}
		return countingSort(r, x, 1<<16, c)
	}
	if keysNearlyInOrder(still, x, c) {
		return nil
	}
	n, vector := len(x), simd.Available()
	room := n
	if !vector {
		room = 2 * n
	}
	s := getScratch[uint32](room)
	defer s.put()
	a := s.s[:n]
	for i, u := range x {
		a[i] = uint32(u ^ m)
	}
	if vector {
		if !simd.Tiny(a) {
			sortAlone(a, simd.Codec[uint32]{})
		}
	} else if leafSort(a, s.s[n:], 0, 16) {
		a = s.s[n:]
	}
	for i := range x {
		x[i] = uint16(a[i]) ^ m
	}
	return nil
}

// tinyNarrow sorts x and reports true if it is short: by a network of wider words,
// or where there are none, by insertion.
func tinyNarrow[U uint8 | uint16](x []U, m U) bool {
	n := len(x)
	if n < tinyMin {
		insertionNarrow(x, m)
		return true
	}
	if n > tinyMax || n > plainMost && !simd.Available() {
		return false
	}
	s := getScratch[uint32](n)
	defer s.put()
	for i, u := range x {
		s.s[i] = uint32(u ^ m)
	}
	if !simd.Tiny(s.s) {
		insertWords(s.s)
	}
	for i, w := range s.s {
		x[i] = U(w) ^ m
	}
	return true
}

func insertionNarrow[U uint8 | uint16](x []U, m U) {
	for i := 1; i < len(x); i++ {
		u := x[i]
		j := i
		for ; j > 0 && x[j-1]^m > u^m; j-- {
			x[j] = x[j-1]
		}
		x[j] = u
	}
}

// countingSort counts patterns in parallel and writes the runs in the order of codec.
// Nothing is written before the last look at the context that can end the sort: from
// then on, the counts alone say what the keys were.
func countingSort[U uint8 | uint16](r *run, x []U, patterns int, codec key.Codec) error {
	parts := max(1, min(r.workers, len(x)/max(countPart, 4*patterns)))
	counts := getScratch[int](parts * patterns)
	defer counts.put()
	r.each(parts, func(_, p int) {
		c := counts.s[p*patterns : (p+1)*patterns]
		clear(c)
		lo, hi := chunk(len(x), parts, p)
		for ; lo < hi && !r.cancelled(); lo += 1 << 20 {
			countPatterns(x[lo:min(hi, lo+1<<20)], c)
		}
	})
	if r.cancelled() {
		return r.end()
	}
	c := counts.s[:patterns]
	for p := 1; p < parts; p++ {
		for i, v := range counts.s[p*patterns : (p+1)*patterns] {
			c[i] += v
		}
	}
	r.each(parts, func(_, p int) {
		lo, hi := chunk(len(x), parts, p)
		writeRuns(x, c, codec, lo, hi)
	})
	return nil
}

// countPatterns uses two sets of counters for bytes, since equal neighbours
// would wait for each other's increment.
func countPatterns[U uint8 | uint16](x []U, c []int) {
	if len(c) == radix {
		var d [3][radix]int
		c := (*[radix]int)(c)
		for len(x) >= 4 {
			c[uint8(x[0])]++
			d[0][uint8(x[1])]++
			d[1][uint8(x[2])]++
			d[2][uint8(x[3])]++
			x = x[4:]
		}
		for i := range c {
			c[i] += d[0][i] + d[1][i] + d[2][i]
		}
	}
	for _, u := range x {
		c[u]++
	}
}

// writeRuns writes the part [lo, hi) of the sorted sequence.
func writeRuns[U uint8 | uint16](x []U, c []int, codec key.Codec, lo, hi int) {
	m, float := intMask[U](codec), isFloat(codec)
	at := 0
	for i := range c {
		u := U(i) ^ m
		if float {
			u = key.Decode(codec, U(i))
		}
		end := at + c[u]
		if end-at <= shortRun && at >= lo && at+shortRun <= hi {
			fillShort(x[at:at+shortRun], u) // what is written beyond end is the next runs'
			at = end
			continue
		}
		if from, to := max(at, lo), min(end, hi); from < to {
			run := x[from:to]
			fillRun(run, u)
		}
		if at = end; at >= hi {
			return
		}
	}
}

// shortRun is the length of the runs that are written whole, as two words or one.
const shortRun = 8

// fillShort sets the shortRun elements of x to u.
func fillShort[U uint8 | uint16](x []U, u U) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), shortRun*unsafe.Sizeof(u))
	if unsafe.Sizeof(u) == 1 {
		binary.NativeEndian.PutUint64(b, uint64(u)*0x0101010101010101)
		return
	}
	w := uint64(u) * 0x0001000100010001
	binary.NativeEndian.PutUint64(b, w)
	binary.NativeEndian.PutUint64(b[8:], w)
}

// fillRun sets x to u: copies of what is there are many times as fast as stores of
// one narrow key.
func fillRun[T any](x []T, u T) {
	first := x[:min(len(x), 2048)]
	for i := range first {
		first[i] = u
	}
	for done := len(first); done < len(x); {
		done += copy(x[done:], first)
	}
}

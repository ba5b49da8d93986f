package simd

import (
	"slices"
	"unsafe"
)

const (
	// fewValues is the most values of a range whose words are counted by value
	// and written, not partitioned: that is one pass to read and one to write
	// instead of four or more of both.
	fewValues = 16
	// fewMin is the least number of words for which that is tried.
	fewMin = 1 << 16
	// fewBlock is the number of words that are counted at a time: after each,
	// the counts show whether there was a word of no known value.
	fewBlock = 1 << 14
)

// fillFew sorts and hands on x if it has few values, as the words drawn by the
// last sample suggest, which are ascending encoded keys. raw says that x is not
// encoded. If it returns false x has the words it had, in some order.
func (q *quick[U]) fillFew(x []U, raw bool) bool {
	if len(x) < fewMin || q.drawn == 0 {
		return false
	}
	var encodedKeys [fewValues]U
	m := 0
	for i, u := range unsafe.Slice(q.buf, q.drawn) {
		if i > 0 && u == encodedKeys[m-1] {
			continue
		}
		if m == fewValues {
			return false
		}
		encodedKeys[m] = u
		m++
	}
	f := fewCount[U]{k: q.k}
	for i, u := range encodedKeys[:m] {
		f.values[i] = u
		if raw {
			f.values[i] = q.plain(u)
		}
	}
	f.m = m
	if m <= 2 && q.writeTwo(x, encodedKeys[0], encodedKeys[m-1], raw) {
		return true
	}
	if q.k.few == nil || q.stopped() || !f.count(x) {
		return false
	}
	// Values that the sample missed were added at the end.
	order := make([]int, 0, fewValues)
	for i := range f.m {
		if i >= m {
			encodedKeys[i] = f.values[i]
			if raw {
				v := f.values[i : i+1]
				encodeAll(v, q.job.Codec)
				encodedKeys[i] = v[0]
			}
		}
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		if encodedKeys[a] < encodedKeys[b] {
			return -1
		}
		return 1
	})
	stream := len(x)*int(unsafe.Sizeof(encodedKeys[0])) >= streamMin
	for _, i := range order {
		q.write(x[:f.counts[i]], encodedKeys[i], stream)
		x = x[f.counts[i]:]
	}
	return true
}

// fewCount counts words by value.
type fewCount[U Word] struct {
	k      *kernels[U]
	values [fewValues]U
	m      int // values
	counts [fewValues]int
}

// count counts all of x, adding values that it comes upon. It returns false if
// they are more than fewValues.
func (f *fewCount[U]) count(x []U) bool {
	for len(x) > 0 {
		b := x[:min(fewBlock, len(x))]
		if n := len(b) &^ (f.k.lanes - 1); n > 0 {
			if !f.countVectors(b[:n]) {
				return false
			}
			x, b = x[n:], b[n:]
			if len(b) == 0 {
				continue
			}
		}
		for _, u := range b {
			if !f.add(u) {
				return false
			}
		}
		x = x[len(b):]
	}
	return true
}

// add counts one word.
func (f *fewCount[U]) add(u U) bool {
	i := slices.Index(f.values[:f.m], u)
	if i < 0 {
		if f.m == fewValues {
			return false
		}
		i = f.m
		f.values[i] = u
		f.m++
	}
	f.counts[i]++
	return true
}

// countVectors counts whole vectors of words; if some have no known value, it
// counts them one by one.
func (f *fewCount[U]) countVectors(x []U) bool {
	// A value that fills the list up may be there twice: its counts beyond the
	// first m are not looked at.
	var sums [fewValues]int
	f.k.few(x, &f.values, (f.m+3)&^3, &sums)
	total := 0
	for i := range f.m {
		total += sums[i]
	}
	if total == len(x) {
		for i := range f.m {
			f.counts[i] += sums[i]
		}
		return true
	}
	for _, u := range x {
		if !f.add(u) {
			return false
		}
	}
	return true
}

package simd

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Word is a word that the kernels sort.
type Word interface{ uint32 | uint64 }

// kernels are the functions of one level and width.
type kernels[U Word] struct {
	// sort sorts x[:n], 1 ≤ n ≤ netMax.
	sort func(x *U, n int)
	// part moves the words of x[:n] below pivot to the front and returns
	// their number; buf is scratch for n words and Slack bytes.
	part   func(x *U, n int, pivot U, buf *U) int
	netMax int
}

// Slack is the number of bytes that scratch must have beyond its words,
// because kernels store whole vectors.
const Slack = 64

// SlackItems returns Slack in words of U.
func SlackItems[U Word]() int { return Slack / int(unsafe.Sizeof(U(0))) }

func kernelsOf[U Word]() *kernels[U] {
	if unsafe.Sizeof(U(0)) == 4 {
		return (*kernels[U])(unsafe.Pointer(kernels32()))
	}
	return (*kernels[U])(unsafe.Pointer(kernels64()))
}

// Sort sorts x by unsigned value and reports true, or reports false if this
// processor has no kernels. buf is scratch of at least len(x) words and
// SlackItems more. It is fast while x and buf fit the level-2 cache.
func Sort[U Word](x, buf []U) bool {
	k := kernelsOf[U]()
	if k == nil {
		return false
	}
	q := quick[U]{k, &buf[:len(x)+SlackItems[U]()][0]}
	q.sort(x, 0, nil, 2*bits.Len(uint(len(x)))+8)
	return true
}

type quick[U Word] struct {
	k   *kernels[U]
	buf *U
}

// sort sorts x, whose words are all at least lo. splitters are ascending words
// drawn from around x. budget is how many lopsided partitions may still
// follow on the way down; an input that uses it up is sorted by slices.Sort,
// which bounds the time that crafted or unlucky inputs can take.
func (q *quick[U]) sort(x []U, lo U, splitters []U, budget int) {
	for len(x) > q.k.netMax {
		if len(splitters) == 0 {
			var s [maxSplitters]U
			q.sort(x, lo, q.sample(x, &s), budget)
			return
		}
		mid := len(splitters) / 2
		p := splitters[mid]
		if p < lo {
			splitters = splitters[mid+1:]
			continue
		}
		equal := p == lo // the words equal to lo are then many: take them out
		if equal {
			p++
			if p == 0 {
				return // lo is the largest word: all are equal
			}
		}
		m := q.k.part(&x[0], len(x), p, q.buf)
		if min(m, len(x)-m) < len(x)/32 {
			if budget--; budget < 0 {
				slices.Sort(x)
				return
			}
		}
		if !equal {
			q.sort(x[:m], lo, splitters[:mid], budget)
		}
		x, lo, splitters = x[m:], p, splitters[mid+1:]
	}
	if len(x) > 1 {
		q.k.sort(&x[0], len(x))
	}
}

const maxSplitters = 31

// sample draws words of x at steps of nearly equal length, sorts them and
// returns every few of them in s: fewer for shorter x, because each drawn word
// costs as much as partitioning about 8 words, and each splitter halves the
// range.
func (q *quick[U]) sample(x []U, s *[maxSplitters]U) []U {
	n := len(x)
	var draw, take int
	switch {
	case n <= 2*q.k.netMax+q.k.netMax/2:
		draw, take = 9, 1
	case n <= 4*q.k.netMax:
		draw, take = 32, 3
	case n <= 24*q.k.netMax:
		draw, take = 64, 7
	case n <= 128*q.k.netMax:
		draw, take = 128, 15
	default:
		draw, take = 256, 31
	}
	draw = min(draw, q.k.netMax)
	take = min(take, draw/4)
	d := unsafe.Slice(q.buf, draw) // fits: x is longer than netMax
	step := uint(n) / uint(draw)
	seed := uint(n) * 0x9e3779b97f4a7c15
	at := uint(0)
	for i := range d {
		seed = seed*0xd1342543de82ef95 + 1
		hi, _ := bits.Mul(seed, step)
		d[i] = x[at+hi]
		at += step
	}
	q.k.sort(&d[0], draw)
	for i := range take {
		s[i] = d[(i+1)*draw/(take+1)]
	}
	return s[:take]
}

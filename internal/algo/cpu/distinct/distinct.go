// Package distinct finds the distinct keys of slices: where runs of equal keys begin in a
// sorted one, the keys without repetitions, and how often each occurs in any.
package distinct

import (
	"slices"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// chunkItems is how much of a slice a worker goes through between two looks.
const chunkItems = 1 << 18

// Groups returns where each run of keys of type t that are equal in the order o begins in x, and
// len(x); of no keys, that alone. Scratch is a few bytes a chunk.
func Groups[T any](t key.Type, x []T, o key.Order, h cpu.Options) ([]int, error) {
	return key.ByWidthTo16(t.Bytes(),
		groups[uint8], groups[uint16], groups[uint32], groups[uint64], groupsWide,
	)(key.Memory(x), key.CodecOf(t, o), h)
}

func groups[U key.Word](s key.Slice, c key.Codec, h cpu.Options) ([]int, error) {
	return runs(key.Words[U](s), h, comparedBy[U](c))
}

// comparison calls f for parts of x[lo:hi] from front to back: at is where a part begins,
// and img has what is equal where its keys are, preceded by that of the key before; the
// first of x is preceded by another.
type comparison[U key.Word | key.Octets] func(x []U, lo, hi int, f func(at int, img []U))

// runs returns Groups of x.
func runs[U key.Word | key.Octets](x []U, h cpu.Options, compared comparison[U]) ([]int, error) {
	t := h.Team()
	chunks := (len(x) + chunkItems - 1) / chunkItems
	firsts := make([]int, chunks+1) // runs that begin in the chunks before
	chunk := func(i int) (lo, hi int) { return i * chunkItems, min(len(x), (i+1)*chunkItems) }
	if err := t.EachUntil(chunks, func(i int) {
		lo, hi := chunk(i)
		n := 0
		compared(x, lo, hi, func(_ int, img []U) { n += count(img) })
		firsts[i+1] = n
	}); err != nil {
		return nil, err
	}
	for i := range chunks {
		firsts[i+1] += firsts[i]
	}
	starts := cpu.Results[int](firsts[chunks] + 1)
	starts[firsts[chunks]] = len(x)
	err := t.EachUntil(chunks, func(i int) {
		lo, hi := chunk(i)
		out := starts[firsts[i]:firsts[i+1]]
		compared(x, lo, hi, func(at int, img []U) { out = out[list(out, img, at):] })
	})
	if err != nil {
		return nil, err
	}
	return starts, nil
}

// comparedBy is the comparison of words in the order of c.
func comparedBy[U key.Word](c key.Codec) comparison[U] {
	return func(x []U, lo, hi int, f func(at int, img []U)) { compared(x, lo, hi, c, f) }
}

func compared[U key.Word](x []U, lo, hi int, c key.Codec, f func(at int, img []U)) {
	if lo == 0 && hi > 0 {
		first := [2]U{^x[0], x[0]}
		if c&key.CodecEqualZeros != 0 {
			first[1] = key.Canonical(c, x[0])
			first[0] = ^first[1]
		}
		f(0, first[:])
		lo = 1
	}
	if c&key.CodecEqualZeros == 0 {
		if lo < hi {
			f(lo, x[lo-1:hi])
		}
		return
	}
	room := make([]U, min(1024, hi-lo+1))
	for step := len(room) - 1; lo < hi; lo += step {
		part := x[lo-1 : min(hi, lo+step)]
		for i, u := range part {
			room[i] = key.Canonical(c, u)
		}
		f(lo, room[:len(part)])
	}
}

// count returns how many words of img differ from the one before.
func count[U key.Word | key.Octets](img []U) (n int) {
	prev := img[0]
	for _, u := range img[1:] {
		is := 0
		if u != prev {
			is = 1
		}
		n += is
		prev = u
	}
	return n
}

// list writes the places of those words to out, img[1] being at a place, until it is
// full, and returns how many they are.
func list[U key.Word | key.Octets](out []int, img []U, at int) (n int) {
	prev := img[0]
	for i, u := range img[1:] {
		if n == len(out) {
			break
		}
		is := 0
		if u != prev {
			is = 1
		}
		out[n] = at + i // written over by the next if it is none
		n += is
		prev = u
	}
	return n
}

// Unique moves the first key of each run of equal keys in x to the front, clears what is
// behind, and returns the front. After an error, the context's, x holds each of these keys at
// least once.
func Unique[T any](t key.Type, x []T, o key.Order, h cpu.Options) ([]T, error) {
	n, err := key.ByWidthTo16(t.Bytes(),
		unique[uint8], unique[uint16], unique[uint32], unique[uint64], uniqueWide,
	)(key.Memory(x), key.CodecOf(t, o), h)
	if err != nil {
		return nil, err
	}
	return x[:n], nil
}

func unique[U key.Word](s key.Slice, c key.Codec, h cpu.Options) (int, error) {
	if c&key.CodecEqualZeros != 0 {
		return uniqueBy(key.Words[U](s), h, func(x []U, before U, none bool) int { return compactTied(x, before, none, c) })
	}
	return uniqueBy(key.Words[U](s), h, compact[U])
}

// uniqueBy is unique by what compacts a chunk.
func uniqueBy[U key.Word | key.Octets](x []U, h cpu.Options, compact func(x []U, before U, none bool) int) (int, error) {
	if len(x) <= chunkItems {
		if err := h.Err(); err != nil || len(x) == 0 {
			return 0, err
		}
		var none U
		n := compact(x, none, true)
		clear(x[n:])
		return n, nil
	}
	t := h.Team()
	chunks := (len(x) + chunkItems - 1) / chunkItems
	left := make([]int, chunks) // of each chunk, at its front
	before := make([]U, chunks) // the key before each: another worker may overwrite it
	for i := 1; i < chunks; i++ {
		before[i] = x[i*chunkItems-1]
	}
	if err := t.EachUntil(chunks, func(i int) {
		lo, hi := i*chunkItems, min(len(x), (i+1)*chunkItems)
		left[i] = compact(x[lo:hi], before[i], i == 0)
	}); err != nil {
		return 0, err
	}
	n := 0
	for i, m := range left {
		if t.Done() {
			return 0, h.Err()
		}
		n += copy(x[n:], x[i*chunkItems:][:m])
	}
	clear(x[n:])
	return n, nil
}

// compact moves to the front of x the keys that differ from the one before, and returns
// how many they are. The first is compared with before, or if it has none, taken.
func compact[U key.Word | key.Octets](x []U, before U, none bool) (n int) {
	if none {
		before, n = x[0], 1
	}
	rest := x[n:]
	// Nothing is written before the first that is not unique.
	i := 0
	for i < len(rest) && rest[i] != before {
		before = rest[i]
		i++
	}
	if i == len(rest) {
		return n + i
	}
	return compactBehind(x, n+i, rest[i:], before)
}

// runStep is how many keys are compacted before one looks whether they were all equal: a branch that
// short runs mispredict costs more than it saves.
const runStep = 256

// compactBehind moves those of rest, the end of x, to x[n:], and returns how many x then has.
func compactBehind[U key.Word | key.Octets](x []U, n int, rest []U, before U) int {
	for len(rest) > 0 {
		had := n
		part := rest[:min(len(rest), runStep)]
		for _, u := range part {
			is := 0
			if u != before {
				is = 1
			}
			x[n] = u
			n += is
			before = u
		}
		rest = rest[len(part):]
		if n == had {
			rest = rest[repeats(rest, before):]
		}
	}
	return n
}

// repeats is a number of keys at the front of x that are u, all but 7 or less.
func repeats[U key.Word | key.Octets](x []U, u U) (n int) {
	for ; len(x) >= 8; x = x[8:] {
		if y := x[:8:8]; y[0] != u || y[1] != u || y[2] != u || y[3] != u || y[4] != u || y[5] != u || y[6] != u || y[7] != u {
			break
		}
		n += 8
	}
	return n
}

// compactTied is compact in an order of c, with CodecEqualZeros.
func compactTied[U key.Word](x []U, before U, none bool, c key.Codec) (n int) {
	if none {
		before, n = x[0], 1
	}
	for _, u := range x[n:] {
		if x[n] = u; key.Canonical(c, u) != key.Canonical(c, before) {
			n++
		}
		before = u
	}
	return n
}

// Count returns the distinct keys of x in the order o, of those that are equal in it the
// first by bits, and how often each occurs. Where a sample shows that keys are many times
// as many as the distinct ones, it counts them in tables of up to 1 MiB a worker, and for
// more than 8,192 distinct ones scratch is up to 8 bytes a key and 16 a distinct one; else it
// sorts a copy, which the result may be part of, and scratch is what that takes.
func Count[T any](t key.Type, x []T, o key.Order, h cpu.Options) (values []T, counts []int, err error) {
	counts, err = key.ByWidthTo16(t.Bytes(),
		tally[uint8], tally[uint16], tally[uint32], tally[uint64], tallyWide,
	)(key.Memory(x), key.CodecOf(t, o), h, func(n int) key.Slice {
		values = cpu.Results[T](n)
		return key.Memory(values)
	})
	if err != nil {
		return nil, nil, err
	}
	return slices.Clip(values[:len(counts)]), slices.Clip(counts), nil
}

// tally returns how often each distinct key of s occurs, and writes these keys to the front
// of what alloc returns last.
func tally[U key.Word](s key.Slice, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) ([]int, error) {
	x := key.Words[U](s)
	if counts, ok, err := few(x, c, h, alloc); ok || err != nil {
		return counts, err
	}
	return tallySorted(x, h, alloc, startsOf[U](c), func(sorted []U) error { return cpu.Keys(sorted, c, h) })
}

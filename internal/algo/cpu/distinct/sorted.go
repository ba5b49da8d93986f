package distinct

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// stepItems are compacted, and their counts made, while they are in cache.
const stepItems = 1 << 12

// compaction moves to the front of x the first key of each run, and writes to starts where it
// was. The first of x begins a run if it differs from before, or there is none. It returns
// how many runs begin; where each key begins one, starts may have anything.
type compaction[U key.Word | key.Octets] func(x []U, before U, none bool, starts []int) int

// tallySorted is tally by a sorted copy of x.
func tallySorted[U key.Word | key.Octets](x []U, h cpu.Options, alloc func(n int) key.Slice, compact compaction[U], sort func(x []U) error) ([]int, error) {
	sorted := key.Words[U](alloc(len(x)))
	if err := h.Team().Steps(len(x), int(unsafe.Sizeof(*new(U))), func(lo, hi int) { copy(sorted[lo:hi], x[lo:hi]) }); err != nil {
		return nil, err
	}
	if err := sort(sorted); err != nil {
		return nil, err
	}
	counts := cpu.Results[int](len(x))
	n, err := countRuns(sorted, counts, compact, h)
	if err != nil || n > len(x)/4*3 {
		return counts[:n], err
	}
	// Else the results would keep much memory that they don't need.
	copy(key.Words[U](alloc(n)), sorted[:n])
	return append([]int{}, counts[:n]...), nil
}

// countRuns moves the first key of each run of equal keys in x to the front, and writes how
// long each is to counts, which is as long as x. It returns how many they are.
func countRuns[U key.Word | key.Octets](x []U, counts []int, compact compaction[U], h cpu.Options) (int, error) {
	t := h.Team()
	chunks := (len(x) + chunkItems - 1) / chunkItems
	before := make([]U, chunks) // the key before each: another worker may overwrite it
	for i := 1; i < chunks; i++ {
		before[i] = x[i*chunkItems-1]
	}
	// Of each chunk: the runs that begin there, where the first does, and the last.
	type ends struct{ runs, first, last int }
	found := make([]ends, chunks)
	if err := t.EachUntil(chunks, func(i int) {
		base := i * chunkItems
		part, out := x[base:min(len(x), base+chunkItems)], counts[base:]
		f, prev := &found[i], before[i]
		for lo := 0; lo < len(part); lo += stepItems {
			hi := min(len(part), lo+stepItems)
			next := part[hi-1]
			m := compact(part[lo:hi], prev, base+lo == 0, out[lo:hi])
			prev = next
			if m == 0 {
				continue
			}
			starts := out[lo : lo+m]
			first, last := starts[0], starts[m-1]
			if m == hi-lo {
				first, last = 0, m-1
				for j := range starts {
					starts[j] = 1
				}
			} else {
				for j := range m - 1 {
					starts[j] = starts[j+1] - starts[j]
				}
			}
			if f.runs == 0 {
				f.first = base + lo + first
			} else {
				out[f.runs-1] = base + lo + first - f.last
			}
			f.last = base + lo + last
			move(part, f.runs, lo, m)
			move(out, f.runs, lo, m)
			f.runs += m
		}
	}); err != nil {
		return 0, err
	}
	n, last := 0, 0 // last is where the last run begins, whose end is not known
	for i, f := range found {
		if t.Done() {
			return 0, h.Err()
		}
		if f.runs == 0 {
			continue
		}
		if n > 0 {
			counts[n-1] = f.first - last
		}
		move(x, n, i*chunkItems, f.runs)
		move(counts, n, i*chunkItems, f.runs)
		n += f.runs
		last = f.last
	}
	if n > 0 {
		counts[n-1] = len(x) - last
	}
	return n, nil
}

// move copies x[from:from+n] to x[to:], if that is elsewhere.
func move[E any](x []E, to, from, n int) {
	if to != from {
		copy(x[to:], x[from:from+n])
	}
}

// startsOf is the compaction of words in an order of c.
func startsOf[U key.Word](c key.Codec) compaction[U] {
	if c&key.CodecEqualZeros == 0 {
		return compactStarts[U]
	}
	return func(x []U, before U, none bool, starts []int) (n int) {
		if !none && untied(x, before, c) {
			return len(x)
		}
		for i, u := range x {
			x[n], starts[n] = u, i
			if none || key.Canonical(c, u) != key.Canonical(c, before) {
				n++
			}
			before, none = u, false
		}
		return n
	}
}

func compactStarts[U key.Word | key.Octets](x []U, before U, none bool, starts []int) (n int) {
	if none {
		before = x[0]
		starts[0] = 0
		n = 1
	} else if differ(x, before) {
		return len(x)
	}
	starts = starts[:len(x)]
	for i := n; i < len(x); i++ {
		u := x[i]
		is := 0
		if u != before {
			is = 1
		}
		x[n], starts[n] = u, i
		n += is
		before = u
	}
	return n
}

// differ reports whether each of x is another than the one before.
func differ[U key.Word | key.Octets](x []U, before U) bool {
	for _, u := range x {
		if u == before {
			return false
		}
		before = u
	}
	return true
}

// untied is differ in an order of c, with CodecEqualZeros; it is false, too, where x has a zero or a
// NaN that might tie.
func untied[U key.Word](x []U, before U, c key.Codec) bool {
	if key.Canonical(c, before) != before {
		return false
	}
	for _, u := range x {
		if u == before || u == 0 || key.Canonical(c, u) != u {
			return false
		}
		before = u
	}
	return true
}

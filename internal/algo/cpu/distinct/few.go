package distinct

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	// leastSample to mostSample keys, one of sampleStep, show how many are distinct; from
	// sampledMin on that pays.
	leastSample, mostSample, sampleStep = 1 << 10, 1 << 14, 64
	sampledMin                          = 16 * leastSample
	// mostFew is how many distinct keys are counted in one table, which the level-2
	// cache holds. More are divided into parts first, from partedMin keys on.
	mostFew   = 1 << 13
	partedMin = 1 << 17
	// alike is the least number of keys for each distinct one with which it pays to
	// count all and sort the distinct ones.
	alike = 4
)

// distinctOf estimates how many distinct keys x has by a sample.
func distinctOf[U key.Word](x []U) int {
	sample, put := cpu.Buffer[U](min(max(leastSample, len(x)/sampleStep), mostSample))
	defer put()
	step := len(x) / len(sample)
	for i := range sample {
		sample[i] = x[i*step+rand.IntN(step)]
	}
	slices.Sort(sample)
	return cpu.Distinct(sample, len(x))
}

// few is tally by tables, which has nothing to sort but the distinct keys. It returns false
// where they are too many.
func few[U key.Word](x []U, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) (counts []int, ok bool, err error) {
	if len(x) < sampledMin {
		return nil, false, nil
	}
	by := newHash()
	var values []U
	room := func(n int) ([]U, []int) {
		values, counts = key.Words[U](alloc(n)), cpu.Results[int](n)
		return values, counts
	}
	switch n := distinctOf(x); {
	case n <= mostFew:
		ok, err = countFew(x, n, by, h, room)
	case n <= len(x)/alike && len(x) >= partedMin && unsafe.Sizeof(U(0)) >= 4 && simd.Available():
		ok, err = countParts(x, n, by, h, room)
	}
	if !ok || err != nil {
		return nil, false, err
	}
	bits := c &^ key.CodecEqualZeros
	cpu.Encode(values, values, bits)
	if err := sortCounts(values, counts, h); err != nil {
		return nil, false, err
	}
	cpu.Decode(values, values, bits)
	if c != bits {
		counts = joinTied(values, counts, c)
	}
	return counts, true, nil
}

// countFew counts the keys of x, of which about so many are distinct, in a table for
// each worker, and writes them to room.
func countFew[U key.Word](x []U, distinct int, by hash, h cpu.Options, room func(n int) ([]U, []int)) (ok bool, err error) {
	t := h.Team()
	workers := min(t.Size(), len(x)/chunkItems+1)
	tables := make([]*table, workers)
	for w := range tables {
		tables[w] = newTable(2*distinct, 0)
		defer tables[w].put()
	}
	var next atomic.Int64
	var full atomic.Bool
	t.Each(workers, func(w int) {
		var words [1024]uint64
		for lo := int(next.Add(1)-1) * chunkItems; lo < len(x) && !t.Done(); lo = int(next.Add(1)-1) * chunkItems {
			for part := range slices.Chunk(x[lo:min(len(x), lo+chunkItems)], len(words)) {
				hashTo(words[:], part, by)
				if full.Load() || !tables[w].addAll(words[:len(part)]) {
					full.Store(true)
					return
				}
			}
		}
	})
	if err := h.Err(); err != nil || full.Load() {
		return false, err
	}
	all := tables[0]
	for _, other := range tables[1:] {
		all.spare += other.used
		for _, p := range other.pairs {
			for i, n := range p.n {
				if n != 0 && !all.add(p.word[i], n) {
					return false, nil
				}
			}
		}
	}
	list, put := cpu.Buffer[uint64](all.listed())
	defer put()
	values, counts := room(all.list(list))
	unlist(values, counts, list, by)
	return true, nil
}

// unlist writes the keys of which list has the hashes to values, and how often each occurs to
// counts.
func unlist[U key.Word](values []U, counts []int, list []uint64, by hash) {
	for i := range values {
		values[i], counts[i] = U(by.back(list[2*i])), int(list[2*i+1])
	}
}

// sortCounts sorts values and, with them, counts.
func sortCounts[U key.Word](values []U, counts []int, h cpu.Options) error {
	if strconv.IntSize == 32 {
		return cpu.Pairs(values, key.Words[uint32](key.Memory(counts)), key.CodecUnsigned, h)
	}
	return cpu.Pairs(values, key.Words[uint64](key.Memory(counts)), key.CodecUnsigned, h)
}

// joinTied leaves the first of values that tie in an order of c, and returns their counts.
func joinTied[U key.Word](values []U, counts []int, c key.Codec) []int {
	n := 0
	for i, u := range values {
		if n > 0 && key.Canonical(c, u) == key.Canonical(c, values[n-1]) {
			counts[n-1] += counts[i]
			continue
		}
		values[n], counts[n] = u, counts[i]
		n++
	}
	return counts[:n]
}

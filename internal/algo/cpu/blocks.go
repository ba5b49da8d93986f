package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// blocks is a sort of n words in two passes over memory, by all workers.
//
// First each block of words, as much as the level-2 cache holds, is
// partitioned there by splitters drawn from the whole input and written in
// bucket order to scratch. Then the pieces of each bucket are gathered into
// cache, sorted and emitted. So every key crosses the memory bus four times,
// whatever n; the partitions cost what the first levels of a quicksort would.
type blocks[U wide] struct {
	*run
	n int
	// fill writes words i, i+1, … to dst. It may be called again for the same
	// word, before any emit.
	fill func(dst []U, i int)
	// emit writes sorted words to output places at, at+1, …
	emit func(src []U, at int)

	splitters []U
	length    int      // words per block, except the last
	ends      []uint32 // per block, where each bucket but the last ends in it
	tmp       []U
}

const (
	blockBytes  = 512 << 10
	bucketBytes = 256 << 10
	maxBuckets  = 512
)

// sort runs the job. Cancelled in the first pass it emits nothing and returns
// false; later it emits everything, in order or not.
func (j *blocks[U]) sort() bool {
	size := int(unsafe.Sizeof(U(0)))
	j.length = max(64, min(blockBytes/size, j.n/(4*j.workers))) &^ 15
	j.choose(min(max(j.n*size/bucketBytes, 8*j.workers), maxBuckets, j.n/1024))
	count := (j.n + j.length - 1) / j.length
	buckets := len(j.splitters) + 1
	tmp := getScratch[U](j.n)
	defer tmp.put()
	ends := getScratch[uint32](count * len(j.splitters))
	defer ends.put()
	j.tmp, j.ends = tmp.s, ends.s
	workers := make([]blockWorker[U], min(j.workers, max(count, buckets)))
	for i := range workers {
		workers[i].s = getScratch[simd.Scratch[U]](1)
		defer workers[i].s.put()
	}
	j.each(count, func(w, b int) { j.partition(b, &workers[w]) })
	for i := range workers {
		workers[i].local.put()
		workers[i].local = scratch[U]{}
	}
	if j.cancelled() {
		return false
	}
	at := make([]int, buckets+1)
	for b := range count {
		lo := 0
		for i := range buckets {
			hi := j.end(b, i)
			at[i+1] += hi - lo
			lo = hi
		}
	}
	for i := range buckets {
		at[i+1] += at[i]
	}
	j.each(buckets, func(w, i int) { j.bucket(i, count, at[i], at[i+1]-at[i], &workers[w]) })
	for i := range workers {
		workers[i].local.put()
	}
	return true
}

// blockWorker is the memory of one worker.
type blockWorker[U wide] struct {
	s     scratch[simd.Scratch[U]]
	local scratch[U]
}

// room returns n words that keep no content.
func (w *blockWorker[U]) room(n int) []U {
	if len(w.local.s) < n {
		w.local.put()
		w.local = getScratch[U](n)
	}
	return w.local.s[:n]
}

// choose draws splitters for about the given number of buckets. A word drawn
// often enough to be two splitters gets a bucket of its own.
func (j *blocks[U]) choose(buckets int) {
	const over = 8 // a bucket is then rarely more than twice the average
	draw := buckets * over
	sample := getScratch[U](draw)
	defer sample.put()
	seed := uint64(j.n)
	for i := range sample.s {
		seed = seed*0xd1342543de82ef95 + 0x9e3779b97f4a7c15
		lo, hi := chunk(j.n, draw, i)
		j.fill(sample.s[i:i+1], lo+int((seed>>33)%uint64(hi-lo)))
	}
	s := getScratch[simd.Scratch[U]](1)
	defer s.put()
	simd.Sort(sample.s, &s.s[0])
	j.splitters = make([]U, 0, 2*buckets)
	for i := over; i < draw; i += over {
		p := sample.s[i]
		last := len(j.splitters) - 1
		switch {
		case last < 0 || j.splitters[last] < p:
			j.splitters = append(j.splitters, p)
		case j.splitters[last] == p && p != ^U(0):
			j.splitters = append(j.splitters, p+1)
		}
	}
}

// constant reports whether all words of bucket i are equal.
func (j *blocks[U]) constant(i int) bool {
	s := j.splitters
	return i > 0 && i < len(s) && s[i]-s[i-1] == 1 || i > 0 && i == len(s) && s[i-1] == ^U(0)
}

// end returns where bucket i ends in block b.
func (j *blocks[U]) end(b, i int) int {
	if i == len(j.splitters) {
		return min(j.length, j.n-b*j.length)
	}
	return int(j.ends[b*len(j.splitters)+i])
}

// piece returns the words of bucket i in block b.
func (j *blocks[U]) piece(b, i int) []U {
	lo := 0
	if i > 0 {
		lo = j.end(b, i-1)
	}
	return j.tmp[b*j.length+lo : b*j.length+j.end(b, i)]
}

func (j *blocks[U]) partition(b int, w *blockWorker[U]) {
	if j.cancelled() {
		return
	}
	lo, hi := b*j.length, min((b+1)*j.length, j.n)
	x := w.room(j.length)[:hi-lo]
	j.fill(x, lo)
	k := len(j.splitters)
	simd.Tree(x, j.splitters, j.ends[b*k:(b+1)*k], &w.s.s[0])
	simd.Stream(j.tmp[lo:hi], x)
}

// bucket gathers, sorts and emits the n words of bucket i.
func (j *blocks[U]) bucket(i, count, at, n int, w *blockWorker[U]) {
	if j.cancelled() || j.constant(i) {
		for b := range count {
			p := j.piece(b, i)
			if len(p) > 0 {
				j.emit(p, at)
			}
			at += len(p)
		}
		return
	}
	x := w.room(n)
	k := 0
	for b := range count {
		k += copy(x[k:], j.piece(b, i))
	}
	simd.SortThen(x, &w.s.s[0], func(part []U) {
		j.emit(part, at)
		at += len(part)
	})
}

package simd

import (
	"math/bits"
	"math/rand/v2"
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
	// their number; buf is scratch for n words and Slack bytes. It is nil
	// where split is as fast for short ranges.
	part func(x *U, n int, pivot U, buf *U) int
	// split is part without a buffer and unstable, for n over netMax.
	split func(x *U, n int, pivot U) int
	// splitXor and splitFloat encode the keys on the way, the latter by a map
	// whose M is 0; splitXor may be nil.
	splitXor   func(x *U, n int, pivot, mask U) int
	splitFloat func(x *U, n int, pivot U, f *FloatMap[U]) int
	// orderedXor and orderedFloat return an i, x[:i+1] being in order of the encoded keys
	// of its keys, that is at most a few vectors short of the first disorder or of n;
	// n is at least 2·Slack. They may be nil.
	orderedXor   func(x *U, n int, mask U) int
	orderedFloat func(x *U, n int, f *FloatMap[U]) int
	// two counts in equal the words of x[:done] that are a, all others there
	// being b; done is less than 64 words short of n or of the first that is
	// neither.
	two func(x *U, n int, a, b U) (done, equal int)
	// twoFill is two for the streams of one block, which it writes v over, in
	// steps of twoVectors vectors, one of each stream in turn. It ends before the
	// first step that has a third value and returns how many it took.
	twoFill func(x *U, a, b, v U) (steps, equal int)
	// same returns how many of the first n bytes at x are those of a, repeated,
	// in multiples of streamsBlock or less.
	same func(x *uint64, n int, a uint64) (done int)
	// few counts in sums the words of x, whole vectors, that are each of the
	// first m values, m being a multiple of 4. It may be nil.
	few    func(x []U, values *[fewValues]U, m int, sums *[fewValues]int)
	netMax int
	lanes  int // words of a vector
}

// Slack is the number of bytes that scratch must have beyond its words,
// because kernels load and store whole vectors.
const Slack = 128

func kernelsOf[U Word]() *kernels[U] {
	if unsafe.Sizeof(U(0)) == 4 {
		return (*kernels[U])(unsafe.Pointer(kernels32()))
	}
	return (*kernels[U])(unsafe.Pointer(kernels64()))
}

// partBytes is the longest range that is partitioned through a buffer, which
// is cheaper than in place while both stay in the level-1 cache: measured best
// of 4 … 64 KiB.
const partBytes = 8 << 10

func partMax[U Word]() int { return partBytes / int(unsafe.Sizeof(U(0))) }

// thenMax is the length of ranges that are decoded and handed on together:
// still in the level-1 cache.
const thenMax = 2048

// Available reports whether this processor has kernels.
func Available() bool { return Current() != Plain }

// Tiny sorts x by unsigned value and reports true if that takes no scratch: x
// is short and the processor has kernels.
func Tiny[U Word](x []U) bool {
	k := kernelsOf[U]()
	if k == nil || len(x) > k.netMax {
		return false
	}
	if len(x) > 1 {
		k.sort(&x[0], len(x))
	}
	return true
}

// Scratch is memory that a sort of any length needs: a buffer, and behind it
// room for the splitters of splitterLevels nested samples.
type Scratch[U Word] [bufWords + splitterLevels*maxSplitters]U

const (
	bufWords = partBytes/4 + Slack/4
	// splitterLevels is more than the samples that nest in 2^40 words, each of
	// which divides its range by 2 to 32; deeper ones allocate.
	splitterLevels = 16
)

// Job is a sort of words by their encoded keys under Codec.
type Job[U Word] struct {
	Scratch *Scratch[U]
	// Codec is undone at the end; it must already have been applied unless
	// Raw is set.
	Codec Codec[U]
	Raw   bool
	// Then is called, if it is not nil, for consecutive parts of the sorted
	// words, decoded and still in cache.
	Then func(x []U)
	// Stop, if it is not nil, is asked before each longer step, and ends the sort
	// early if it returns true: the words are then in some order, but decoded and
	// handed to Then. Once true, it must stay so.
	Stop func() bool
}

// Sort sorts x, whose encoded keys are all at least lo. It must be Available.
func (j *Job[U]) Sort(x []U, lo U) {
	q := quick[U]{k: kernelsOf[U](), buf: &j.Scratch[0], job: j, room: j.Scratch[bufWords:]}
	if len(x) == 0 {
		return
	}
	if !j.Raw || j.Codec == (Codec[U]{}) {
		q.sort(x, lo, nil, budget(x))
		return
	}
	if len(x) <= partMax[U]() {
		encodeAll(x, j.Codec)
		q.sort(x, lo, nil, budget(x))
		return
	}
	sp := q.sample(x, q.splitters(), &j.Codec)
	if q.fillRaw(x, sp) || q.fillFew(x, true) {
		return
	}
	mid := len(sp) / 2
	m := q.first(x, sp[mid], j.Codec)
	q.sort(x[:m], lo, sp[:mid], budget(x))
	q.sort(x[m:], sp[mid], sp[mid+1:], budget(x))
}

// Partition moves the words of x whose encoded keys are below pivot to the front and
// returns their number. If raw is set it encodes all of x by c on the way. It
// must be Available.
func Partition[U Word](x []U, pivot U, s *Scratch[U], c Codec[U], raw bool) int {
	if len(x) == 0 {
		return 0
	}
	q := quick[U]{k: kernelsOf[U](), buf: &s[0]}
	if !raw || c == (Codec[U]{}) {
		return q.part(x, pivot)
	}
	if len(x) > partMax[U]() {
		return q.first(x, pivot, c)
	}
	encodeAll(x, c)
	return q.part(x, pivot)
}

// first partitions x, longer than partMax, and encodes it.
func (q *quick[U]) first(x []U, pivot U, c Codec[U]) int {
	last := x[len(x)&^(q.k.lanes-1):]
	switch {
	case c.Float != nil && c.Float[0] == 0:
		encodeAll(last, c)
		return q.k.splitFloat(&x[0], len(x), pivot, c.Float)
	case c.Float == nil && q.k.splitXor != nil:
		encodeAll(last, c)
		return q.k.splitXor(&x[0], len(x), pivot, c.Mask)
	}
	encodeAll(x, c)
	return q.part(x, pivot)
}

// Codec is a map of words that is applied before a sort and undone after: by
// Float if that is not nil, else XOR with Mask.
type Codec[U Word] struct {
	Float *FloatMap[U]
	Mask  U
}

func budget[U Word](x []U) int { return 2*bits.Len(uint(len(x))) + 8 }

type quick[U Word] struct {
	k    *kernels[U]
	buf  *U
	job  *Job[U] // nil: nothing to do for sorted parts
	room []U     // for splitters
	// drawn is how many words the last sample left in buf.
	drawn int
}

// splitters takes room for one sample's splitters, which the caller gives back
// by restoring q.room.
func (q *quick[U]) splitters() []U {
	if len(q.room) < maxSplitters {
		return make([]U, maxSplitters)
	}
	s := q.room[:maxSplitters]
	q.room = q.room[maxSplitters:]
	return s
}

// sort sorts x, whose words are all at least lo. splitters are ascending words
// drawn from around x. budget is how many lopsided partitions may still
// follow on the way down; an input that uses it up is sorted by slices.Sort,
// which bounds the time that crafted or unlucky inputs can take.
func (q *quick[U]) sort(x []U, lo U, splitters []U, budget int) {
	q.sortBy(x, lo, splitters, budget, false)
}

// freshMin is the length from which the last few splitters of a sample are
// worth a new one, which shows better whether few values are left.
const freshMin = 1 << 18

// sortBy is sort; fresh says that the splitters are of a sample of x.
func (q *quick[U]) sortBy(x []U, lo U, splitters []U, budget int, fresh bool) {
	for len(x) > q.k.netMax {
		if q.job != nil {
			if q.stopped() {
				q.done(x)
				return
			}
			if len(x) <= thenMax {
				job := q.job
				q.job = nil
				q.sort(x, lo, splitters, budget)
				q.job = job
				q.done(x)
				return
			}
		}
		if len(splitters) == 0 || len(splitters) <= 3 && len(x) >= freshMin && !fresh {
			room := q.room
			sp := q.sample(x, q.splitters(), nil)
			if !q.fillFew(x, false) {
				q.sortBy(x, lo, sp, budget, true)
			}
			q.room = room
			return
		}
		// A fresh sample has been looked at, if it is of so many words.
		if splitters[0] == lo && (!fresh || len(x) < fewMin) && q.fillTwo(x, lo, splitters) {
			return
		}
		mid := len(splitters) / 2
		p := splitters[mid]
		if p < lo {
			splitters = splitters[mid+1:]
			continue
		}
		low := splitters[:mid] // those below p
		for len(low) > 0 && low[len(low)-1] == p {
			low = low[:len(low)-1]
		}
		fresh = false
		equal := p == lo // the words equal to lo are then many: take them out
		if equal {
			p++
			if p == 0 {
				q.done(x) // lo is the largest word: all are equal
				return
			}
		}
		m := q.part(x, p)
		if min(m, len(x)-m) < len(x)/32 {
			if budget--; budget < 0 {
				slices.Sort(x)
				q.done(x)
				return
			}
		}
		if equal {
			q.done(x[:m])
		} else {
			q.sort(x[:m], lo, low, budget)
		}
		x, lo, splitters = x[m:], p, splitters[mid+1:]
	}
	if len(x) > 1 {
		q.k.sort(&x[0], len(x))
	}
	q.done(x)
}

// stopped reports whether the sort is to end early.
func (q *quick[U]) stopped() bool {
	return q.job != nil && q.job.Stop != nil && q.job.Stop()
}

// done decodes a sorted part and hands it on.
func (q *quick[U]) done(x []U) {
	if q.job == nil || len(x) == 0 {
		return
	}
	if q.job.Codec != (Codec[U]{}) {
		decodeAll(x, q.job.Codec)
	}
	if q.job.Then != nil {
		q.job.Then(x)
	}
}

// part partitions x, which is not empty.
func (q *quick[U]) part(x []U, pivot U) int {
	switch {
	case len(x) > partMax[U]() || q.k.part == nil && len(x) > q.k.netMax:
		return q.k.split(&x[0], len(x), pivot)
	case q.k.part != nil:
		return q.k.part(&x[0], len(x), pivot, q.buf)
	}
	m := 0
	for i, u := range x {
		if u < pivot {
			x[i], x[m] = x[m], u
			m++
		}
	}
	return m
}

const maxSplitters = 31

// oversample is the number of words drawn per range. More make ranges more
// equal but cost more: 4 measured better than 8.
const oversample = 4

// sample draws words of x at steps of nearly equal length, sorts them and
// returns every few of them in s: as many splitters as leave ranges of two
// thirds of netMax, so that few ranges need one more partition, if the drawn
// words fit one network. Words are encoded by c if that is not nil.
func (q *quick[U]) sample(x, s []U, c *Codec[U]) []U {
	n := len(x)
	take := 1
	for take < maxSplitters && (take+1)*q.k.netMax*2 < n*3 {
		take = 2*take + 1
	}
	draw := min(oversample*(take+1), q.k.netMax, 256)
	take = min(take, draw/4)
	d := unsafe.Slice(q.buf, draw) // fits: x is longer than netMax
	q.drawn = draw
	// All of 64 bits, on processors of 32 bits too.
	step := uint64(n) / uint64(draw)
	// Drawn anew each time, so that no input can be made to divide badly.
	seed := rand.Uint64()
	at := uint64(0)
	for i := range d {
		seed = seed*0xd1342543de82ef95 + 1
		hi, _ := bits.Mul64(seed, step)
		d[i] = x[at+hi]
		at += step
	}
	if c != nil {
		encodeAll(d, *c)
	}
	q.k.sort(&d[0], draw)
	for i := range take {
		s[i] = d[(i+1)*draw/(take+1)]
	}
	return s[:take]
}

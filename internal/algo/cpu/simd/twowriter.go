package simd

import (
	"sync/atomic"
	"unsafe"
)

// twoWriter sorts words of two values in one pass over memory. Nothing has to be
// moved: it is enough to count the lower value, and to write each place once. So
// each block is written over with the value that probably belongs there while it
// is in the level-1 cache, and when the count is known, what turns out wrong is
// written again: as much as the estimate of the boundary was off.
//
// Between blocks, x[:split] is the lower and x[split:read] the upper value, and
// lower says how many of these words should be the lower. So whatever ends the
// pass, a word that is neither or a cancelled sort, the words that were read can
// be put back, in another order.
type twoWriter[U Word] struct {
	k *kernels[U]
	// in are the lower and the upper value as they are in x, out as they are to
	// be: decoded.
	in, out [2]U
	likely  int          // how many words are probably the lower
	stop    *atomic.Bool // ends the pass; may be nil

	read, split, lower int
}

const (
	// blockStreams is how many streams kernels go through side by side; they lie
	// one behind the other.
	blockStreams = 8
	// streamsBlock is how many bytes these streams have together.
	streamsBlock = blockStreams * (8*4096 + 512)
	// twoVectors is how many vectors of a stream a kernel looks at in one step.
	twoVectors = 4
)

// sort sorts x and returns how many of its words are the lower value. If one is
// neither value, or the sort is cancelled, it returns false, and x is as it was
// but for the order.
func (w *twoWriter[U]) sort(x []U) (lower int, ok bool) {
	block := streamsBlock / int(unsafe.Sizeof(x[0]))
	for len(x)-w.read >= block {
		if w.stop != nil && w.stop.Load() || !w.block(x[w.read:w.read+block]) {
			w.settle(x[:w.read], w.in)
			return 0, false
		}
	}
	rest := x[w.read:]
	done, equal := scanTwo(w.k, rest, w.in[0], w.in[1])
	if done < len(rest) {
		w.settle(x[:w.read], w.in)
		return 0, false
	}
	w.lower += equal
	w.settle(x, w.out)
	return w.lower, true
}

// block reads the next block and writes over it. If it has a third value, it is
// as it was but for the order.
func (w *twoWriter[U]) block(b []U) bool {
	upper := w.read+len(b)/2 > w.likely
	v := w.out[0]
	if upper {
		v = w.out[1]
	}
	steps, equal := w.k.twoFill(&b[0], w.in[0], w.in[1], v)
	if step := twoVectors * w.k.lanes; steps < len(b)/step {
		restoreBlock(b, w.in, steps, step, equal)
		return false
	}
	w.read += len(b)
	w.lower += equal
	if !upper {
		w.split = w.read
	}
	return true
}

// restoreBlock writes lower words of values[0], and of values[1] for the rest, to
// what so many steps of a block have written over: one step of each stream in
// turn.
func restoreBlock[U Word](b []U, values [2]U, steps, step, lower int) {
	stream := len(b) / blockStreams
	for s := range blockStreams {
		done := b[s*stream:][:(steps+blockStreams-1-s)/blockStreams*step]
		n := min(lower, len(done))
		fill(done[:n], values[0], false)
		fill(done[n:], values[1], false)
		lower -= n
	}
}

// settle makes x its lower words of the first value, and the second for the rest.
// x may have words that are not yet written.
func (w *twoWriter[U]) settle(x []U, values [2]U) {
	split, read := w.split, w.read
	if values != w.out {
		split, read = 0, 0 // all is to be written again
	}
	if w.lower < split {
		w.fill(x[w.lower:split], values[1])
	} else {
		w.fill(x[split:w.lower], values[0])
	}
	w.fill(x[max(w.lower, read):], values[1])
}

// fill sets all words of x to v.
func (w *twoWriter[U]) fill(x []U, v U) {
	fill(x, v, len(x)*int(unsafe.Sizeof(v)) >= streamMin)
}

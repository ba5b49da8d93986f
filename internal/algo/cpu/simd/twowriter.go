package simd

import "unsafe"

// twoWriter sorts words of two values in one pass over memory. Nothing has to be
// moved: it is enough to count the lower value, and to write each place once. So
// each block is written over, while it is in the level-1 cache, with one value: the
// next block from the front with the lower one, if more of that have been read than
// written, else the next from the back with the upper one.
//
// So what has been written of either value is never further from what has been read
// of it than a block: a block written at the front brings lower − front down by at
// most its length, and only if that is positive; one at the back brings it up by at
// most its length, and only if it is not. Whatever ends the pass, the last block, a
// word that is neither value or a cancelled sort, a block at most is to be written
// again for x to hold the words that it should, but where x is to be decoded and
// must be as it was.
type twoWriter[U Word] struct {
	k *kernels[U]
	// in are the lower and the upper value as they are in x, out as they are to
	// be: decoded.
	in, out [2]U
	stop    func() bool // ends the pass if it returns true; may be nil

	// front and back are how many words have been read and written at either end
	// of the blocks; lower is how many of them were the lower value.
	front, back, lower int
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
	blocks := x[:len(x)/block*block]
	for w.front+w.back < len(blocks) {
		at, v, done := w.front, w.out[0], &w.front
		if w.lower <= w.front {
			at, v, done = len(blocks)-w.back-block, w.out[1], &w.back
		}
		if w.stop != nil && w.stop() || !w.block(blocks[at:at+block], v) {
			w.restore(blocks)
			return 0, false
		}
		*done += block
	}
	rest := x[len(blocks):]
	done, equal := scanTwo(w.k, rest, w.in[0], w.in[1])
	if done < len(rest) {
		w.restore(blocks)
		return 0, false
	}
	w.lower += equal
	w.finish(x)
	return w.lower, true
}

// block reads b, counts it and writes v over it. If it has a third value, it is as
// it was but for the order, and not counted.
func (w *twoWriter[U]) block(b []U, v U) bool {
	steps, equal := w.k.twoFill(&b[0], w.in[0], w.in[1], v)
	if step := twoVectors * w.k.lanes; steps < len(b)/step {
		restoreBlock(b, w.in, steps, step, equal)
		return false
	}
	w.lower += equal
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

// finish makes x, all of whose words have been read, its lower words of the lower
// value and the upper one for the rest.
func (w *twoWriter[U]) finish(x []U) {
	if w.lower < w.front {
		w.fill(x[w.lower:w.front], w.out[1])
	} else {
		w.fill(x[w.front:w.lower], w.out[0])
	}
	w.fill(x[max(w.lower, w.front+w.back):], w.out[1])
}

// restore puts the words that have been read of the blocks back, in another order.
func (w *twoWriter[U]) restore(blocks []U) {
	front, back := blocks[:w.front], blocks[len(blocks)-w.back:]
	low := min(w.lower, w.front) // of the lower value at the front; the rest behind
	if w.in != w.out {
		w.fill(front[:low], w.in[0])
		w.fill(back[w.lower-low:], w.in[1])
	}
	w.fill(front[low:], w.in[1])
	w.fill(back[:w.lower-low], w.in[0])
}

// fill sets all words of x to v.
func (w *twoWriter[U]) fill(x []U, v U) {
	fill(x, v, len(x)*int(unsafe.Sizeof(v)) >= streamMin)
}

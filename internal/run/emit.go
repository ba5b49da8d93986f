package run

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
)

// heapBytes is what the runtime has besides.
const heapBytes = 8 << 20

// order sorts the index of the table, as a phase.
func (f *former) order() error {
	f.Phase("sorting", 0)
	return f.argsort()
}

// argsort sorts the index of the table.
func (f *former) argsort() error {
	t := f.t
	taken := t.used + uint64(t.rows)*(t.rowBytes()-sortBytes)
	if t.numbers.Load() {
		taken = uint64(t.rows) * numberBytes
	}
	if taken > f.Budget/8 {
		f.Heap(int64(f.Budget - min(f.Budget, taken) + heapBytes))
	}
	if f.st.Runs > 0 {
		runtime.GC() // what the last sort left
	}
	if t.numbers.Load() {
		return f.sortNumbers()
	}
	t.finish()
	o := bytekeys.Options{Workers: f.Workers, Desc: f.Desc, Compact: true}
	if t.split && f.Tail {
		o.Tail = tails{t, uint32(f.Format.Delimiter())}
	}
	return t.argsort(f.ctx, o)
}

// gatherRows is how many rows' places are looked up before any of them is copied, so
// that the memory's latencies overlap.
const gatherRows = 128

// emit hands the rows of the ordered table to write, in blocks, one after another.
// Goroutines collect blocks ahead.
func (f *former) emit(write func(rows []byte, n int) error, count func([]byte, int64) []byte) error {
	t := f.t
	if t.rows == 0 {
		return nil
	}
	unique := f.Unique && (f.Count == nil || count != nil)
	per := int(max(1, min(uint64(t.rows), uint64(f.block)*uint64(t.rows)/(t.used+1))))
	chunks := (t.rows + per - 1) / per
	var next atomic.Int64
	turn := newOrdered()
	team := crew{stop: func() { turn.pass(errEarlyEnd) }}
	for range min(f.Workers+1, chunks) {
		team.begin(func() {
			var buf []byte
			for i := int(next.Add(1) - 1); i < chunks; i = int(next.Add(1) - 1) {
				var n int
				lo, hi := i*per, min(t.rows, (i+1)*per)
				err := t.guard(func() error {
					if t.numbers.Load() {
						buf, n = f.gatherNumbers(buf[:0], lo, hi, unique, count)
					} else {
						buf, n = t.gather(buf[:0], lo, hi, unique, count)
					}
					return nil
				})
				if e := turn.wait(i); e != nil {
					err = e
				}
				if err == nil {
					err = f.ctx.Err()
				}
				if err == nil {
					err = write(buf, n)
				}
				turn.pass(err)
				if err != nil {
					return
				}
			}
		})
	}
	team.wait()
	return turn.failed()
}

// gather appends the rows of index [lo, hi) to dst, of those that tie the first alone
// if they are to be unique, behind what count says of their number, if it is not nil.
func (t *table) gather(dst []byte, lo, hi int, unique bool, count func([]byte, int64) []byte) ([]byte, int) {
	var from, to [gatherRows]uint64
	n := 0
	for lo < hi {
		part := t.index.All[lo:min(hi, lo+gatherRows)]
		t.places(part, &from, &to)
		t.touch(from[:len(part)], to[:len(part)])
		for i, row := range part {
			if unique && lo+i > 0 && bytes.Equal(t.Bytes(row), t.Bytes(t.index.All[lo+i-1])) {
				continue
			}
			if count != nil {
				dst = count(dst, t.ties(lo+i))
			}
			dst = append(dst, t.texts[from[i]:to[i]]...)
			n++
		}
		lo += len(part)
	}
	return dst, n
}

// ties is how many rows of the index tie from i on.
func (t *table) ties(i int) int64 {
	end := i + 1
	for end < t.rows && bytes.Equal(t.Bytes(t.index.All[end]), t.Bytes(t.index.All[i])) {
		end++
	}
	return int64(end - i)
}

// places looks up where rows begin and end. The loops are short, so that the processor
// waits for many rows at once.
func (t *table) places(part []uint32, from, to *[gatherRows]uint64) {
	place := unsafe.Pointer(unsafe.SliceData(t.place.All))
	part = part[:min(len(part), gatherRows)]
	if t.keyed {
		begin, end := 4*uintptr(t.from), 4*uintptr(t.to)
		for i, row := range part {
			p := unsafe.Add(place, uintptr(row)*8)
			from[i], to[i] = uint64(*(*uint32)(unsafe.Add(p, begin))), uint64(*(*uint32)(unsafe.Add(p, end)))
		}
	} else {
		for i, row := range part {
			p := unsafe.Add(place, uintptr(row)*4)
			from[i], to[i] = uint64(*(*uint32)(p)), uint64(*(*uint32)(unsafe.Add(p, 4)))
		}
	}
	if len(t.wraps)+len(t.far) > 0 {
		for i, row := range part {
			from[i], to[i] = t.text(row)
		}
	}
}

// touch brings rows closer. Inlined, it would be left out.
//
//go:noinline
func (t *table) touch(from, to []uint64) (touched byte) {
	data := unsafe.Pointer(unsafe.SliceData(t.texts))
	to = to[:len(from)]
	for i, at := range from {
		touched ^= *(*byte)(unsafe.Add(data, at)) ^ *(*byte)(unsafe.Add(data, to[i]-1))
	}
	return touched
}

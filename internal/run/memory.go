package run

import (
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// table has rows, their keys, and the places of both. If all rows are kept, they lie apart from their
// keys, so that keys are dense: in memory, or in a file that is mapped. Otherwise a row lies behind
// its key. A row that is its own key lies in data, or in the file.
type table struct {
	data  mem.Reserved[uint8]  // keys, or what has both
	apart mem.Reserved[uint8]  // rows apart from their keys
	place mem.Reserved[uint32] // where each entry begins, modulo 4 GiB, and where its row, if it has a key
	index mem.Reserved[uint32] // for the order
	wraps []uint32             // rows from which on entries begin 4 GiB further
	far   []uint32             // the same for rows that are apart
	used  uint64               // bytes of keys and rows
	keys  uint64               // of these, of keys of rows that are apart
	end   uint64               // of the last row, in apart or in the file
	rows  int
	most  int // rows that there is room for
	keyed bool
	split bool // rows are apart from their keys
	// stride is the number of places of an entry: those that are read together lie
	// together.
	stride int
	// What is compared ends at this place of an entry, less so many bytes: where its row
	// begins, or where the next entry begins, but for the delimiter.
	until int
	less  uint32
	// A row begins and ends at these places of an entry.
	from, to int
	ordered  []byte // has what is compared
	texts    []byte // has the rows: data, apart, or the file with room for the end that its last row may lack
	room     uint64 // bytes that all of it may take
	suited   uint64 // bytes from which on pages are to be suited again
	file     *mem.Mapped
	// numbers says that data holds numbers, which used counts as their rows.
	numbers atomic.Bool
}

// rowBytes is what a row takes besides its bytes: two places, one of them of keyed
// rows, an index, and what sorting takes.
func (t *table) rowBytes() uint64 {
	if t.keyed {
		return 4 + 4 + 4 + sortBytes
	}
	return 4 + 4 + sortBytes
}

// sortBytes is what sorting takes for a row.
const sortBytes = bytekeys.CompactPerRow

// suitBytes is after how many bytes of rows it is tried what pages suit.
const suitBytes = 16 << 20

// mostRows bounds the rows of a table: their numbers have 32 bits.
const mostRows = 1<<32 - 2

// newTable makes a table of so many bytes in all.
func newTable(o Options, keyed bool, room uint64) (*table, error) {
	t := &table{keyed: keyed, stride: 1, until: 1, less: uint32(o.Format.Delimiter()), to: 1, room: room}
	switch {
	case keyed && o.keepsAll():
		t.split, t.stride, t.until, t.less, t.from, t.to = true, 2, 2, 0, 1, 3
	case keyed && o.Tail:
		t.stride, t.until, t.from, t.to = 2, 2, 1, 2
	case keyed:
		t.stride, t.less, t.from, t.to = 2, 0, 1, 2
	}
	if err := t.reserve(room); err != nil {
		t.release()
		return nil, err
	}
	return t, nil
}

// reserve makes the address ranges for room bytes of rows, none of which takes memory yet.
func (t *table) reserve(room uint64) (err error) {
	rows := min(room/t.rowBytes(), mostRows)
	if t.data, err = mem.Reserve[uint8](room); err != nil {
		return err
	}
	if t.split {
		if t.apart, err = mem.Reserve[uint8](room); err != nil {
			return err
		}
	}
	if t.place, err = mem.Reserve[uint32]((rows + 1) * uint64(t.stride)); err != nil {
		return err
	}
	t.index, err = mem.Reserve[uint32](rows)
	t.most = int(rows)
	t.room = room
	t.point()
	return err
}

// point settles where bytes of rows and keys are read.
func (t *table) point() {
	switch {
	case t.file != nil: // whose rows stay where they are
	case t.split:
		t.texts = t.apart.All
	default:
		t.texts = t.data.All
	}
	if t.ordered = t.data.All; !t.keyed {
		t.ordered = t.texts
	}
}

func (t *table) release() {
	t.data.Release()
	t.apart.Release()
	t.place.Release()
	t.index.Release()
}

// clear empties the table, which keeps its memory.
func (t *table) clear() {
	t.rows, t.used, t.keys, t.wraps, t.far = 0, 0, 0, t.wraps[:0], t.far[:0]
	if t.file == nil {
		t.end = 0
		return
	}
	t.file.Drop() // the next row follows the last one
}

// drop gives the memory of an empty table back.
func (t *table) drop() {
	t.data.Drop()
	t.apart.Drop()
	t.place.Drop()
	t.index.Drop()
}

// fits reports whether rows of so many bytes have room.
func (t *table) fits(rows int, bytes uint64) bool {
	if t.numbers.Load() {
		return uint64(t.rows+rows)*numberBytes <= t.room
	}
	return t.used+bytes+uint64(t.rows+rows)*t.rowBytes() <= t.room && t.rows+rows <= t.most
}

// span is a part of a table that a goroutine fills.
type span struct {
	row  int
	at   uint64 // where bytes go in data
	text uint64 // what the places of rows count from: at, or a place in apart or in the file
}

// take hands out space for rows of so many bytes. keys is how many of them are keys of rows that are
// apart.
func (t *table) take(rows int, bytes, keys uint64) span {
	if t.used >= t.suited && t.file == nil && !t.numbers.Load() {
		t.data.Suit(t.used - t.end) // bytes in data
		t.apart.Suit(t.end)
		t.suited = t.used + suitBytes
	}
	s := span{t.rows, t.used, t.used}
	if (t.split || t.file != nil) && !t.numbers.Load() {
		s.at, s.text = t.keys, t.end
		t.keys += keys
		t.end += bytes - keys
	}
	t.rows += rows
	t.used += bytes
	return s
}

// Len implements bytekeys.Source.
func (t *table) Len() int { return t.rows }

// offset is where entry i begins; t.rows is where the last one ends.
func (t *table) offset(i uint32) uint64 {
	return uint64(t.place.All[int(i)*t.stride]) + high(t.wraps, i)
}

// high is what places of entry i lack, multiples of 4 GiB.
func high(wraps []uint32, i uint32) (high uint64) {
	for _, w := range wraps {
		if i < w {
			break
		}
		high += 1 << 32
	}
	return high
}

// text is where the row of entry i lies.
func (t *table) text(i uint32) (from, to uint64) {
	if t.split {
		at := t.place.All[2*int(i)+1 : 2*int(i)+4]
		from = uint64(at[0]) + high(t.far, i)
		return from, from + uint64(at[2]-at[0])
	}
	begin := t.offset(i)
	if from = begin; t.keyed {
		from += uint64(t.place.All[2*int(i)+1] - uint32(begin))
	}
	return from, t.offset(i + 1)
}

// Bytes implements bytekeys.Source: what entry i is ordered by.
func (t *table) Bytes(i uint32) []byte {
	at := int(i) * t.stride
	if len(t.wraps) == 0 {
		places := t.place.All[at : at+t.until+1]
		return t.ordered[places[0] : places[t.until]-t.less]
	}
	begin := t.offset(i)
	return t.ordered[begin : begin+uint64(t.place.All[at+t.until]-t.less-uint32(begin))]
}

// orderedEnd is where the last of what is compared ends.
func (t *table) orderedEnd() uint64 {
	switch {
	case t.split:
		return t.keys
	case t.file != nil:
		return t.end
	}
	return t.used
}

// finish has places end where the last row does.
func (t *table) finish() {
	t.place.All[t.rows*t.stride] = uint32(t.orderedEnd())
	if t.split {
		t.place.All[t.rows*t.stride+1] = uint32(t.end)
	}
}

// Touch implements bytekeys.Toucher: it looks up where all rows are before it reads any.
func (t *table) Touch(rows []uint32, depth, n int) byte {
	var from [bytekeys.TouchRows]uint64
	rows = rows[:min(len(rows), len(from))]
	if len(t.wraps) == 0 {
		lookUp(&from, rows, t.place.All, t.stride)
	} else {
		for i, row := range rows {
			from[i] = t.offset(row)
		}
	}
	return bring(from[:len(rows)], t.ordered[:t.orderedEnd()], depth, n)
}

// lookUp finds where rows begin, of which every stride-th place tells it.
func lookUp(from *[bytekeys.TouchRows]uint64, rows, place []uint32, stride int) {
	p, step := unsafe.Pointer(unsafe.SliceData(place)), uintptr(4*stride)
	for i, row := range rows {
		from[i] = uint64(*(*uint32)(unsafe.Add(p, uintptr(row)*step)))
	}
}

// bring reads, of each string that begins there in text, the first and the last of the n bytes
// behind depth ones, as far as text goes.
func bring(from []uint64, text []byte, depth, n int) (touched byte) {
	data, last := unsafe.Pointer(unsafe.SliceData(text)), uint64(max(len(text), 1)-1)
	for _, at := range from {
		at += uint64(depth)
		touched ^= *(*byte)(unsafe.Add(data, min(at, last))) ^ *(*byte)(unsafe.Add(data, min(at+uint64(n)-1, last)))
	}
	return touched
}

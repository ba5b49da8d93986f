package table

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// builder makes an array of values as appendValue writes them.
type builder struct {
	*shape
	n, nulls int
	valid    []byte
	data     []byte // values, offsets, views, or numbers of a dictionary's entries, 4 bytes each
	long     []byte // bytes behind offsets or views
	kids     []*builder
}

func newBuilder(s *shape) *builder {
	b := &builder{shape: s}
	switch s.form {
	case text32, list32:
		b.data = make([]byte, 4)
	case text64, list64:
		b.data = make([]byte, 8)
	}
	if s.form != coded {
		for _, k := range s.kids {
			b.kids = append(b.kids, newBuilder(k))
		}
	}
	return b
}

// mark adds a value to those that are there or not.
func (b *builder) mark(there bool) {
	if b.n%8 == 0 {
		b.valid = append(b.valid, 0)
	}
	if there {
		b.valid[b.n/8] |= 1 << (b.n % 8)
	} else {
		b.nulls++
	}
	b.n++
}

// addNull adds a missing value.
func (b *builder) addNull() {
	b.mark(false)
	switch b.form {
	case fixed, coded:
		b.data = append(b.data, make([]byte, b.bytes())...)
	case bitmap:
		b.addBit(0)
	case views:
		b.data = append(b.data, make([]byte, 16)...)
	case text32, text64:
		b.end(len(b.long))
	case list32, list64:
		b.end(b.kids[0].n)
	case listN:
		for range b.width {
			b.kids[0].addNull()
		}
	case structure:
		for _, k := range b.kids {
			k.addNull()
		}
	}
}

// bytes is the width of a value in the buffer.
func (b *builder) bytes() int {
	if b.form == coded {
		return 4
	}
	return b.width
}

func (b *builder) addBit(v byte) {
	if i := b.n - 1; i%8 == 0 {
		b.data = append(b.data, v)
	} else {
		b.data[i/8] |= v << (i % 8)
	}
}

// end writes where a value ends.
func (b *builder) end(at int) {
	b.bound(at)
	if b.form == text32 || b.form == list32 {
		b.data = binary.LittleEndian.AppendUint32(b.data, uint32(at))
	} else {
		b.data = binary.LittleEndian.AppendUint64(b.data, uint64(at))
	}
}

// bound panics if places up to at do not fit the type.
func (b *builder) bound(at int) {
	if at > math.MaxInt32 && b.form != text64 && b.form != list64 {
		panic(fmt.Sprintf("%v has no places beyond 2^31 in a batch or dictionary: write the column as a large type, or fewer rows", b.typ))
	}
}

// addBytes adds a value that has no others inside.
func (b *builder) addBytes(v []byte) {
	b.mark(true)
	switch b.form {
	case fixed, coded:
		b.data = append(b.data, v...)
	case bitmap:
		b.addBit(v[0])
	case views:
		b.data = binary.LittleEndian.AppendUint32(b.data, uint32(len(v)))
		if len(v) <= 12 {
			b.data = append(append(b.data, v...), make([]byte, 12-len(v))...)
			return
		}
		b.bound(len(b.long))
		b.data = append(b.data, v[:4]...)
		b.data = binary.LittleEndian.AppendUint64(b.data, uint64(len(b.long))<<32)
		b.long = append(b.long, v...)
	default:
		b.long = append(b.long, v...)
		b.end(len(b.long))
	}
}

// read adds the value that v begins with, and returns what follows.
func (b *builder) read(v []byte) []byte {
	there := v[0] != 0
	if v = v[1:]; !there {
		b.addNull()
		return v
	}
	return b.readValue(v)
}

func (b *builder) readValue(v []byte) []byte {
	switch b.form {
	case fixed:
		b.addBytes(v[:b.width])
		return v[b.width:]
	case bitmap:
		b.addBytes(v[:1])
		return v[1:]
	case text32, text64, views:
		end := 4 + int(binary.LittleEndian.Uint32(v))
		b.addBytes(v[4:end])
		return v[end:]
	case structure:
		b.mark(true)
		for _, k := range b.kids {
			v = k.read(v)
		}
		return v
	}
	n := binary.LittleEndian.Uint32(v)
	v = v[4:]
	b.mark(true)
	for range n {
		v = b.kids[0].read(v)
	}
	if b.form != listN {
		b.end(b.kids[0].n)
	}
	return v
}

// finish returns the array's data.
func (b *builder) finish() *array.Data {
	buffer := func(b []byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	var validity *memory.Buffer
	if b.nulls > 0 {
		validity = buffer(b.valid)
	}
	buffers := []*memory.Buffer{validity}
	var kids []arrow.ArrayData
	switch b.form {
	case structure, listN:
	case text32, text64:
		buffers = append(buffers, buffer(b.data), buffer(b.long))
	case views:
		if buffers = append(buffers, buffer(b.data)); len(b.long) > 0 {
			buffers = append(buffers, buffer(b.long))
		}
	case nothing:
		buffers = []*memory.Buffer{nil}
	default:
		buffers = append(buffers, buffer(b.data))
	}
	for _, k := range b.kids {
		kids = append(kids, k.finish())
	}
	return array.NewData(b.typ, b.n, buffers, kids, b.nulls, 0)
}

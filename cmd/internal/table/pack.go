package table

import (
	"encoding/binary"
	"unsafe"
)

// packer writes columns as rows.
type packer struct {
	sizes []uint32
	at    []uint32 // where each row goes on
}

// pack appends the first rows of the columns to dst, and removes them from the columns.
func (p *packer) pack(dst []byte, columns []*column, rows int) []byte {
	p.sizes = grow(p.sizes[:0], rows)
	p.at = grow(p.at[:0], rows)
	for i := range p.sizes {
		p.sizes[i] = headBytes
	}
	for _, c := range columns {
		c.measure(p.sizes)
	}
	begin, total := len(dst), 0
	for i, n := range p.sizes {
		p.at[i] = uint32(total)
		total += int(n)
	}
	if begin == 0 && total > cap(dst) {
		dst = make([]byte, 0, total+total/8) // the next batch is about as long
	}
	dst = grow(dst, total)
	out := dst[begin:]
	for i, at := range p.at {
		binary.LittleEndian.PutUint32(out[at:], p.sizes[i])
		p.at[i] = at + headBytes
	}
	for _, c := range columns {
		c.drop(c.store(out, p.at))
	}
	return dst
}

// measure adds to sizes what each row takes of the column.
func (c *column) measure(sizes []uint32) {
	if !c.flat() {
		c.measureRepeated(sizes)
		return
	}
	fixed := uint32(c.width)
	if fixed == 0 {
		fixed = 4
	}
	v := 0
	for i := range sizes {
		if c.def > 0 {
			if sizes[i]++; c.defs[i] != int16(c.def) {
				c.absent(c.defs[i])
				continue
			}
		}
		if sizes[i] += fixed; c.width == 0 {
			sizes[i] += c.ends[v] - c.begin(v)
		}
		v++
	}
}

// absent panics if no value of the column can have the level of one that is missing.
func (c *column) absent(level int16) {
	if level < 0 || level > int16(c.def) {
		panic("a value has a level that its column has not")
	}
}

func (c *column) measureRepeated(sizes []uint32) {
	v, l := 0, 0
	for i := range sizes {
		n := uint32(4)
		for first := true; l < len(c.reps) && (first || c.reps[l] > 0); l++ {
			first = false
			if n += 2; c.defs[l] != int16(c.def) {
				c.absent(c.defs[l])
				continue
			}
			if n += uint32(c.width); c.width == 0 {
				n += 4 + c.ends[v] - c.begin(v)
			}
			v++
		}
		sizes[i] += n
	}
}

// extent is how many levels and values the first rows of a repeated column have.
func (c *column) extent(rows int) (levels, values int) {
	for range rows {
		for first := true; levels < len(c.reps) && (first || c.reps[levels] > 0); levels++ {
			if first = false; c.defs[levels] == int16(c.def) {
				values++
			}
		}
	}
	return levels, values
}

// store writes the column's part of each row at its place and moves the place on. It
// returns how many levels and values that took.
func (c *column) store(out []byte, at []uint32) (levels, values int) {
	switch {
	case !c.flat():
		return c.storeRepeated(out, at)
	case c.width == 4:
		return len(at), storeWords[uint32](c, out, at)
	case c.width == 8:
		return len(at), storeWords[uint64](c, out, at)
	}
	v := 0
	for i, a := range at {
		if c.def > 0 {
			out[a] = byte(c.defs[i])
			if a++; c.defs[i] != int16(c.def) {
				at[i] = a
				continue
			}
		}
		at[i] = c.storeValue(out, a, v)
		v++
	}
	return len(at), v
}

// storeValue writes value v at a place, and returns the place behind it.
func (c *column) storeValue(out []byte, a uint32, v int) uint32 {
	b := c.value(v)
	if c.width == 0 {
		binary.LittleEndian.PutUint32(out[a:], uint32(len(b)))
		a += 4
	}
	return a + uint32(copy(out[a:], b))
}

// storeWords is store for values as wide as a word. Places in rows are not aligned.
func storeWords[T uint32 | uint64](c *column, out []byte, at []uint32) (values int) {
	size := uint32(unsafe.Sizeof(T(0)))
	words := view[T](c.fixed)
	base := unsafe.Pointer(unsafe.SliceData(out))
	if c.def == 0 {
		for i, w := range words[:len(at)] {
			*(*T)(unsafe.Add(base, at[i])) = w
			at[i] += size
		}
		return len(at)
	}
	v := 0
	for i, d := range c.defs[:len(at)] {
		a := at[i]
		*(*byte)(unsafe.Add(base, a)) = byte(d)
		if a++; d == int16(c.def) {
			*(*T)(unsafe.Add(base, a)) = words[v]
			v++
			a += size
		}
		at[i] = a
	}
	return v
}

func (c *column) storeRepeated(out []byte, at []uint32) (l, v int) {
	for i, a := range at {
		from := l
		count := a
		a += 4
		for first := true; l < len(c.reps) && (first || c.reps[l] > 0); l++ {
			first = false
			out[a], out[a+1] = byte(c.reps[l]), byte(c.defs[l])
			a += 2
		}
		binary.LittleEndian.PutUint32(out[count:], uint32(l-from))
		for _, d := range c.defs[from:l] {
			if d == int16(c.def) {
				a = c.storeValue(out, a, v)
				v++
			}
		}
		at[i] = a
	}
	return l, v
}

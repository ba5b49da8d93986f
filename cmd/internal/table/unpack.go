package table

import (
	"encoding/binary"
	"unsafe"
)

// unpacker makes columns of rows.
type unpacker struct{ at []uint32 }

// unpack appends the rows of b, which are whole, to the columns. It returns how many there
// are.
func (u *unpacker) unpack(b []byte, columns []*column) int {
	u.at = u.at[:0]
	for a := 0; a < len(b); a += int(binary.LittleEndian.Uint32(b[a:])) {
		u.at = append(u.at, uint32(a+headBytes))
	}
	for _, c := range columns {
		c.load(b, u.at)
	}
	return len(u.at)
}

// load appends the column's part of each row, and moves the row's place on.
func (c *column) load(b []byte, at []uint32) {
	switch {
	case !c.flat():
		c.loadRepeated(b, at)
		return
	case c.width == 4:
		loadWords[uint32](c, b, at)
		return
	case c.width == 8:
		loadWords[uint64](c, b, at)
		return
	}
	for i, a := range at {
		if c.def > 0 {
			d := b[a]
			c.defs = append(c.defs, int16(d))
			if a++; d != c.def {
				at[i] = a
				continue
			}
		}
		at[i] = c.loadValue(b, a)
	}
}

// loadValue appends the value at a place, and returns the place behind it.
func (c *column) loadValue(b []byte, a uint32) uint32 {
	if c.width > 0 {
		n := len(c.fixed)
		c.fixed = grow(c.fixed, c.width)
		copy(c.fixed[n:], b[a:a+uint32(c.width)])
		return a + uint32(c.width)
	}
	end := a + 4 + binary.LittleEndian.Uint32(b[a:])
	c.addText(b[a+4 : end])
	return end
}

// loadWords is load for values as wide as a word.
func loadWords[T uint32 | uint64](c *column, b []byte, at []uint32) {
	size := int(unsafe.Sizeof(T(0)))
	begin := len(c.fixed)
	c.fixed = grow(c.fixed, size*len(at))
	words := view[T](c.fixed[begin:])
	base := unsafe.Pointer(unsafe.SliceData(b))
	if c.def == 0 {
		for i, a := range at {
			words[i] = *(*T)(unsafe.Add(base, a))
			at[i] = a + uint32(size)
		}
		return
	}
	levels := len(c.defs)
	c.defs = grow(c.defs, len(at))
	defs := c.defs[levels:]
	v := 0
	for i, a := range at {
		d := *(*byte)(unsafe.Add(base, a))
		defs[i] = int16(d)
		if a++; d == c.def {
			words[v] = *(*T)(unsafe.Add(base, a))
			v++
			a += uint32(size)
		}
		at[i] = a
	}
	c.fixed = c.fixed[:begin+size*v]
}

func (c *column) loadRepeated(b []byte, at []uint32) {
	for i, a := range at {
		n := int(binary.LittleEndian.Uint32(b[a:]))
		a += 4
		from := len(c.defs)
		for range n {
			c.reps, c.defs = append(c.reps, int16(b[a])), append(c.defs, int16(b[a+1]))
			a += 2
		}
		for _, d := range c.defs[from:] {
			if d == int16(c.def) {
				a = c.loadValue(b, a)
			}
		}
		at[i] = a
	}
}

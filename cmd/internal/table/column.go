package table

import "unsafe"

// column is the values of one column for some rows.
type column struct {
	field
	defs, reps []int16 // the levels of each place; none where the highest is 0
	fixed      []byte  // the values, if they have one width
	text       []byte  // else their bytes
	ends       []uint32
}

// values is how many there are.
func (c *column) values() int {
	if c.width > 0 {
		return len(c.fixed) / c.width
	}
	return len(c.ends)
}

// places is how many rows a flat column has, or levels another one.
func (c *column) places() int {
	if c.def > 0 || c.rep > 0 {
		return len(c.defs)
	}
	return c.values()
}

// reset empties the column.
func (c *column) reset() {
	c.defs, c.reps, c.fixed, c.text, c.ends = c.defs[:0], c.reps[:0], c.fixed[:0], c.text[:0], c.ends[:0]
}

// begin is where value i of those without a width begins.
func (c *column) begin(i int) uint32 {
	if i == 0 {
		return 0
	}
	return c.ends[i-1]
}

// value is value i.
func (c *column) value(i int) []byte {
	if c.width > 0 {
		return c.fixed[i*c.width : (i+1)*c.width]
	}
	return c.text[c.begin(i):c.ends[i]]
}

// addText adds a value without a width.
func (c *column) addText(b []byte) {
	c.text = append(c.text, b...)
	c.ends = append(c.ends, uint32(len(c.text)))
}

// drop removes the first levels and values.
func (c *column) drop(levels, values int) {
	c.defs = c.defs[:copy(c.defs, c.defs[min(levels, len(c.defs)):])]
	c.reps = c.reps[:copy(c.reps, c.reps[min(levels, len(c.reps)):])]
	if c.width > 0 {
		c.fixed = c.fixed[:copy(c.fixed, c.fixed[values*c.width:])]
		return
	}
	from := c.begin(values)
	c.text = c.text[:copy(c.text, c.text[from:])]
	c.ends = c.ends[:copy(c.ends, c.ends[values:])]
	for i := range c.ends {
		c.ends[i] -= from
	}
}

// view is b, which holds values of type T, as them.
func view[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// grow returns s with n more elements of any content. Those of bytes begin at addresses
// that suit words.
func grow[T any](s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s[:len(s)+n]
	}
	size := max(len(s)+n, 2*cap(s))
	var zero T
	words := make([]uint64, (size*int(unsafe.Sizeof(zero))+7)/8)
	t := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), size)
	return t[:copy(t, s)+n]
}

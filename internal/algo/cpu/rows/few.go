package rows

import (
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key/schema"
)

// fewRows is the most rows that are sorted with their keys on the stack.
const fewRows = 64

// fewOrder is an order of at most fewRows rows: row at[i] is the i-th. Bit i of ties is
// set if it ties with the one before.
type fewOrder struct {
	at    [fewRows]uint8
	ties  uint64
	moved bool
}

// sortFew sorts at most fewRows rows, of order o so far, column by column. A column is asked for
// the keys of rows that tie in those before it, and rows are moved at the end.
func sortFew[T any](x []T, orders []Order[T], o fewOrder) {
	n := len(x)
	for i := range orders {
		c := orders[i]
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && o.ties>>hi&1 != 0 {
				hi++
			}
			if hi-lo > 1 {
				o = c.col.few(x, c.Column, o, lo, hi)
			}
			lo = hi
		}
		if o.ties == 0 {
			break
		}
	}
	if o.moved {
		arrangeFew(x, o.at[:n])
	}
}

// inOrder is what an order begins with.
var inOrder = [fewRows]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
}

func (f by[T, K]) compare(a, b *T, c *Column) int {
	switch {
	case c.text:
		s, t := f.text(a), f.text(b)
		if len(s) >= 8 && len(t) >= 8 {
			if u, v := word(s), word(t); u != v {
				return order(c.left.Flip(u), c.left.Flip(v))
			}
		}
		return c.compareTexts(s, t)
	case c.tiny:
		u, v := f.bits(a), f.bits(b)
		if u == v || c.left.IsFlip() {
			return order(c.left.Flip(u), c.left.Flip(v))
		}
		return order(c.left.Of(u), c.left.Of(v))
	}
	k, l := f(a), f(b)
	return c.compareAt(unsafe.Pointer(&k), unsafe.Pointer(&l))
}

// order is cmp.Compare without a branch.
func order[U uint64](a, b U) int { return int(behind(a, b)) - int(behind(b, a)) }

// compareTexts compares two texts.
func (c *Column) compareTexts(s, t string) int {
	if c.Order.Desc {
		s, t = t, s
	}
	return strings.Compare(s, t)
}

// compareAt compares the values at a and b.
func (c *Column) compareAt(a, b unsafe.Pointer) int {
	v, w := c.Flat(a), c.Flat(b)
	return c.Compare(&v, &w)
}

func (f byNull[T, K]) compare(a, b *T, c *Column) int {
	v, w := f.flat(a, c), f.flat(b, c)
	return c.Compare(&v, &w)
}

func (f byNull[T, K]) flat(x *T, c *Column) schema.Flat {
	k, ok := f(x)
	if !ok {
		return c.FlatNull()
	}
	return c.Flat(unsafe.Pointer(&k))
}

func (f by[T, K]) few(x []T, c *Column, o fewOrder, lo, hi int) fewOrder {
	switch {
	case c.IsText():
		f.fewTexts(x, &o, lo, hi, c.Order.Desc)
	case c.Kind <= schema.BFloat16:
		f.fewNumbers(x, c, &o, lo, hi)
	default:
		var keys [fewRows]schema.Flat
		for i := lo; i < hi; i++ {
			k := f(&x[o.at[i]])
			keys[i] = c.Flat(unsafe.Pointer(&k))
		}
		insertFlat(c, &o, &keys, lo, hi)
	}
	return o
}

func (f by[T, K]) fewTexts(x []T, o *fewOrder, lo, hi int, desc bool) {
	if at := o.at[lo:hi]; len(x) <= countedRows {
		var texts [countedRows]string // of rows, not of places
		f.textsAt(x, at, texts[:])
		placeTexts(o, texts[:], lo, hi, desc)
	} else {
		var texts [fewRows]string
		f.textsAt(x, at, texts[:])
		placeTexts(o, texts[:], lo, hi, desc)
	}
}

func (f by[T, K]) textsAt(x []T, at []uint8, texts []string) {
	for _, row := range at {
		texts[row] = f.text(&x[row])
	}
}

func (f by[T, K]) fewNumbers(x []T, c *Column, o *fewOrder, lo, hi int) {
	if at := o.at[lo:hi]; len(at) <= countedRows {
		var keys [countedRows]uint64
		f.wordsAt(x, c, at, keys[:len(at)])
		place(o, keys[:len(at)], lo)
	} else {
		var keys [fewRows]uint64
		f.wordsAt(x, c, at, keys[:len(at)])
		place(o, keys[:len(at)], lo)
	}
}

// wordsAt writes the encoded keys of the rows at to keys.
func (f by[T, K]) wordsAt(x []T, c *Column, at []uint8, keys []uint64) {
	if c.left.IsFlip() {
		for i, row := range at {
			keys[i] = c.left.Flip(f.bits(&x[row]))
		}
		return
	}
	for i, row := range at {
		keys[i] = c.left.Of(f.bits(&x[row]))
	}
}

func (f byNull[T, K]) few(x []T, c *Column, o fewOrder, lo, hi int) fewOrder {
	var keys [fewRows]schema.Flat
	for i := lo; i < hi; i++ {
		keys[i] = f.flat(&x[o.at[i]], c)
	}
	insertFlat(c, &o, &keys, lo, hi)
	return o
}

// insertFlat is insert of keys of any column.
func insertFlat(c *Column, o *fewOrder, keys *[fewRows]schema.Flat, lo, hi int) {
	for i := lo + 1; i < hi; i++ {
		k, at := keys[i], o.at[i]
		j := i
		for ; j > lo && c.Compare(&k, &keys[j-1]) < 0; j-- {
			keys[j], o.at[j] = keys[j-1], o.at[j-1]
		}
		if j < i {
			keys[j], o.at[j], o.moved = k, at, true
		}
	}
	for i := lo + 1; i < hi; i++ {
		if c.Compare(&keys[i], &keys[i-1]) != 0 {
			o.ties &^= 1 << i
		}
	}
}

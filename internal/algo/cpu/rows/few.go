package rows

import (
	"cmp"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
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

// Few sorts x, if it has at most fewRows rows, column by column, and reports whether it
// did. A column is asked for the keys of rows that tie in those before it, and rows are
// moved at the end. It allocates nothing.
func Few[T any](x []T, orders []Order[T]) bool {
	n := len(x)
	if n > fewRows {
		return false
	}
	if n < 2 || len(orders) == 0 {
		return true
	}
	if n == 2 {
		two(x, orders)
		return true
	}
	if n <= tinyRows && (direct(x, orders) || tiny(x, orders)) {
		return true
	}
	o := fewOrder{at: inOrder, ties: 1<<n - 2} // of 64 rows, too
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
	return true
}

// inOrder is what an order begins with.
var inOrder = [fewRows]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
}

// two sorts two rows.
func two[T any](x []T, orders []Order[T]) {
	for i := range orders {
		c := orders[i]
		if d := c.col.compare(&x[0], &x[1], c.Column); d != 0 {
			if d > 0 {
				x[0], x[1] = x[1], x[0]
			}
			return
		}
	}
}

func (f by[T, K]) compare(a, b *T, c *schema.Column) int {
	if c.IsText() {
		s, t := f.text(a), f.text(b)
		if c.Order.Desc {
			s, t = t, s
		}
		return cmp.Compare(s, t)
	}
	k, l := f(a), f(b)
	if unsafe.Sizeof(k) == 8 && c.Kind == schema.Number {
		codec := key.CodecOf(c.Type, c.Order)
		return cmp.Compare(key.Encode(codec, *(*uint64)(unsafe.Pointer(&k))), key.Encode(codec, *(*uint64)(unsafe.Pointer(&l))))
	}
	if c.Kind <= schema.BFloat16 {
		return cmp.Compare(c.Word(unsafe.Pointer(&k)), c.Word(unsafe.Pointer(&l)))
	}
	v, w := c.Flat(unsafe.Pointer(&k)), c.Flat(unsafe.Pointer(&l))
	return c.Compare(&v, &w)
}

func (f byNull[T, K]) compare(a, b *T, c *schema.Column) int {
	v, w := f.flat(a, c), f.flat(b, c)
	return c.Compare(&v, &w)
}

func (f byNull[T, K]) flat(x *T, c *schema.Column) schema.Flat {
	k, ok := f(x)
	if !ok {
		return c.FlatNull()
	}
	return c.Flat(unsafe.Pointer(&k))
}

func (f by[T, K]) few(x []T, c *schema.Column, o fewOrder, lo, hi int) fewOrder {
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

func (f by[T, K]) fewNumbers(x []T, c *schema.Column, o *fewOrder, lo, hi int) {
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
func (f by[T, K]) wordsAt(x []T, c *schema.Column, at []uint8, keys []uint64) {
	codec := key.CodecOf(c.Type, c.Order)
	switch size := unsafe.Sizeof(*new(K)); {
	case size == 8 && codec&^key.CodecDesc <= key.CodecSigned: // one exclusive OR
		flip := key.Encode(codec, uint64(0))
		for i, row := range at {
			k := f(&x[row])
			keys[i] = *(*uint64)(unsafe.Pointer(&k)) ^ flip
		}
	case size == 8:
		m := key.MapOf[uint64](codec)
		for i, row := range at {
			k := f(&x[row])
			keys[i] = m.Of(*(*uint64)(unsafe.Pointer(&k)))
		}
	case size == 4:
		m := key.MapOf[uint32](codec)
		for i, row := range at {
			k := f(&x[row])
			keys[i] = uint64(m.Of(*(*uint32)(unsafe.Pointer(&k))))
		}
	default:
		for i, row := range at {
			k := f(&x[row])
			keys[i] = c.Word(unsafe.Pointer(&k))
		}
	}
}

func (f byNull[T, K]) few(x []T, c *schema.Column, o fewOrder, lo, hi int) fewOrder {
	var keys [fewRows]schema.Flat
	for i := lo; i < hi; i++ {
		keys[i] = f.flat(&x[o.at[i]], c)
	}
	insertFlat(c, &o, &keys, lo, hi)
	return o
}

// insertFlat is insert of keys of any column.
func insertFlat(c *schema.Column, o *fewOrder, keys *[fewRows]schema.Flat, lo, hi int) {
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

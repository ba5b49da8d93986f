package rows

import (
	"cmp"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// fewRows is the most rows that are inserted one by one, with their keys on the stack.
const fewRows = 32

// fewOrder is an order of at most fewRows rows: row at[i] is the i-th. Bit i of ties is
// set if it ties with the one before.
type fewOrder struct {
	at    [fewRows]uint8
	ties  uint32
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
	o := fewOrder{at: inOrder, ties: 1<<n - 2}
	for i := range orders {
		c := &orders[i]
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
		arrangeFew(x, &o.at)
	}
	return true
}

// inOrder is what an order begins with.
var inOrder = [fewRows]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
}

// two sorts two rows.
func two[T any](x []T, orders []Order[T]) {
	for i := range orders {
		c := &orders[i]
		if d := c.col.compare(&x[0], &x[1], c.Column); d != 0 {
			if d > 0 {
				x[0], x[1] = x[1], x[0]
			}
			return
		}
	}
}

func (f by[T, K]) compare(a, b *T, c schema.Column) int {
	k, l := f(a), f(b)
	if c.Kind <= schema.BFloat16 {
		return cmp.Compare(c.Word(unsafe.Pointer(&k)), c.Word(unsafe.Pointer(&l)))
	}
	v, w := c.Flat(unsafe.Pointer(&k)), c.Flat(unsafe.Pointer(&l))
	return c.Compare(&v, &w)
}

func (f byNull[T, K]) compare(a, b *T, c schema.Column) int {
	v, w := f.flat(a, c), f.flat(b, c)
	return c.Compare(&v, &w)
}

func (f byNull[T, K]) flat(x *T, c schema.Column) schema.Flat {
	k, ok := f(x)
	if !ok {
		return c.FlatNull()
	}
	return c.Flat(unsafe.Pointer(&k))
}

// arrangeFew makes x[at[i]] the new x[i].
func arrangeFew[T any](x []T, at *[fewRows]uint8) {
	for i := range x {
		first, hole := x[i], i
		for from := int(at[hole]); from != i; from = int(at[hole]) {
			x[hole], at[hole] = x[from], uint8(hole)
			hole = from
		}
		if hole != i {
			x[hole], at[hole] = first, uint8(hole)
		}
	}
}

// insert puts the places [lo, hi) of o in the order of their keys.
func insert[K uint64 | string](o *fewOrder, keys *[fewRows]K, lo, hi int, desc bool) {
	for i := lo + 1; i < hi; i++ {
		k, at := keys[i], o.at[i]
		j := i
		for ; j > lo && (!desc && k < keys[j-1] || desc && k > keys[j-1]); j-- {
			keys[j], o.at[j] = keys[j-1], o.at[j-1]
		}
		if j < i {
			keys[j], o.at[j], o.moved = k, at, true
		}
	}
	for i := lo + 1; i < hi; i++ {
		if keys[i] != keys[i-1] {
			o.ties &^= 1 << i
		}
	}
}

func (f by[T, K]) few(x []T, c schema.Column, o fewOrder, lo, hi int) fewOrder {
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
	var keys [fewRows]string
	for i := lo; i < hi; i++ {
		keys[i] = f.text(&x[o.at[i]])
	}
	insert(o, &keys, lo, hi, desc)
}

func (f by[T, K]) fewNumbers(x []T, c schema.Column, o *fewOrder, lo, hi int) {
	var keys [fewRows]uint64
	codec := key.CodecOf(c.Type, c.Order)
	switch size := unsafe.Sizeof(*new(K)); {
	case size == 8:
		m := key.MapOf[uint64](codec)
		for i := lo; i < hi; i++ {
			k := f(&x[o.at[i]])
			keys[i] = m.Of(*(*uint64)(unsafe.Pointer(&k)))
		}
	case size == 4:
		m := key.MapOf[uint32](codec)
		for i := lo; i < hi; i++ {
			k := f(&x[o.at[i]])
			keys[i] = uint64(m.Of(*(*uint32)(unsafe.Pointer(&k))))
		}
	default:
		for i := lo; i < hi; i++ {
			k := f(&x[o.at[i]])
			keys[i] = c.Word(unsafe.Pointer(&k))
		}
	}
	insert(o, &keys, lo, hi, false)
}

func (f byNull[T, K]) few(x []T, c schema.Column, o fewOrder, lo, hi int) fewOrder {
	var keys [fewRows]schema.Flat
	for i := lo; i < hi; i++ {
		keys[i] = f.flat(&x[o.at[i]], c)
	}
	insertFlat(c, &o, &keys, lo, hi)
	return o
}

// insertFlat is insert of keys of any column.
func insertFlat(c schema.Column, o *fewOrder, keys *[fewRows]schema.Flat, lo, hi int) {
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

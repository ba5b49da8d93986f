package rows

import (
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/key/schema"
)

const (
	// fewRows is the most rows that are inserted one by one, with their keys on the stack.
	fewRows = 32
	// fewKeys is the most keys of several columns that they have.
	fewKeys = 2 * fewRows
)

// few sorts at most fewRows rows, if they have no more than fewKeys keys, and reports
// whether it did.
func few[T any](x []T, orders []Order[T]) bool {
	var idx [fewRows]uint32
	o := &orders[0]
	moved := false
	switch {
	case len(x)*len(orders) > fewKeys:
		return false
	case len(orders) > 1 || o.Nullable || o.Kind > schema.BFloat16 && !o.IsText():
		moved = fewFlat(&idx, x, orders)
	case o.IsText():
		var keys [fewRows]string
		for i := range x {
			keys[i] = o.col.text(&x[i])
		}
		moved = insert(idx[:len(x)], &keys, o.Order.Desc)
	default:
		var keys [fewRows]uint64
		for i := range x {
			keys[i] = o.col.word(&x[i], o.Column)
		}
		moved = insert(idx[:len(x)], &keys, false)
	}
	if moved {
		values.Permute(x, idx[:len(x)])
	}
	return true
}

// insert makes idx the order of as many keys, and reports whether any is out of place.
func insert[K uint64 | string](idx []uint32, keys *[fewRows]K, desc bool) (moved bool) {
	for i := range idx {
		k := keys[i]
		j := i
		for ; j > 0 && (!desc && k < keys[j-1] || desc && k > keys[j-1]); j-- {
			keys[j], idx[j] = keys[j-1], idx[j-1]
		}
		keys[j], idx[j] = k, uint32(i)
		moved = moved || j < i
	}
	return moved
}

// fewFlat is insert of the keys of x's columns.
func fewFlat[T any](idx *[fewRows]uint32, x []T, orders []Order[T]) (moved bool) {
	var keys [fewKeys]schema.Flat
	for i := range x {
		for c := range orders {
			o := &orders[c]
			keys[i*len(orders)+c] = o.col.flat(&x[i], o.Column)
		}
	}
	less := func(a, b uint32) bool {
		for c := range orders {
			n := uint32(len(orders))
			if d := orders[c].Compare(&keys[a*n+uint32(c)], &keys[b*n+uint32(c)]); d != 0 {
				return d < 0
			}
		}
		return false
	}
	for i := range x {
		j := i
		for ; j > 0 && less(uint32(i), idx[j-1]); j-- {
			idx[j] = idx[j-1]
		}
		idx[j] = uint32(i)
		moved = moved || j < i
	}
	return moved
}

package rows

import (
	"github.com/gpusort/gpusort/internal/key/schema"
)

// fewRows is the most rows that are inserted one by one, with their keys on the stack.
const fewRows = 12

// few sorts at most fewRows rows by one column of numbers or text, and reports whether it
// did.
func few[T any](x []T, orders []Order[T]) bool {
	if len(orders) != 1 {
		return false
	}
	o := &orders[0]
	switch {
	case o.Nullable:
		return false
	case o.IsText():
		var keys [fewRows]string
		for i := range x {
			keys[i] = o.col.text(&x[i])
		}
		insert(x, &keys, o.Order.Desc)
	case o.Kind <= schema.BFloat16:
		var keys [fewRows]uint64
		for i := range x {
			keys[i] = o.col.word(&x[i], o.Column)
		}
		insert(x, &keys, false)
	default:
		return false
	}
	return true
}

// insert sorts x by as many of the keys.
func insert[T any, K uint64 | string](x []T, keys *[fewRows]K, desc bool) {
	for i := 1; i < len(x); i++ {
		k := keys[i]
		j := i
		for j > 0 && (k < keys[j-1] && !desc || k > keys[j-1] && desc) {
			j--
		}
		if j == i {
			continue
		}
		row := x[i]
		copy(keys[j+1:i+1], keys[j:i])
		copy(x[j+1:i+1], x[j:i])
		keys[j], x[j] = k, row
	}
}

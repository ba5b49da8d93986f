package gpusort

import (
	"slices"
	"unsafe"
)

// fewKeys is the most keys that are inserted one by one where they are: from there
// on vector instructions are faster, calls and all.
const fewKeys = 14

// sortFew sorts x by insertion, without a branch that depends on the order of keys,
// and reports true. It reports false, x having the keys that it had, if one of them
// is NaN, whose order is by bits. The least and the greatest of −0 and +0 are in
// the order of docs/order.md.
func sortFew[T Key](x []T) bool {
	if unsafe.Sizeof(*new(T)) < 4 {
		sortFewNarrow(x)
		return true
	}
	for i, u := range x {
		if u != u {
			return false
		}
		for j, v := range x[:i] {
			x[j] = min(v, u)
			u = max(v, u)
		}
		x[i] = u
	}
	return true
}

// sortFewDesc is sortFew in descending order.
func sortFewDesc[T Key](x []T) bool {
	if unsafe.Sizeof(*new(T)) < 4 {
		sortFewNarrow(x)
		slices.Reverse(x)
		return true
	}
	for i, u := range x {
		if u != u {
			return false
		}
		for j, v := range x[:i] {
			x[j] = max(v, u)
			u = min(v, u)
		}
		x[i] = u
	}
	return true
}

// sortFewNarrow is sortFew for integers below 32 bits, which processors have no
// conditional moves for.
func sortFewNarrow[T Key](x []T) {
	for i := range x {
		u := int64(x[i])
		for j := range x[:i] {
			v := int64(x[j])
			x[j] = T(min(v, u))
			u = max(v, u)
		}
		x[i] = T(u)
	}
}

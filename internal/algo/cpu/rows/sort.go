package rows

import (
	"bytes"
	"cmp"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/op"
)

// Sort sorts x stably by the columns. Until the rows are moved x is only read; so it is
// the input after an error, and after a panic in the function of a column.
func Sort[T any](h cpu.Options, x []T, orders []Order[T]) error {
	if err := checkOrders(orders); err != nil {
		return err
	}
	if err := h.Err(); err != nil || len(orders) == 0 {
		return err
	}
	if len(x) <= fewRows {
		SortNow(x, orders, nil)
		return nil
	}
	return sortMany(h, x, slices.Clone(orders)) // the caller's may stay on its stack
}

// SortNow is Sort by all processors. What x is refused for goes to must, as of "SortBy". For few
// rows it allocates nothing.
func SortNow[T any](x []T, orders []Order[T], must func(name string, err error)) {
	for i := range orders {
		if !orders[i].made() {
			must("SortBy", checkOrders(orders))
		}
	}
	switch {
	case len(x) < 2 || len(orders) == 0:
	case len(x) == 2:
		for i := range orders {
			c := orders[i].col.compare(&x[0], &x[1], orders[i].Column)
			if c > 0 {
				x[0], x[1] = x[1], x[0]
			}
			if c != 0 {
				return
			}
		}
	case len(x) <= tinyRows && orders[0].tiny:
		switch o := orders[0].col.first(x, orders[0].Column); {
		case o.at == unmoved && o.ties == 0:
		case !o.ranked:
			rest(x, orders[1:], o)
		default:
			scatter(x, o.at)
		}
	case len(x) <= fewRows:
		sortFew(x, orders, fewOrder{at: inOrder, ties: 1<<len(x) - 2}) // of 64 rows, too
	default:
		must("SortBy", Sort(cpu.Options{}, x, orders))
	}
}

func sortMany[T any](h cpu.Options, x []T, orders []Order[T]) error {
	if uint64(len(x)) > Most {
		return op.Refuse("%d rows: at most %d can be sorted", len(x), uint64(Most))
	}
	return ArrangeBy(h, x, func(idx []uint32) error { return argsortBy(h, idx, x, orders) })
}

// ArrangeBy puts x, of at most Most elements, in the order that `order` writes to as many places. Until
// then x is only read.
func ArrangeBy[T any](h cpu.Options, x []T, order func(places []uint32) error) error {
	idx, put := cpu.Buffer[uint32](len(x))
	defer put()
	if err := order(idx); err != nil || isIdentity(idx) {
		return err
	}
	if len(x) <= cacheRows {
		values.Permute(x, idx)
		return nil
	}
	return arrange(h, x, idx)
}

// cacheRows is the most rows that are moved in place, in the caches, without a copy.
const cacheRows = 256

func isIdentity(idx []uint32) bool {
	for i, at := range idx {
		if int(at) != i {
			return false
		}
	}
	return true
}

// Indices writes the stable order of x by the columns to idx, which is as long.
func Indices[T any, I op.Integer](h cpu.Options, idx []I, x []T, orders []Order[T]) error {
	if err := checkOrders(orders); err != nil {
		return err
	}
	own := slices.Clone(orders)
	return IndicesBy(h, idx, len(x), func(to []uint32) error { return argsortBy(h, to, x, own) })
}

// IndicesBy writes what `order` writes to as many places to idx, which is as long as n items.
func IndicesBy[I op.Integer](h cpu.Options, idx []I, n int, order func(places []uint32) error) error {
	if len(idx) != n {
		return op.Refuse("%d indices but %d items: both slices must have the same length", len(idx), n)
	}
	if uint64(n) > Most || n > 0 && (I(n-1) < 0 || uint64(I(n-1)) != uint64(n-1)) {
		return op.Refuse("indices of %d items do not fit %T: use a wider type, for at most %d items", n, I(0), uint64(Most))
	}
	if unsafe.Sizeof(I(0)) == 4 {
		return order(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(idx))), n))
	}
	to, put := cpu.Buffer[uint32](n)
	defer put()
	if err := order(to); err != nil {
		return err
	}
	return each(h, n, step[uint64](), true, func(lo, hi int) {
		for i, at := range to[lo:hi] {
			idx[lo+i] = I(at)
		}
	})
}

// textsMin is the number of strings from which sorting them by words is faster than
// comparing, whatever prefixes and duplicates there are.
const textsMin = 256

// SortStrings sorts x by bytes. Equal strings may share the memory of one afterwards.
func SortStrings[S ~string](h cpu.Options, x []S, desc bool) error {
	if err := h.Err(); err != nil {
		return err
	}
	s := unsafe.Slice((*string)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
	if len(s) < textsMin {
		slices.Sort(s)
		if desc {
			slices.Reverse(s)
		}
		return nil
	}
	if sorted, err := ordered(h, s, desc, cmp.Compare[string]); sorted || err != nil {
		return err
	}
	if sorted, err := sortRepeated(h, s, desc); sorted || err != nil {
		return err
	}
	return sortTexts(h, s, texts(s), desc)
}

// SortBytes sorts x by bytes.
func SortBytes[B ~[]byte](h cpu.Options, x []B, desc bool) error {
	if err := h.Err(); err != nil {
		return err
	}
	s := unsafe.Slice((*[]byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
	if len(s) < textsMin {
		compare := bytes.Compare
		if desc {
			compare = func(a, b []byte) int { return bytes.Compare(b, a) }
		}
		slices.SortFunc(s, compare)
		return nil
	}
	if sorted, err := ordered(h, s, desc, bytes.Compare); sorted || err != nil {
		return err
	}
	return sortTexts(h, s, slicesOfBytes(s), desc)
}

// ordered reports whether x is in the order of compare.
func ordered[T any](h cpu.Options, x []T, desc bool, compare func(a, b T) int) (bool, error) {
	for i := 1; i < len(x); i++ {
		if c := compare(x[i-1], x[i]); c > 0 && !desc || c < 0 && desc {
			return false, nil
		}
		if i%lookItems == 0 {
			if err := h.Err(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func sortTexts[T any, S bytekeys.Source](h cpu.Options, x []T, s S, desc bool) error {
	if uint64(len(x)) > Most {
		return op.Refuse("%d strings: at most %d can be sorted", len(x), uint64(Most))
	}
	return ArrangeBy(h, x, func(idx []uint32) error {
		return bytekeys.Argsort(h.Ctx, idx, s, bytekeys.Options{Workers: h.Workers, Desc: desc})
	})
}

// slicesOfBytes are byte slices.
type slicesOfBytes [][]byte

// Len is the number of slices.
func (s slicesOfBytes) Len() int { return len(s) }

// Bytes are those of one.
func (s slicesOfBytes) Bytes(row uint32) []byte { return s[row] }

// Touch implements bytekeys.Toucher.
func (s slicesOfBytes) Touch(rows []uint32, depth, n int) byte { return touchTexts(s, rows, depth, n) }

// ArgsortStrings writes the stable order of x by bytes to idx, which is as long.
func ArgsortStrings[S ~string, I op.Integer](h cpu.Options, idx []I, x []S, desc bool) error {
	s := texts(unsafe.Slice((*string)(unsafe.Pointer(unsafe.SliceData(x))), len(x)))
	return argsortTexts(h, idx, s, desc)
}

// ArgsortBytes writes the stable order of x by bytes to idx, which is as long.
func ArgsortBytes[B ~[]byte, I op.Integer](h cpu.Options, idx []I, x []B, desc bool) error {
	s := slicesOfBytes(unsafe.Slice((*[]byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)))
	return argsortTexts(h, idx, s, desc)
}

func argsortTexts[I op.Integer, S bytekeys.Source](h cpu.Options, idx []I, s S, desc bool) error {
	return IndicesBy(h, idx, s.Len(), func(to []uint32) error {
		return bytekeys.Argsort(h.Ctx, to, s, bytekeys.Options{Workers: h.Workers, Desc: desc})
	})
}

package rows

import (
	"reflect"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/op"
)

// movedBytes is how much is moved between two looks at the context, and the least that is
// worth a worker.
const movedBytes = 256 << 10

// lookItems is how many items are read, one after the other, between two looks at the context.
const lookItems = 1 << 14

// step is how many elements of type T are moved between two looks at the context.
func step[T any]() int {
	return max(64, movedBytes/max(8, int(unsafe.Sizeof(*new(T)))))
}

// Gather copies src[idx[i]] to dst[i] for every i. An index out of range is refused, with some elements
// copied.
func Gather[T any, I op.Integer](h cpu.Options, dst, src []T, idx []I) (err error) {
	defer func() { err = outside(recover(), idx, len(src), err) }()
	if len(dst) != len(idx) {
		return op.Refuse("%d elements to write but %d indices: both slices must have the same length", len(dst), len(idx))
	}
	return gather(h, dst, src, idx)
}

// outside is err, or in place of the panic p, if that is for an index beyond n elements, what that index is
// refused for. So good indices are not looked at twice.
func outside[I op.Integer](p any, idx []I, n int, err error) error {
	if p == nil {
		return err
	}
	for i, at := range idx {
		if at < 0 || uint64(at) >= uint64(n) {
			return op.Refuse("index %d at place %d is out of range: there are %d elements, from 0 on", at, i, n)
		}
	}
	panic(p)
}

func gather[T any, I op.Integer](h cpu.Options, dst, src []T, idx []I) error {
	if len(idx) <= step[T]() {
		if err := h.Err(); err != nil {
			return err
		}
		gatherPart(dst, src, idx)
		return nil
	}
	return each(h, len(idx), step[T](), true, func(lo, hi int) { gatherPart(dst[lo:hi], src, idx[lo:hi]) })
}

// ahead is how many elements are brought nearer before they are copied.
const ahead = 32

// gatherPart is gather by one worker.
func gatherPart[T any, I op.Integer](dst, src []T, idx []I) {
	if size := unsafe.Sizeof(*new(T)); size <= 16 || len(src)*int(size) < movedBytes {
		dst = dst[:len(idx)]
		for i, from := range idx {
			dst[i] = src[from]
		}
		return
	}
	for len(idx) > 0 {
		n := min(ahead, len(idx))
		touch(src, idx[:n])
		for i, from := range idx[:n] {
			dst[i] = src[from]
		}
		dst, idx = dst[n:], idx[n:]
	}
}

// touch reads a byte of each element, so that all of them are fetched from memory at
// once. Inlined, it would be left out.
//
//go:noinline
func touch[T any, I op.Integer](src []T, idx []I) (sum byte) {
	for _, from := range idx {
		sum += *(*byte)(unsafe.Pointer(&src[from]))
	}
	return sum
}

// Permute makes x[idx[i]] the new x[i] for every i. Until the copy is whole x is only
// read. An index out of range is refused before.
func Permute[T any, I op.Integer](h cpu.Options, x []T, idx []I) (err error) {
	defer func() { err = outside(recover(), idx, len(x), err) }()
	if len(x) != len(idx) {
		return op.Refuse("%d elements but %d indices: both slices must have the same length", len(x), len(idx))
	}
	return permute(h, x, idx)
}

func permute[T any, I op.Integer](h cpu.Options, x []T, idx []I) error {
	if !host(h).Whole(size(x)) {
		own, put, ok, err := permutation(h, idx)
		if err != nil {
			return err
		}
		if ok {
			defer put()
			return values.Arrange[T, struct{}](host(h), x, nil, own)
		}
	}
	y, put := buffer[T](len(x))
	defer put()
	if err := gather(h, y, x, idx); err != nil {
		return err
	}
	return each(h, len(x), step[T](), false, func(lo, hi int) { copy(x[lo:hi], y[lo:hi]) })
}

// size is how many bytes the elements of x take.
func size[T any](x []T) uint64 { return uint64(len(x)) * uint64(unsafe.Sizeof(*new(T))) }

// host is how values are moved under h.
func host(h cpu.Options) values.Host {
	return values.Host{Ctx: h.Ctx, Workers: h.Workers, Limit: h.MemoryCap}
}

// permutation is a copy of idx, if that has each place once.
func permutation[I op.Integer](h cpu.Options, idx []I) (own []uint32, put func(), ok bool, err error) {
	if uint64(len(idx)) > Most {
		return nil, nil, false, nil
	}
	own, put = cpu.Buffer[uint32](len(idx))
	seen := make([]uint64, len(idx)/64+1)
	for i, at := range idx {
		if i%lookItems == 0 {
			if err := h.Err(); err != nil {
				put()
				return nil, nil, false, err
			}
		}
		k := uint64(at) // of a negative one, too large
		if k >= uint64(len(idx)) || seen[k/64]>>(k%64)&1 != 0 {
			put()
			return nil, nil, false, nil
		}
		own[i] = uint32(k)
		seen[k/64] |= 1 << (k % 64)
	}
	return own, put, true, nil
}

// buffer returns n elements of any content and the function that gives them back.
func buffer[T any](n int) (b []T, put func()) {
	if values.HasPointers(reflect.TypeFor[T]()) {
		return make([]T, n), func() {}
	}
	return cpu.Buffer[T](n)
}

// arrange is permute by the order of a sort, of which it leaves another one. Where memory is
// limited to less than a copy of x, or x is long and ctx may end, it works in place; after
// an error x is then in another order.
func arrange[T any](h cpu.Options, x []T, idx []uint32) error {
	if host(h).MayTake(size(x)) && host(h).Whole(size(x)) {
		return permute(h, x, idx)
	}
	return values.Arrange[T, struct{}](host(h), x, nil, idx)
}

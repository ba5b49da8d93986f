// Package search finds many keys in a sorted slice.
package search

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// Positions returns, for each query, the first i at which sorted[i] does not belong
// before it in the order o, or len(sorted). Its scratch has a fixed size. The error is
// that of the context.
func Positions[T key.Key](sorted, queries []T, o key.Order, h cpu.Options) ([]int, error) {
	out := make([]int, len(queries))
	err := key.ByWidth(int(unsafe.Sizeof(*new(T))),
		positions[uint8], positions[uint16], positions[uint32], positions[uint64],
	)(out, key.Memory(sorted), key.Memory(queries), key.CodecOf(key.Of[T](), o), h)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// batch is how many queries are looked up side by side, so that they wait for memory at
// the same time.
const batch = 32

func positions[U key.Word](out []int, sorted, queries key.Slice, c key.Codec, h cpu.Options) error {
	s, q := key.Words[U](sorted), key.Words[U](queries)
	t := team.Options{Workers: h.Workers, Ctx: h.Ctx}
	// Every look-up takes some lines of memory.
	return t.Steps(len(q), 256, func(lo, hi int) {
		f := finder[U]{s: s, image: key.MapOf[U](c), mask: key.Encode(c, U(0)), float: c&key.CodecFloatNaNFirst != 0}
		for ; lo < hi; lo += batch {
			f.find(out[lo:min(hi, lo+batch)], q[lo:min(hi, lo+batch)])
		}
	})
}

type finder[U key.Word] struct {
	s     []U
	image key.Map[U]
	mask  U // the map of integers
	float bool
	last  int // the result of the last query but one batch
}

// find looks up one batch.
func (f *finder[U]) find(out []int, q []U) {
	var images [batch]U
	ascend := true
	for i, u := range q {
		images[i] = f.image.Of(u)
		ascend = ascend && (i == 0 || images[i-1] <= images[i])
	}
	// What queries in order have between the first and the last is all that is searched.
	from, to := 0, len(f.s)
	if ascend {
		from = f.gallop(f.last, images[0])
		to = max(from, f.gallop(from, images[len(q)-1])) // not less, were s in no order
		f.last = from
	}
	var at [batch]int
	s := f.s[from:to]
	if f.float {
		descendFloats(s, &images, &at, &f.image)
	} else {
		descend(s, &images, &at, f.mask)
	}
	for i := range q {
		out[i] = from + at[i]
	}
}

// gallop returns the place of an image, near which hint is, or anywhere.
func (f *finder[U]) gallop(hint int, v U) int {
	lo, hi := 0, len(f.s) // the place is from lo to hi
	if hint > 0 && f.image.Of(f.s[hint-1]) < v {
		lo = hint
		for step := 1; lo+step < hi; step *= 2 {
			if f.image.Of(f.s[lo+step]) >= v {
				hi = lo + step
				break
			}
			lo += step + 1
		}
	}
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); f.image.Of(f.s[mid]) < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// descend sets each at to how many of s are below its image when XORed with mask.
func descend[U key.Word](s []U, images *[batch]U, at *[batch]int, mask U) {
	n := len(s)
	p := unsafe.Pointer(unsafe.SliceData(s))
	size := unsafe.Sizeof(U(0))
	for n > 0 {
		half := (n + 1) / 2
		for i := range at {
			b := at[i]
			t := b + half
			if *(*U)(unsafe.Add(p, uintptr(t-1)*size))^mask < images[i] {
				b = t
			}
			at[i] = b
		}
		n -= half
	}
}

// descendFloats is descend for what is no XOR.
func descendFloats[U key.Word](s []U, images *[batch]U, at *[batch]int, image *key.Map[U]) {
	m := *image
	n := len(s)
	p := unsafe.Pointer(unsafe.SliceData(s))
	size := unsafe.Sizeof(U(0))
	for n > 0 {
		half := (n + 1) / 2
		for i := range at {
			b := at[i]
			t := b + half
			if m.Of(*(*U)(unsafe.Add(p, uintptr(t-1)*size))) < images[i] {
				b = t
			}
			at[i] = b
		}
		n -= half
	}
}

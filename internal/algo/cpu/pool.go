package cpu

import (
	"math/bits"
	"strings"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// Scratch memory is kept between calls in pools by size class, a class being
// a power of two bytes in four steps, so that at most a quarter is unused. The
// garbage collector empties them. A recycled block is not cleared.
var pools [256]sync.Pool

// sizeClass returns the smallest class that holds n 16-byte units, and its
// units.
func sizeClass(n uint64) (class int, units uint64) {
	if n <= 64 {
		return 0, 64
	}
	shift := bits.Len64(n-1) - 3 // n−1 in [4·2^shift, 8·2^shift)
	q := (n-1)>>shift + 1        // 5 … 8
	return (shift-3)*4 + int(q-4), q << shift
}

// dirtyUnits is the least block that dirty takes from a strings.Builder: a large
// object, which begins on a page.
const dirtyUnits = 64 << 10 / 16

// dirty returns so many units of unspecified content. make would clear memory that
// the program has used before, 0.1 s for 1.6 GB, in which no sort can be cancelled; a
// Builder does not, since only what has been written to it can be read from it.
func dirty(units uint64) [][2]uint64 {
	if units < dirtyUnits {
		return make([][2]uint64, units)
	}
	var b strings.Builder
	b.Grow(int(units * 16))
	b.WriteByte(0) // the data of an empty string is nowhere
	return unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.StringData(b.String()))), units)
}

// scratch is a block of n elements taken from the pool.
type scratch[E any] struct {
	s     []E
	block *[][2]uint64
	class int
}

// getScratch returns n elements of unspecified content; give them back with
// put.
func getScratch[E any](n int) scratch[E] {
	var e E
	class, units := sizeClass((uint64(n)*uint64(unsafe.Sizeof(e)) + 15) / 16)
	b, ok := pools[class].Get().(*[][2]uint64)
	if !ok {
		s := dirty(units)
		b = &s
	}
	p := (*E)(unsafe.Pointer(unsafe.SliceData(*b)))
	return scratch[E]{unsafe.Slice(p, n), b, class}
}

func (s scratch[E]) put() {
	if s.block != nil {
		pools[s.class].Put(s.block)
	}
}

// jobs keeps vector jobs, which hold pointers, by the width of their words.
var jobs [2]sync.Pool

// getJob returns a zero job; give it back with putJob.
func getJob[U simd.Word]() *simd.Job[U] {
	var u U
	if j, ok := jobs[unsafe.Sizeof(u)/8].Get().(*simd.Job[U]); ok {
		return j
	}
	return new(simd.Job[U])
}

func putJob[U simd.Word](j *simd.Job[U]) {
	var u U
	*j = simd.Job[U]{}
	jobs[unsafe.Sizeof(u)/8].Put(j)
}

package gpusort_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// TestFew sorts every length up to some dozens, of keys that often repeat.
func TestFew(t *testing.T) {
	testFew(t, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	testFew(t, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	testFew(t, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	testFew(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) >> r.IntN(16) })
	testFew(t, func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) })
	testFew(t, func(r *rand.Rand) int32 { return int32(r.Uint32()) >> r.IntN(32) })
	testFew(t, func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) })
	testFew(t, func(r *rand.Rand) int { return int(r.Uint64()) >> r.IntN(64) })
	// Signed zeros, infinities and NaNs of both signs are frequent.
	testFew(t, func(r *rand.Rand) float32 {
		special := []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001}
		if i := r.IntN(24); i < len(special) {
			return math.Float32frombits(special[i])
		}
		return math.Float32frombits(r.Uint32())
	})
	testFew(t, func(r *rand.Rand) float64 {
		special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}
		if i := r.IntN(4 * len(special)); i < len(special) {
			return special[i]
		}
		return r.NormFloat64()
	})
}

func testFew[T gpusort.Key](t *testing.T, draw func(*rand.Rand) T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 70 {
		for range 40 {
			x := make([]T, n)
			for i := range x {
				x[i] = draw(r)
			}
			for _, desc := range []bool{false, true} {
				want := slices.Clone(x)
				slices.SortFunc(want, func(a, b T) int {
					o := key.Order{Desc: desc}
					switch ea, eb := image(a, o), image(b, o); {
					case ea < eb:
						return -1
					case ea > eb:
						return 1
					}
					return 0
				})
				got := slices.Clone(x)
				if desc {
					gpusort.SortDesc(got)
				} else {
					gpusort.Sort(got)
				}
				if string(bytesOf(got)) != string(bytesOf(want)) {
					t.Fatalf("%T, descending %t: %v is sorted to %v, want %v", x, desc, x, got, want)
				}
			}
		}
	}
}

// image is the integer by which k sorts.
func image[T gpusort.Key](k T, o key.Order) uint64 {
	c := key.CodecOf(key.Of[T](), o)
	switch p := unsafe.Pointer(&k); unsafe.Sizeof(k) {
	case 1:
		return uint64(key.Encode(c, *(*uint8)(p)))
	case 2:
		return uint64(key.Encode(c, *(*uint16)(p)))
	case 4:
		return uint64(key.Encode(c, *(*uint32)(p)))
	default:
		return key.Encode(c, *(*uint64)(p))
	}
}

func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

// TestNoEscape: a slice on the caller's stack stays there, and nothing is allocated.
func TestNoEscape(t *testing.T) {
	if raceDetector {
		absent.Skip(t, "a count of allocations", "with the race detector pools forget at random")
	}
	a := testing.AllocsPerRun(100, func() {
		small, long := [...]uint64{3, 1, 2}, [300]float32{1, 0, 2, 4}
		gpusort.Sort(small[:])
		gpusort.SortDesc(small[:])
		gpusort.Sort(long[:])
		if !gpusort.IsSorted(long[:]) {
			t.Error("not sorted")
		}
	})
	if a != 0 {
		t.Errorf("%v allocations", a)
	}
}

// TestStackMoves sorts slices on stacks that are short, so that they move while the
// sort calls deeper functions.
func TestStackMoves(t *testing.T) {
	for range 50 {
		done := make(chan bool)
		go func() {
			var x [400]uint32
			for i := range x {
				x[i] = uint32(i) * 2654435761
			}
			gpusort.Sort(x[:])
			done <- slices.IsSorted(x[:])
		}()
		if !<-done {
			t.Fatal("not sorted")
		}
	}
}

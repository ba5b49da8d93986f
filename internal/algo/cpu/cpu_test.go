package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// shapes are the inputs: each fills x from r.
var shapes = []struct {
	name string
	fill func(r *rand.Rand, x []uint64)
}{
	{"uniform", func(r *rand.Rand, x []uint64) { each(x, func(int) uint64 { return r.Uint64() }) }},
	{"sorted", func(r *rand.Rand, x []uint64) { each(x, func(i int) uint64 { return spread(uint64(i)) }) }},
	{"reverse", func(r *rand.Rand, x []uint64) { each(x, func(i int) uint64 { return spread(uint64(len(x) - i)) }) }},
	{"reverse-ties", func(r *rand.Rand, x []uint64) { each(x, func(i int) uint64 { return spread(uint64(len(x)-i) / 3) }) }},
	{"constant", func(r *rand.Rand, x []uint64) { each(x, func(int) uint64 { return 0x4242424242424242 }) }},
	{"two", func(r *rand.Rand, x []uint64) { each(x, func(int) uint64 { return -(r.Uint64() & 1) }) }},
	{"few", func(r *rand.Rand, x []uint64) { each(x, func(int) uint64 { return spread(r.Uint64N(17)) }) }},
	{"low-range", func(r *rand.Rand, x []uint64) { each(x, func(int) uint64 { return spread(r.Uint64N(1000)) >> 4 }) }},
	{"one-outlier", func(r *rand.Rand, x []uint64) {
		each(x, func(int) uint64 { return 0x7777777777777700 | r.Uint64N(200) })
		if len(x) > 0 {
			x[len(x)-1] = 1
		}
	}},
	{"almost", func(r *rand.Rand, x []uint64) {
		each(x, func(i int) uint64 { return spread(uint64(i)) })
		for range len(x)/50 + 1 {
			if len(x) > 0 {
				x[r.IntN(len(x))] = r.Uint64()
			}
		}
	}},
	{"specials", func(r *rand.Rand, x []uint64) {
		v := []uint64{0, 1, 1 << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
			0xfff8000000000001, 0x7fffffffffffffff, ^uint64(0), 0x7f8000007f800000, 0xff800000ff800001,
			0x7fc000017fc00001, 0xffc00001ffc00001, 0x8000000080000000}
		each(x, func(int) uint64 { return v[r.IntN(len(v))] })
	}},
	{"organ", func(r *rand.Rand, x []uint64) {
		each(x, func(i int) uint64 { return spread(uint64(min(i, len(x)-i))) })
	}},
}

func each(x []uint64, f func(i int) uint64) {
	for i := range x {
		x[i] = f(i)
	}
}

// spread puts a small number where every key width sees it.
func spread(u uint64) uint64 { return u<<48 | u<<24&0xffff_ff00_0000 | u&0xffffff }

var sizes = []int{0, 1, 2, 3, 8, insertionMax, insertionMax + 1, 100, 1000, 3000, 66_000}

// guarded returns x inside red zones, and a check of them.
func guarded[U key.Word](n int) ([]U, func(t *testing.T)) {
	const zone = 67
	all := make([]U, n+2*zone)
	for i := range all {
		all[i] = U(i*7 + 1)
	}
	return all[zone : zone+n : zone+n], func(t *testing.T) {
		t.Helper()
		for i := range all {
			if (i < zone || i >= zone+n) && all[i] != U(i*7+1) {
				t.Errorf("red zone written at %d", i-zone)
			}
		}
	}
}

func codecs[U key.Word]() []key.Codec {
	c := []key.Codec{0, 1, 4, 5}
	switch size := unsafe.Sizeof(U(0)); {
	case size == 2:
		c = append(c, 2, 7, key.CodecBrain|3, key.CodecBrain|6)
	case size >= 4:
		c = append(c, 2, 3, 6, 7)
	}
	return c
}

func TestSort(t *testing.T) {
	for l := simd.Plain; l <= simd.AVX512; l++ {
		t.Run(l.String(), func(t *testing.T) {
			if l > simd.Best() {
				absent.Skip(t, l.String(), "this processor or build does without")
			}
			defer simd.Force(l)()
			t.Run("u8", testWidth[uint8])
			t.Run("u16", testWidth[uint16])
			t.Run("u32", testWidth[uint32])
			t.Run("u64", testWidth[uint64])
		})
	}
}

func testWidth[U key.Word](t *testing.T) {
	r := rand.New(rand.NewPCG(1, uint64(unsafe.Sizeof(U(0)))))
	for _, n := range sizes {
		for _, s := range shapes {
			in64 := make([]uint64, n)
			s.fill(r, in64)
			in := make([]U, n)
			for i, u := range in64 {
				in[i] = U(u)
				if unsafe.Sizeof(U(0)) == 4 {
					in[i] = U(u >> 16)
				}
			}
			for i, c := range codecs[U]() {
				// The longest inputs are tried with two codecs in turn.
				if n > 10_000 && (i+len(s.name))%4 != 0 {
					continue
				}
				// The race detector, which -short is for, takes tens of times as long.
				if testing.Short() && n > 300 && (i+len(s.name)+n)%4 != 0 {
					continue
				}
				for _, w := range []int{1, 3} {
					// One worker races with nobody; of the longest inputs a share will do.
					if testing.Short() && n > 300 && (w == 1 || n > 10_000 && len(s.name)%3 != 0) {
						continue
					}
					name := fmt.Sprintf("%s/n=%d/codec=%d/workers=%d", s.name, n, c, w)
					checkAll(t, name, in, c, Options{Workers: w})
				}
			}
		}
	}
}

// checkAll sorts in with every mode and compares with slices' sorts.
func checkAll[U key.Word](t *testing.T, name string, in []U, c key.Codec, o Options) {
	t.Helper()
	n := len(in)
	less := func(a, b U) int { return cmp.Compare(key.Encode(c, a), key.Encode(c, b)) }
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	slices.SortStableFunc(perm, func(a, b int) int { return less(in[a], in[b]) })
	want := make([]U, n)
	for i, p := range perm {
		want[i] = in[p]
	}
	fail := func(mode string, err error) { t.Fatalf("%s: %s is wrong (error %v)", name, mode, err) }

	for _, memCap := range []uint64{0, 1} {
		x, zones := guarded[U](n)
		copy(x, in)
		o := o
		o.MemoryCap = memCap
		if err := Keys(x, c, o); err != nil || !slices.Equal(x, want) {
			fail(fmt.Sprintf("keys, cap %d,", memCap), err)
		}
		zones(t)
	}
	if !IsSorted(want, c) {
		fail("IsSorted", nil)
	}
	first := slices.IndexFunc(perm, func(int) bool { return false })
	for i := 1; i < n && first < 0; i++ {
		if less(in[i-1], in[i]) > 0 {
			first = i
		}
	}
	if got := FirstDisorder(in, c); got != first {
		t.Fatalf("%s: FirstDisorder = %d, want %d", name, got, first)
	}
	checkPayload[U, uint32](t, name, in, want, perm, c, o)
	checkPayload[U, uint64](t, name, in, want, perm, c, o)
}

func checkPayload[U key.Word, V Word32or64](t *testing.T, name string, in, want []U, perm []int, c key.Codec, o Options) {
	t.Helper()
	k, kz := guarded[U](len(in))
	copy(k, in)
	v, vz := guarded[V](len(in))
	for i := range v {
		v[i] = V(i) * 0x9e3779b1
	}
	if err := Pairs(k, v, c, o); err != nil || !slices.Equal(k, want) {
		t.Fatalf("%s: keys of pairs are wrong (%v)", name, err)
	}
	for i, p := range perm {
		if v[i] != V(p)*0x9e3779b1 {
			t.Fatalf("%s: value %d is wrong", name, i)
		}
	}
	copy(k, in)
	if err := Argsort(k, v, c, o); err != nil || !slices.Equal(k, in) {
		t.Fatalf("%s: argsort changed the keys (%v)", name, err)
	}
	for i, p := range perm {
		if v[i] != V(p) {
			t.Fatalf("%s: index %d is wrong", name, i)
		}
	}
	kz(t)
	vz(t)
}

// TestNoGoroutineStays counts goroutines after sorts, finished and cancelled.
func TestNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	x := make([]uint32, 300_000)
	for i := range 6 {
		for k := range x {
			x[k] = uint32(k) * 2654435761
		}
		ctx, cancel := context.WithCancel(t.Context())
		if i%2 == 1 {
			time.AfterFunc(time.Millisecond, cancel)
		}
		_ = Keys(x, key.CodecSigned, Options{Workers: 4, Ctx: ctx})
		cancel()
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestCancel cancels at random moments and checks that nothing is lost.
func TestCancel(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(3, 4))
	in := make([]uint64, n)
	v := make([]uint64, n)
	idx := make([]uint64, n)
	for i := range in {
		in[i] = r.Uint64() >> (i % 3 * 20)
	}
	want := slices.Clone(in)
	slices.Sort(want)
	for i := range 24 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*500*time.Microsecond, cancel)
		o := Options{Workers: 2, Ctx: ctx}
		x := slices.Clone(in)
		var err error
		switch i % 4 {
		case 0:
			err = Keys(x, key.CodecFloatNaNLast, o)
		case 1:
			o.MemoryCap = 1
			err = Keys(x, key.CodecFloatNaNLast, o)
		case 2:
			count(v, 0, 1)
			err = Pairs(x, v, key.CodecDesc, o)
			for k := range x {
				if x[k] != in[v[k]] {
					t.Fatal("a pair came apart")
				}
			}
		case 3:
			if err = Argsort(x, idx, 0, o); !slices.Equal(x, in) {
				t.Fatal("argsort changed the keys")
			}
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		slices.Sort(x)
		if !slices.Equal(x, want) {
			t.Fatalf("round %d: keys were lost", i)
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := []uint32{2, 1}
	if err := Keys(x, 0, Options{Ctx: ctx}); !errors.Is(err, context.Canceled) || x[0] != 2 {
		t.Error("a cancelled context did not stop the sort")
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("some bytes that are sorted as words"), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, c uint8) {
		x := make([]uint32, len(b)/4)
		for i := range x {
			x[i] = *(*uint32)(unsafe.Pointer(&b[i*4]))
		}
		checkAll(t, "fuzz", x, key.Codec(c&7), Options{Workers: 1})
		y := make([]uint64, len(b)/8)
		for i := range y {
			y[i] = *(*uint64)(unsafe.Pointer(&b[i*8]))
		}
		checkAll(t, "fuzz", y, key.Codec(c&7), Options{Workers: 2})
	})
}

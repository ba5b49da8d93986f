package cpu_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
)

var sizes = []int{0, 1, 2, 3, 16, 33, 255, 1000, 4097, 100_003}

// random returns n keys of any bits, of which some are equal.
func random[T cpu.Key](n int, seed uint64) []T {
	r, x := rand.New(rand.NewPCG(seed, uint64(n))), make([]T, n)
	for i := range x {
		if i > 0 && r.IntN(4) == 0 {
			x[i] = x[r.IntN(i)]
			continue
		}
		bits := r.Uint64()
		x[i] = *(*T)(unsafe.Pointer(&bits))
	}
	return x
}

// bits is the bit pattern of x, which tells NaNs and zeros apart.
func bits[T any](x T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = x
	return b
}

func sameBits[T any](a, b []T) bool {
	return slices.EqualFunc(a, b, func(a, b T) bool { return bits(a) == bits(b) })
}

// TestAsLibrary compares every function with package gpusort's, bit for bit, which has
// a reference of its own, and with slices.Sort for integers.
func TestAsLibrary(t *testing.T) {
	t.Run("u8", asLibrary[uint8])
	t.Run("i8", asLibrary[int8])
	t.Run("u16", asLibrary[uint16])
	t.Run("i16", asLibrary[int16])
	t.Run("u32", asLibrary[uint32])
	t.Run("i32", asLibrary[int32])
	t.Run("u64", asLibrary[uint64])
	t.Run("int", asLibrary[int])
	t.Run("f32", asLibrary[float32])
	t.Run("f64", asLibrary[float64])
	type named uint16
	t.Run("named", asLibrary[named])
}

func asLibrary[T interface {
	cpu.Key
	cmp.Ordered
}](t *testing.T) {
	for _, n := range sizes {
		x := random[T](n, 1)
		check := func(what string, got, want []T) {
			if !sameBits(got, want) {
				t.Errorf("%s of %d keys differs", what, n)
			}
		}
		a, b := slices.Clone(x), slices.Clone(x)
		cpu.Sort(a)
		gpusort.Sort(b)
		check("Sort", a, b)
		if !cpu.IsSorted(a) {
			t.Errorf("IsSorted of %d sorted keys is false", n)
		}
		if T(1)/2 == 0 { // integers have an independent reference
			want := slices.Clone(x)
			slices.Sort(want)
			check("slices.Sort", a, want)
		}
		cpu.SortDesc(a)
		gpusort.SortDesc(b)
		check("SortDesc", a, b)

		v, w := names(n), names(n)
		a, b = slices.Clone(x), slices.Clone(x)
		cpu.SortPairs(a, v)
		gpusort.SortPairs(b, w)
		check("keys of SortPairs", a, b)
		if !slices.Equal(v, w) {
			t.Errorf("values of %d pairs differ", n)
		}
		if !slices.Equal(cpu.Argsort(x), gpusort.Argsort(x)) {
			t.Errorf("Argsort of %d keys differs", n)
		}
		i, j := make([]int32, n), make([]uint32, n)
		cpu.ArgsortInto(i, x)
		gpusort.ArgsortInto(j, x)
		if !slices.EqualFunc(i, j, func(a int32, b uint32) bool { return uint32(a) == b }) {
			t.Errorf("ArgsortInto of %d keys differs", n)
		}
	}
}

// names are values with pointers, of the type that TestOperations has too: compiled once.
func names(n int) [][3]string {
	v := make([][3]string, n)
	for i := range v {
		v[i][1] = fmt.Sprint("value ", i)
	}
	return v
}

func TestSorter(t *testing.T) {
	s, err := cpu.New(cpu.WithDescending(), cpu.WithNaNLast(), cpu.WithWorkers(2), cpu.WithMemoryLimit(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	peer, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithDescending(), gpusort.WithNaNLast())
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	ctx := context.Background()
	x := random[float32](50_000, 2)
	a, b := slices.Clone(x), slices.Clone(x)
	if err := errors.Join(cpu.SortWith(ctx, s, a), gpusort.SortWith(ctx, peer, b)); err != nil {
		t.Fatal(err)
	}
	if !sameBits(a, b) || !cpu.IsSortedWith(s, a) || cpu.IsSortedWith(s, x) {
		t.Error("SortWith or IsSortedWith differs from gpusort's")
	}
	i, j := make([]uint64, len(x)), make([]uint64, len(x))
	if err := errors.Join(cpu.ArgsortWith(ctx, s, i, x), gpusort.ArgsortWith(ctx, peer, j, x)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(i, j) {
		t.Error("ArgsortWith differs from gpusort's")
	}
	v, w := random[uint16](len(x), 3), random[uint16](len(x), 3)
	if err := errors.Join(cpu.SortPairsWith(ctx, s, slices.Clone(x), v), gpusort.SortPairsWith(ctx, peer, slices.Clone(x), w)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v, w) {
		t.Error("SortPairsWith differs from gpusort's")
	}
	if err := cpu.SortWith(ctx, nil, a); err != nil || !cpu.IsSorted(a) {
		t.Errorf("a nil Sorter does not sort as the default: %v", err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := cpu.New(cpu.WithWorkers(-1)); !errors.Is(err, cpu.ErrUnsupported) {
		t.Errorf("-1 workers: %v", err)
	}
	s, _ := cpu.New()
	ctx, cancel := context.WithCancel(context.Background())
	for op, err := range map[string]error{
		"SortPairsWith": cpu.SortPairsWith(ctx, s, make([]int, 3), make([]string, 2)),
		"ArgsortWith":   cpu.ArgsortWith(ctx, s, make([]int, 3), make([]int8, 2)),
	} {
		if !errors.Is(err, cpu.ErrUnsupported) || !strings.HasPrefix(err.Error(), "cpu: "+op+": ") {
			t.Errorf("%s with lengths that differ: %v", op, err)
		}
	}
	cancel()
	x := random[uint64](100_000, 4)
	v, was := names(len(x)), map[uint64]int{}
	for _, u := range x {
		was[u]++
	}
	first := map[[3]string]uint64{}
	for i := range v {
		first[v[i]] = x[i]
	}
	if err := cpu.SortPairsWith(ctx, s, x, v); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for i, u := range x {
		was[u]--
		if first[v[i]] != u {
			t.Fatalf("pair %d came apart", i)
		}
	}
	for u, n := range was {
		if n != 0 {
			t.Fatalf("%d of key %d are missing", n, u)
		}
	}
}

func TestLengthsPanic(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "same length") {
			t.Errorf("panic %q", text)
		}
	}()
	cpu.SortPairs([]int{1, 2}, []string{"a"})
}

func TestSpecials(t *testing.T) {
	x := []float64{math.Inf(1), 0, math.Copysign(0, -1), math.NaN(), -1}
	cpu.Sort(x)
	if !math.IsNaN(x[0]) || x[1] != -1 || !math.Signbit(x[2]) || math.Signbit(x[3]) {
		t.Errorf("order of special values: %v", x)
	}
}

func Example() {
	x := []float64{3, 1, 2}
	cpu.Sort(x)
	fmt.Println(x, cpu.Argsort([]int{30, 10, 20}))
	// Output: [1 2 3] [1 2 0]
}

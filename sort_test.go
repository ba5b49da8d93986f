package gpusort_test

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

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
)

type celsius float32

// testType compares every function with the standard library's stable sorts on
// small and large slices with many equal keys. values, if it is there, sorts more pairs.
func testType[T gpusort.Key](t *testing.T, name string, draw func(r *rand.Rand) T, values func(t *testing.T, in []T, order []int)) {
	t.Run(name, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		for _, n := range []int{0, 1, 2, 3, 17, 100, 1000, 20000, 300000} {
			if n > 20000 && name != "uint32" && name != "named" {
				continue // two types pass the size from which devices are looked for
			}
			in := make([]T, n)
			for i := range in {
				in[i] = draw(r)
			}
			want := slices.Clone(in)
			slices.Sort(want)
			got := slices.Clone(in)
			gpusort.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("Sort of %d differs from slices.Sort", n)
			}
			if !gpusort.IsSorted(got) || n > 100 && gpusort.IsSorted(in) {
				t.Errorf("IsSorted is wrong for %d", n)
			}
			slices.Reverse(want)
			gpusort.SortDesc(got)
			if !slices.Equal(got, want) {
				t.Fatalf("SortDesc of %d is not the reverse", n)
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in[a], in[b]) })
			if idx := gpusort.Argsort(in); !slices.Equal(idx, order) {
				t.Fatalf("Argsort of %d differs", n)
			}
			small := make([]uint32, n)
			gpusort.ArgsortInto(small, in)
			for i, v := range small {
				if int(v) != order[i] {
					t.Fatalf("ArgsortInto of %d differs at %d", n, i)
				}
			}
			testPairs(t, in, order, func(i int) uint32 { return uint32(i) })
			testPairs(t, in, order, func(i int) [3]byte { return [3]byte{byte(i), byte(i >> 8), byte(i >> 16)} })
			if values != nil {
				values(t, in, order)
			}
		}
	})
}

// otherValues sorts pairs with values of more types. Each pair of types costs the compiler a
// quarter of a second, so types of keys that have the width of another go without.
func otherValues[K gpusort.Key](t *testing.T, in []K, order []int) {
	t.Helper()
	testPairs(t, in, order, func(i int) float64 { return float64(i) })
	if len(in) <= 1000 {
		testPairs(t, in, order, func(i int) string { return fmt.Sprint(i) })
		testPairs(t, in, order, func(i int) struct{} { return struct{}{} })
		p := new(int)
		testPairs(t, in, order, func(i int) *int { return p })
	}
}

func testPairs[K gpusort.Key, V comparable](t *testing.T, in []K, order []int, value func(int) V) {
	t.Helper()
	k, v := slices.Clone(in), make([]V, len(in))
	for i := range v {
		v[i] = value(i)
	}
	gpusort.SortPairs(k, v)
	for j, i := range order {
		if k[j] != in[i] || v[j] != value(i) {
			t.Fatalf("SortPairs of %d %T with %T differs at %d", len(in), k[0], v[0], j)
		}
	}
}

func TestTypes(t *testing.T) {
	testType(t, "uint8", func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, otherValues[uint8])
	testType(t, "int8", func(r *rand.Rand) int8 { return int8(r.Uint32()) }, nil)
	testType(t, "uint16", func(r *rand.Rand) uint16 { return uint16(r.Uint32()) }, otherValues[uint16])
	testType(t, "int16", func(r *rand.Rand) int16 { return int16(r.Uint32()) }, nil)
	testType(t, "uint32", func(r *rand.Rand) uint32 { return r.Uint32() % 5000 }, otherValues[uint32])
	testType(t, "int32", func(r *rand.Rand) int32 { return int32(r.Uint32()) }, nil)
	testType(t, "uint64", func(r *rand.Rand) uint64 { return r.Uint64() }, otherValues[uint64])
	testType(t, "int64", func(r *rand.Rand) int64 { return int64(r.Uint64()) >> 50 }, nil)
	testType(t, "int", func(r *rand.Rand) int { return int(r.Uint64()) }, nil)
	testType(t, "uint", func(r *rand.Rand) uint { return uint(r.Uint64()) }, nil)
	testType(t, "uintptr", func(r *rand.Rand) uintptr { return uintptr(r.Uint64()) }, nil)
	testType(t, "float32", func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }, nil)
	testType(t, "float64", func(r *rand.Rand) float64 { return r.NormFloat64() }, otherValues[float64])
	testType(t, "named", func(r *rand.Rand) celsius { return celsius(r.IntN(80) - 40) }, nil)
}

func TestNaNPlaces(t *testing.T) {
	in := []float64{1, math.NaN(), math.Inf(1), math.Copysign(0, -1), 0, math.Inf(-1), math.NaN()}
	first := slices.Clone(in)
	gpusort.Sort(first)
	if s := fmt.Sprint(first); s != "[NaN NaN -Inf -0 0 1 +Inf]" {
		t.Error(s)
	}
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithNaNLast())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	last := slices.Clone(in)
	if err := gpusort.SortWith(context.Background(), s, last); err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(last); s != "[-Inf -0 0 1 +Inf NaN NaN]" {
		t.Error(s)
	}
	if !gpusort.IsSortedWith(s, last) || gpusort.IsSortedWith(s, first) {
		t.Error("IsSortedWith ignores the place of NaN")
	}
}

// needAllocationCounts skips what counts allocations where that cannot be done.
func needAllocationCounts(t *testing.T) {
	t.Helper()
	if raceDetector {
		absent.Skip(t, "a count of allocations", "with the race detector pools forget at random")
	}
}

// TestNoAllocations: small sorts of keys allocate nothing, those of pairs and
// indices at most one slice header.
func TestNoAllocations(t *testing.T) {
	needAllocationCounts(t)
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	auto, err := gpusort.New()
	if err != nil {
		t.Fatal(err)
	}
	defer auto.Close()
	ctx := context.Background()
	for _, n := range []int{2, 30, 200} {
		x, v, idx := make([]uint32, n), make([]uint64, n), make([]uint32, n)
		for name, f := range map[string]func(){
			"Sort":              func() { gpusort.Sort(x) },
			"SortWith cpu":      func() { _ = gpusort.SortWith(ctx, s, x) },
			"SortWith auto":     func() { _ = gpusort.SortWith(ctx, auto, x) },
			"SortPairs":         func() { gpusort.SortPairs(x, v) },
			"ArgsortWith":       func() { _ = gpusort.ArgsortWith(ctx, s, idx, x) },
			"IsSorted":          func() { gpusort.IsSorted(x) },
			"SortPairsWith cpu": func() { _ = gpusort.SortPairsWith(ctx, s, x, v) },
		} {
			fill := func() {
				for i := range x {
					x[i] = uint32(i*7919) % 1000
				}
			}
			most := 0.0
			if strings.Contains(name, "Pairs") || strings.Contains(name, "Argsort") {
				most = 1
			}
			if a := testing.AllocsPerRun(50, func() { fill(); f() }); a > most {
				t.Errorf("%s of %d: %v allocations", name, n, a)
			}
		}
	}
}

// TestNoAllocationsByType: small sorts of keys of every kind allocate nothing.
func TestNoAllocationsByType(t *testing.T) {
	needAllocationCounts(t)
	noAllocations[uint8](t)
	noAllocations[int16](t)
	noAllocations[int32](t)
	noAllocations[uint64](t)
	noAllocations[float32](t)
	noAllocations[float64](t)
}

func noAllocations[T gpusort.Key](t *testing.T) {
	for _, n := range []int{4, 30, 200, 3000} {
		in, x := make([]T, n), make([]T, n)
		for i := range in {
			in[i] = T(i * 7919 % 1000)
		}
		if a := testing.AllocsPerRun(50, func() { copy(x, in); gpusort.Sort(x) }); a > 0 {
			t.Errorf("Sort of %d %T: %v allocations", n, in[0], a)
		}
		if a := testing.AllocsPerRun(50, func() { gpusort.IsSorted(x) }); a > 0 {
			t.Errorf("IsSorted of %d %T: %v allocations", n, in[0], a)
		}
	}
}

func TestBadArguments(t *testing.T) {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	panicOf := func(f func()) (err error) {
		defer func() { err = fmt.Errorf("panic: %v", recover()) }()
		f()
		return nil
	}
	for call, err := range map[string]error{
		"SortPairsWith": gpusort.SortPairsWith(ctx, s, []int{1, 2}, []int{1}),
		"ArgsortWith":   gpusort.ArgsortWith(ctx, s, []int{1}, []int{1, 2}),
		"SortPairs":     panicOf(func() { gpusort.SortPairs([]int{1, 2}, []int{1}) }),
		"SortPairsDesc": panicOf(func() { gpusort.SortPairsDesc([]int{1, 2}, []int{1}) }),
		"ArgsortInto":   panicOf(func() { gpusort.ArgsortInto([]int{1}, []int{1, 2}) }),
	} {
		if err == nil || !strings.Contains(err.Error(), call+": ") || !strings.Contains(err.Error(), "same length") {
			t.Errorf("%s of different lengths: %v", call, err)
		}
	}
	if _, err := gpusort.NewBuffer[error](s, 3); !errors.Is(err, gpusort.ErrUnsupported) || !strings.Contains(err.Error(), "error holds") {
		t.Errorf("buffer of an interface: %v", err)
	}
	if _, err := gpusort.New(gpusort.WithDevice("warp-drive:0")); !errors.Is(err, gpusort.ErrNoDevice) || !strings.Contains(err.Error(), "cpu") {
		t.Errorf("unknown device: %v", err)
	}
	if _, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithAlgorithm("bogo")); !errors.Is(err, gpusort.ErrUnsupported) || !strings.Contains(err.Error(), "cpu") {
		t.Errorf("unknown algorithm: %v", err)
	}
	if _, err := gpusort.New(gpusort.WithWorkers(-1)); err == nil {
		t.Error("-1 workers")
	}
	if _, err := gpusort.NewBuffer[string](s, 3); !errors.Is(err, gpusort.ErrUnsupported) {
		t.Errorf("buffer of strings: %v", err)
	}
	if _, err := gpusort.NewBuffer[int](s, -3); !errors.Is(err, gpusort.ErrUnsupported) {
		t.Errorf("buffer of -3: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := gpusort.SortWith(done, s, []int{2, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := gpusort.SortWith(ctx, s, []int{2, 1}); !errors.Is(err, gpusort.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

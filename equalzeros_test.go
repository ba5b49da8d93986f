package gpusort_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// tyingFloats returns n floats of few values, with zeros and NaNs of all kinds.
func tyingFloats[T float32 | float64](n int, seed uint64) []T {
	r, x := rand.New(rand.NewPCG(seed, 1)), make([]T, n)
	for i := range x {
		switch r.IntN(8) {
		case 0:
			x[i] = 0
		case 1:
			x[i] = T(math.Copysign(0, -1))
		case 2:
			bits := r.Uint64() | math.Float64bits(math.Inf(1)) | 1
			if unsafe.Sizeof(x[i]) == 4 {
				bits = uint64(uint32(bits) | math.Float32bits(float32(math.Inf(1))) | 1)
			}
			x[i] = *(*T)(unsafe.Pointer(&bits))
		case 3:
			x[i] = T(math.Inf(r.IntN(2)*2 - 1))
		default:
			x[i] = T(r.IntN(50) - 25)
		}
	}
	return x
}

// tyingOrder is the stable order of x by comparisons alone.
func tyingOrder[T float32 | float64](x []T, desc, nanLast bool) []int {
	idx := make([]int, len(x))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(i, j int) int {
		a, b := x[i], x[j]
		if desc {
			a, b = b, a
		}
		nan := -1
		if nanLast {
			nan = 1
		}
		switch {
		case a != a && b != b, a == b:
			return 0
		case a != a:
			return nan
		case b != b:
			return -nan
		case a < b:
			return -1
		}
		return 1
	})
	return idx
}

func rawBits[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(x))*unsafe.Sizeof(*new(T)))
}

func gathered[T any](x []T, idx []int) []T {
	out := make([]T, len(idx))
	for j, i := range idx {
		out[j] = x[i]
	}
	return out
}

// TestEqualZeros: slices and Buffers, on the CPU and on every device, and the package
// cpu, against a stable sort by comparisons, in both directions and NaN places.
func TestEqualZeros(t *testing.T) {
	list, err := gpusort.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, d := range list {
		for _, desc := range []bool{false, true} {
			for _, last := range []bool{false, true} {
				opts := []gpusort.Option{gpusort.WithDevice(d.ID), gpusort.WithEqualZeros()}
				cpuOpts := []cpu.Option{cpu.WithEqualZeros()}
				if desc {
					opts, cpuOpts = append(opts, gpusort.WithDescending()), append(cpuOpts, cpu.WithDescending())
				}
				if last {
					opts, cpuOpts = append(opts, gpusort.WithNaNLast()), append(cpuOpts, cpu.WithNaNLast())
				}
				t.Run(fmt.Sprintf("%s/desc=%v/last=%v", d.ID, desc, last), func(t *testing.T) {
					s, err := gpusort.New(opts...)
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					alone, err := cpu.New(cpuOpts...)
					if err != nil {
						t.Fatal(err)
					}
					for _, n := range []int{0, 1, 2, 17, 3000, 70_001} {
						equalZeros(t, s, alone, tyingFloats[float32](n, 1), desc, last)
						equalZeros(t, s, alone, tyingFloats[float64](n, 2), desc, last)
					}
				})
			}
		}
	}
}

func equalZeros[T float32 | float64](t *testing.T, s *gpusort.Sorter, alone *cpu.Sorter, in []T, desc, last bool) {
	t.Helper()
	ctx, n := context.Background(), len(in)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	order := tyingOrder(in, desc, last)
	same := func(what string, k []T, idx []int) {
		t.Helper()
		if !slices.Equal(idx, order) {
			t.Fatalf("%s of %d %T: another order", what, n, k)
		}
		if k != nil && !bytes.Equal(rawBits(k), rawBits(gathered(in, order))) {
			t.Fatalf("%s of %d %T: keys of other bits", what, n, k)
		}
	}
	idx := make([]int, n)
	must(gpusort.ArgsortWith(ctx, s, idx, in))
	same("argsort", nil, idx)
	must(cpu.ArgsortWith(ctx, alone, idx, in))
	same("argsort of package cpu", nil, idx)

	values := make([]int, n)
	for i := range values {
		values[i] = i
	}
	k, v := slices.Clone(in), slices.Clone(values)
	must(gpusort.SortPairsWith(ctx, s, k, v))
	same("pairs", k, v)
	if !gpusort.IsSortedWith(s, k) {
		t.Errorf("%d pairs that were sorted are not", n)
	}
	k, v = slices.Clone(in), slices.Clone(values)
	must(cpu.SortPairsWith(ctx, alone, k, v))
	same("pairs of package cpu", k, v)
	if !cpu.IsSortedWith(alone, k) {
		t.Errorf("%d pairs that package cpu sorted are not sorted", n)
	}
	type wide struct {
		i    int
		text string
	}
	k, w := slices.Clone(in), make([]wide, n)
	for i := range w {
		w[i] = wide{i, "x"}
	}
	must(gpusort.SortPairsWith(ctx, s, k, w))
	for i := range w {
		v[i] = w[i].i
	}
	same("pairs with values of any kind", k, v)
	k = slices.Clone(in)
	must(gpusort.SortPairsWith(ctx, s, k, make([]struct{}, n)))
	same("pairs with values without a size", k, order)
	k = slices.Clone(in)
	must(cpu.SortPairsWith(ctx, alone, k, make([][0]string, n)))
	same("pairs of package cpu with values without a size", k, order)

	keys, err := gpusort.NewBuffer[T](s, n)
	must(err)
	defer keys.Close()
	places, err := gpusort.NewBuffer[int](s, n)
	must(err)
	defer places.Close()
	must(keys.Upload(ctx, in))
	must(gpusort.ArgsortBuffer(ctx, places, keys))
	must(places.Download(ctx, idx))
	same("argsort of Buffers", nil, idx)
	must(places.Upload(ctx, values))
	must(gpusort.SortPairsBuffer(ctx, keys, places))
	must(keys.Download(ctx, k))
	must(places.Download(ctx, v))
	same("pairs of Buffers", k, v)

	// Keys alone have one result.
	x := slices.Clone(in)
	must(gpusort.SortWith(ctx, s, x))
	y := slices.Clone(in)
	opts := []gpusort.Option{gpusort.WithDevice("cpu")}
	if desc {
		opts = append(opts, gpusort.WithDescending())
	}
	if last {
		opts = append(opts, gpusort.WithNaNLast())
	}
	strict, err := gpusort.New(opts...)
	must(err)
	defer strict.Close()
	must(gpusort.SortWith(ctx, strict, y))
	if !bytes.Equal(rawBits(x), rawBits(y)) {
		t.Fatalf("%d keys alone differ from those without the option", n)
	}
}

// TestEqualZerosOfHalves: floats of 16 bits with values without a size, with memory for a copy and without.
func TestEqualZerosOfHalves(t *testing.T) {
	for _, limit := range []uint64{0, 1} {
		s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithEqualZeros(), gpusort.WithDescending(), gpusort.WithMemoryLimit(limit))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		halves, brains := []gpusort.Float16{{Bits: 0x8000}, {}, {Bits: 0x7e01}, {Bits: 0xfe00}}, []gpusort.BFloat16{{Bits: 0x8000}, {}, {Bits: 0x7fc1}, {Bits: 0xffc0}}
		h, b := slices.Clone(halves), slices.Clone(brains)
		if err := gpusort.SortPairsWith(t.Context(), s, h, make([]struct{}, 4)); err != nil || !slices.Equal(h, halves) {
			t.Errorf("limit %d: %x, %v, want %x", limit, h, err, halves)
		}
		if err := gpusort.SortPairsWith(t.Context(), s, b, make([]struct{}, 4)); err != nil || !slices.Equal(b, brains) {
			t.Errorf("limit %d: %x, %v, want %x", limit, b, err, brains)
		}
	}
}

// TestEqualZerosExplained: what the option takes is told, without a device too.
func TestEqualZerosExplained(t *testing.T) {
	for _, c := range []struct {
		mode  gpusort.Mode
		bytes int
		more  uint64 // bytes of canonical keys and indices for each item, at least
	}{{gpusort.ModeKeys, 0, 0}, {gpusort.ModePairs, 4, 8 + 4}, {gpusort.ModeArgsort, 4, 8}} {
		const n = 1 << 20
		plain, err := gpusort.ScratchBytes[float64](c.mode, n, c.bytes, gpusort.WithDevice("cuda"))
		if err != nil {
			t.Fatal(err)
		}
		with, err := gpusort.ScratchBytes[float64](c.mode, n, c.bytes, gpusort.WithDevice("cuda"), gpusort.WithEqualZeros())
		if err != nil {
			t.Fatal(err)
		}
		if c.more == 0 && with != plain || with < c.more*n {
			t.Errorf("%v: %d bytes of scratch with the option, %d without", c.mode, with, plain)
		}
		ints, _ := gpusort.ScratchBytes[int64](c.mode, n, c.bytes, gpusort.WithDevice("cuda"))
		if same, err := gpusort.ScratchBytes[int64](c.mode, n, c.bytes, gpusort.WithDevice("cuda"), gpusort.WithEqualZeros()); err != nil || same != ints {
			t.Errorf("%v of integers: %d bytes of scratch with the option, %d without: %v", c.mode, same, ints, err)
		}
	}
}

// TestEqualZerosAsNumPy compares with NumPy's stable argsort.
func TestEqualZerosAsNumPy(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import numpy").Run()
	}
	if err != nil {
		absent.Skip(t, "numpy", "no comparison with its stable argsort, which needs python3 with numpy: %v", err)
	}
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithNaNLast(), gpusort.WithEqualZeros())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	asNumPy(t, s, python, "<f4", tyingFloats[float32](20_011, 3))
	asNumPy(t, s, python, "<f8", tyingFloats[float64](20_011, 4))
}

func asNumPy[T float32 | float64](t *testing.T, s *gpusort.Sorter, python, dtype string, x []T) {
	const script = "import sys, numpy\nx = numpy.frombuffer(sys.stdin.buffer.read(), %q)\n" +
		"sys.stdout.buffer.write(numpy.argsort(x, kind='stable').astype('<i8').tobytes())\n"
	c := exec.Command(python, "-c", strings.ReplaceAll(fmt.Sprintf(script, dtype), `"`, "'"))
	c.Stdin = bytes.NewReader(rawBits(x))
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, len(x))
	if _, err := binary.Decode(out, binary.LittleEndian, want); err != nil {
		t.Fatal(err)
	}
	got := make([]int64, len(x))
	if err := gpusort.ArgsortWith(context.Background(), s, got, x); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("argsort of %s differs from NumPy's", dtype)
	}
}

// FuzzEqualZeros sorts any bits as floats.
func FuzzEqualZeros(f *testing.F) {
	zeros := tyingFloats[float64](40, 5)
	f.Add(rawBits(zeros), byte(0))
	f.Add(rawBits([]float64{0, math.Copysign(0, -1), 0, math.Copysign(0, -1)}), byte(1))
	f.Add(rawBits([]float64{math.NaN(), 1, -math.NaN(), math.Copysign(0, -1), 0}), byte(2))
	f.Add(rawBits(tyingFloats[float64](300, 6)), byte(3))
	var sorters [4]*gpusort.Sorter
	var alone [4]*cpu.Sorter
	for i := range sorters {
		opts, cpuOpts := []gpusort.Option{gpusort.WithDevice("cpu"), gpusort.WithEqualZeros()}, []cpu.Option{cpu.WithEqualZeros()}
		if i&1 != 0 {
			opts, cpuOpts = append(opts, gpusort.WithDescending()), append(cpuOpts, cpu.WithDescending())
		}
		if i&2 != 0 {
			opts, cpuOpts = append(opts, gpusort.WithNaNLast()), append(cpuOpts, cpu.WithNaNLast())
		}
		var err error
		if sorters[i], err = gpusort.New(opts...); err != nil {
			f.Fatal(err)
		}
		if alone[i], err = cpu.New(cpuOpts...); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, how byte) {
		x := make([]float64, len(data)/8)
		copy(rawBits(x), data)
		equalZeros(t, sorters[how&3], alone[how&3], x, how&1 != 0, how&2 != 0)
		y := make([]float32, len(data)/4)
		copy(rawBits(y), data)
		equalZeros(t, sorters[how&3], alone[how&3], y, how&1 != 0, how&2 != 0)
	})
}

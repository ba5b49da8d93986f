//go:build !noasm && !purego

package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// maxTestItems is the longest range that kernels are tried on.
const maxTestItems = 1100

// words makes inputs for kernels: uniform, few values, extremes.
func words[U Word](r *rand.Rand, x []U) {
	shift := []int{0, 0, int(unsafe.Sizeof(U(0)))*8 - 3}[r.IntN(3)]
	for i := range x {
		x[i] = U(r.Uint64()) >> shift
		if r.IntN(50) == 0 {
			x[i] = []U{0, 1, ^U(0), ^U(0) >> 1, ^(^U(0) >> 1)}[r.IntN(5)]
		}
	}
}

// eachLevel runs f for every level of the processor, AVX-512 as on processors of
// either maker, and says which are absent.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	defer func(was bool) { zen = was }(zen)
	for _, l := range []struct {
		name string
		Level
		zen bool
	}{{"avx2", AVX2, false}, {"avx512", AVX512, false}, {"zen", AVX512, true}} {
		t.Run(l.name, func(t *testing.T) {
			if l.Level > Best() {
				absent.Skip(t, l.Level.String(), "this processor or build does without")
			}
			defer Force(l.Level)()
			zen = l.zen
			f(t)
		})
	}
}

// eachKernel runs the tests of both widths for every level of the processor.
func eachKernel(t *testing.T, u32, u64 func(t *testing.T)) {
	eachLevel(t, func(t *testing.T) {
		t.Run("u32", u32)
		t.Run("u64", u64)
	})
}

// TestKernels tries every kernel at every length, with the words right behind
// and right before a page that must not be touched, against plain loops.
func TestKernels(t *testing.T) {
	eachKernel(t, testKernels[uint32], testKernels[uint64])
}

func testKernels[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	k := kernelsOf[U]()
	size := int(unsafe.Sizeof(U(0)))
	mem := guardedPages(t, 3*4096)
	place := func(n, misalign int, front bool) []U {
		var b []byte
		if front {
			b = mem[misalign*size:][:n*size]
		} else {
			b = mem[len(mem)-(n+misalign)*size:][:n*size]
		}
		return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	for n := 1; n <= maxTestItems; n++ {
		for trial := range 4 {
			x := place(n, trial/2*r.IntN(8), trial%2 == 0)
			words(r, x)
			in := slices.Clone(x)
			p := in[r.IntN(n)]
			var low, high []U
			for _, u := range in {
				if u < p {
					low = append(low, u)
				} else {
					high = append(high, u)
				}
			}
			stable := slices.Concat(low, high)
			if n <= k.netMax {
				k.sort(&x[0], n)
				slices.Sort(in)
				if !slices.Equal(x, in) {
					t.Fatalf("sort of %d words is wrong", n)
				}
				copy(x, stable)
				rand.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
				in = slices.Clone(x)
			}
			if k.part != nil {
				in = slices.Clone(x)
				low, high = low[:0], high[:0]
				for _, u := range in {
					if u < p {
						low = append(low, u)
					} else {
						high = append(high, u)
					}
				}
				buf := make([]U, n+Slack/size)
				if m := k.part(&x[0], n, p, &buf[0]); m != len(low) || !slices.Equal(x, slices.Concat(low, high)) {
					t.Fatalf("part of %d words is wrong: %d below, want %d", n, m, len(low))
				}
				copy(x, in)
			}
			if n > k.netMax {
				if m := k.split(&x[0], n, p); m != len(low) || !divided(x, in, p, m) {
					t.Fatalf("split of %d words is wrong: %d below, want %d", n, m, len(low))
				}
			}
		}
	}
}

// divided reports whether x is in, in another order, and its first m words
// are those below p.
func divided[U Word](x, in []U, p U, m int) bool {
	for i, u := range x {
		if (u < p) != (i < m) {
			return false
		}
	}
	a, b := slices.Clone(x), slices.Clone(in)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestFirst tries the partitions that encode.
func TestFirst(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		t.Run("u32", func(t *testing.T) {
			testFirst(t, &FloatMap[uint32]{1<<23 - 1, 2*(1<<23-1) - 1, 1 << 31, 0, ^uint32(0)})
			testFirst(t, &FloatMap[uint32]{0, 5, 1 << 31, 1<<23 - 1, ^uint32(0)})
		})
		t.Run("u64", func(t *testing.T) {
			testFirst(t, &FloatMap[uint64]{1<<52 - 1, 2*(1<<52-1) - 1, 1 << 63, 2 * (1<<52 - 1), 0})
			testFirst(t, &FloatMap[uint64]{0, 5, 1 << 63, 1<<63 + 77, 0})
		})
	})
}

func testFirst[U Word](t *testing.T, f *FloatMap[U]) {
	r := rand.New(rand.NewPCG(3, 4))
	s := new(Scratch[U])
	for n := 1; n < 6000; n += 1 + n/9 {
		for _, c := range []Codec[U]{{}, {Mask: ^U(0) >> 1}, {Float: f}} {
			x := make([]U, n)
			for i := range x {
				x[i] = U(r.Uint64())
			}
			want := slices.Clone(x)
			if c != (Codec[U]{}) {
				c.Encode(want)
			}
			for i, u := range x {
				if c.Float != nil && want[i] != f.encode(u) {
					t.Fatalf("%d words, %+v: %x becomes %x", n, c, u, want[i])
				}
			}
			if back := slices.Clone(want); c != (Codec[U]{}) {
				if c.Decode(back); !slices.Equal(back, x) {
					t.Fatalf("%d words, %+v: not decoded", n, c)
				}
			}
			p := want[r.IntN(n)]
			m := Partition(x, p, s, c, true)
			if !divided(x, want, p, m) {
				t.Fatalf("%d words, %+v: wrong", n, c)
			}
		}
	}
}

func testQuick[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 100, 255, 256, 257, 300, 1000, 5000, 70000} {
		for s, f := range []func(i int) U{
			func(int) U { return U(r.Uint64()) }, func(int) U { return 7 }, func(i int) U { return U(i) },
			func(i int) U { return U(n - i) }, func(int) U { return U(r.Uint64N(5)) }, func(int) U { return ^U(0) - U(r.Uint64N(2)) },
			func(int) U { return U(r.Uint64N(1000)) }, func(i int) U { return U(min(i, n-i)) },
		} {
			x := make([]U, n+8)
			for i := range x {
				x[i] = f(i)
			}
			want := slices.Clone(x)
			slices.Sort(want[4 : 4+n])
			at := 4
			j := Job[U]{Scratch: new(Scratch[U]), Then: func(p []U) {
				if &p[0] != &x[at] {
					t.Fatal("a part comes out of turn")
				}
				at += len(p)
			}}
			j.Sort(x[4:4+n], 0)
			if !slices.Equal(x, want) || at != 4+n {
				t.Fatal(n, s)
			}
		}
	}
}

func TestQuick(t *testing.T) {
	eachKernel(t, testQuick[uint32], testQuick[uint64])
}

// TestWorkIsBounded counts the words that partitions of the real code read on
// hard inputs, among them one made against its sampling: the words that the
// sample reads are the smallest.
func TestWorkIsBounded(t *testing.T) {
	const n = 1 << 16
	eachLevel(t, func(t *testing.T) {
		for shape := range 5 {
			x := make([]uint64, n)
			for i := range x {
				x[i] = []uint64{uint64(i), uint64(n - i), uint64(i % 3), uint64(min(i, n-i)), 1 << 40}[shape]
			}
			k := *kernels64()
			read := 0
			count := *kernels64()
			count.split = func(x *uint64, n int, p uint64) int { read += n; return k.split(x, n, p) }
			if k.part != nil {
				count.part = func(x *uint64, n int, p uint64, b *uint64) int { read += n; return k.part(x, n, p, b) }
			}
			s := new(Scratch[uint64])
			q := quick[uint64]{k: &count, buf: &s[0], room: s[bufWords:]}
			if shape == 4 {
				// Where the first sample reads, by its own rule, lie small words.
				marks := make([]uint64, n)
				each := uint64(0)
				for i := range marks {
					marks[i] = uint64(i)
				}
				_ = q.sample(marks, make([]uint64, maxSplitters), nil)
				for _, at := range unsafe.Slice(q.buf, min(256, k.netMax)) {
					x[at] = each
					each++
				}
				for i := range x {
					if x[i] == 1<<40 {
						x[i] += uint64(i)
					}
				}
			}
			want := slices.Clone(x)
			slices.Sort(want)
			q.sort(x, 0, nil, budget(x))
			if !slices.Equal(x, want) {
				t.Fatalf("shape %d is not sorted", shape)
			}
			if limit := n * (2*16 + 8 + 16); read > limit {
				t.Errorf("shape %d: partitions read %d words, more than %d", shape, read, limit)
			}
		}
	})
}

// TestBudget lets the budget run out.
func TestBudget(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		x := make([]uint32, 5000)
		for i := range x {
			x[i] = uint32(i * 2654435761)
		}
		s := new(Scratch[uint32])
		q := quick[uint32]{k: kernels32(), buf: &s[0], room: s[bufWords:]}
		q.sort(x, 0, []uint32{0, 1, 1, 2, 3}, 0)
		if !slices.IsSorted(x) {
			t.Error("not sorted")
		}
	})
}

func ExampleLevel() {
	fmt.Println(Plain, AVX2, AVX512)
	// Output: plain avx2 avx512
}

//go:build amd64 && !noasm && !purego

package simd

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"
)

func testTwo[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	k := kernelsOf[U]()
	size := int(unsafe.Sizeof(U(0)))
	mem := guardedPages(t, 3*4096)
	for n := 1; n <= maxTestItems; n++ {
		x := unsafe.Slice((*U)(unsafe.Pointer(&mem[len(mem)-n*size])), n)
		if n%2 == 0 {
			x = unsafe.Slice((*U)(unsafe.Pointer(&mem[n%64/8*size])), n)
		}
		a, b := U(r.Uint64()), U(r.Uint64())
		for i := range x {
			x[i] = []U{a, b}[r.IntN(2)]
		}
		end := n
		if n%3 != 0 { // a third value somewhere, which a bit tells from one of the two
			end = r.IntN(n)
			x[end] = []U{a, b}[r.IntN(2)] ^ 1<<r.IntN(8*size)
		}
		equal := 0
		for _, u := range x[:end] {
			if u == a {
				equal++
			}
		}
		if done, got := scanTwo(k, x, a, b); done != end || got != equal {
			t.Fatalf("%d words, third value at %d: scanned %d, %d equal, want %d", n, end, done, got, equal)
		}
		if done, _ := k.two(&x[0], n, a, b); done > end {
			t.Fatalf("%d words: the kernel went to %d, beyond %d", n, done, end)
		}
	}
}

// TestTwo tries the scan for two values on every length, beside guard pages.
func TestTwo(t *testing.T) {
	eachKernel(t, testTwo[uint32], testTwo[uint64])
}

// TestSame puts another word at the places where the scan for one value begins
// and ends, a bit away from it, and beside guard pages.
func TestSame(t *testing.T) {
	eachKernel(t, testSame[uint32], testSame[uint64])
}

func testSame[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	size := int(unsafe.Sizeof(U(0)))
	mem := guardedPages(t, 3*streamsBlock)
	all := unsafe.Slice((*U)(unsafe.Pointer(&mem[0])), len(mem)/size)
	block, stream := streamsBlock/size, streamsBlock/8/size
	for _, n := range []int{1, 64, block - 1, block, block + 1, block + 300, 2*block + 63, 3*block - 1, 3 * block} {
		x := all[len(all)-n:]
		a := U(r.Uint64())
		for i := range x {
			x[i] = a
		}
		if got := Same(x); got != n {
			t.Fatalf("%d equal words: found %d", n, got)
		}
		try := func(at int) {
			if at < 1 || at >= n {
				return
			}
			x[at] ^= 1 << r.IntN(8*size)
			if got := Same(x); got != at {
				t.Fatalf("%d words, another at %d: found %d", n, at, got)
			}
			x[at] = a
		}
		for i := range 300 {
			try(i)
			try(n - 1 - i)
		}
		for s := stream; s < n; s += stream {
			for i := -20; i <= 20; i++ {
				try(s + i)
			}
		}
	}
}

// TestFill fills by plain and by streaming stores, from any alignment on.
func TestFill(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mem := make([]uint64, streamMin/8+2000)
		for _, n := range []int{1, 7, 64, 512, 513, 2000, streamMin/8 + 1023} {
			for _, at := range []int{1, 31, 32, 33} {
				mem[at-1], mem[at+n] = 1, 2
				fill(mem[at:at+n], 99, n*8 >= streamMin || n == 2000)
				if mem[at-1] != 1 || mem[at+n] != 2 || slices.ContainsFunc(mem[at:at+n], func(u uint64) bool { return u != 99 }) {
					t.Fatalf("fill of %d words at %d is wrong", n, at)
				}
			}
		}
	})
}

// TestFewValues sorts ranges that look two-valued and are, or are not.
func TestFewValues(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for trial := range 200 {
			x := make([]uint32, 500+r.IntN(20_000))
			values := 1 + r.IntN(4)
			for i := range x {
				x[i] = uint32(r.IntN(values)) * 0x55555555
			}
			for range trial % 3 { // rare ones, that samples miss
				x[r.IntN(len(x))] = r.Uint32()
			}
			want := slices.Clone(x)
			slices.Sort(want)
			c := Codec[uint32]{}
			if trial%2 == 1 {
				c.Mask = 1 << 31
				slices.SortFunc(want, func(a, b uint32) int { return int(int64(int32(a)) - int64(int32(b))) })
			}
			parts := 0
			j := Job[uint32]{Scratch: new(Scratch[uint32]), Codec: c, Raw: true, Then: func(p []uint32) { parts += len(p) }}
			j.Sort(x, 0)
			if !slices.Equal(x, want) || parts != len(x) {
				t.Fatalf("trial %d, %d values: wrong (%d of %d handed on)", trial, values, parts, len(x))
			}
		}
	})
}

// TestStop sets Stop in the middle of a sort and counts what is read after.
func TestStop(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const n = 1 << 18
		x := make([]uint64, n)
		for i := range x {
			x[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		want := slices.Clone(x)
		slices.Sort(want)
		var stop atomic.Bool
		k, calls, after := kernels64(), 0, 0
		count := *k
		count.split = func(x *uint64, n int, p uint64) int {
			if calls++; calls > 3 {
				if stop.Load() {
					after++
				}
				stop.Store(true)
			}
			return k.split(x, n, p)
		}
		s, parts := new(Scratch[uint64]), 0
		q := quick[uint64]{k: &count, buf: &s[0], job: &Job[uint64]{Stop: stop.Load, Then: func(p []uint64) { parts += len(p) }}, room: s[bufWords:]}
		q.sort(x, 0, nil, budget(x))
		if after != 0 || parts != n {
			t.Errorf("%d partitions began after the stop; %d of %d words were handed on", after, parts, n)
		}
		slices.Sort(x)
		if !slices.Equal(x, want) {
			t.Error("words were lost")
		}
	})
}

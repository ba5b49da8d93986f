package gpusort_test

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
)

type identity [16]byte

// TestAnyKey compares the functions, and a Sorter's, with sorts by comparison, of keys that are no
// numbers of Go's.
func TestAnyKey(t *testing.T) {
	anyKey(t, "uint128", func(r *rand.Rand) gpusort.Uint128 {
		return gpusort.Uint128{Hi: r.Uint64N(9) << 61, Lo: r.Uint64N(99)}
	}, func(a, b gpusort.Uint128) int { return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo)) })
	anyKey(t, "identity", func(r *rand.Rand) (b identity) {
		b[0], b[7], b[8], b[15] = byte(r.IntN(3)), byte(r.IntN(3)), byte(r.IntN(3)), byte(r.Uint32())
		return b
	}, func(a, b identity) int { return bytes.Compare(a[:], b[:]) })
	// Numbers and infinities; package internal/key has NaNs and zeros of either sign.
	anyKey(t, "float16", func(r *rand.Rand) gpusort.Float16 {
		u := uint16(r.UintN(0x7c01))
		return gpusort.Float16{Bits: u | uint16(r.UintN(2))<<15}
	}, func(a, b gpusort.Float16) int { return cmp.Compare(signed(a.Bits), signed(b.Bits)) })
	anyKey(t, "bfloat16", func(r *rand.Rand) gpusort.BFloat16 {
		return gpusort.BFloat16{Bits: uint16(math.Float32bits(r.Float32()-0.5) >> 16)}
	}, func(a, b gpusort.BFloat16) int {
		return cmp.Compare(math.Float32frombits(uint32(a.Bits)<<16), math.Float32frombits(uint32(b.Bits)<<16))
	})
}

// signed has the order of floats' bits, −0 before +0.
func signed(u uint16) int {
	if u>>15 != 0 {
		return -1 - int(u&0x7fff)
	}
	return int(u)
}

func anyKey[K interface {
	gpusort.AnyKey
	comparable
}](t *testing.T, name string, draw func(*rand.Rand) K, compare func(a, b K) int) {
	t.Run(name, func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 1))
		s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithDescending())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, n := range []int{0, 1, 2, 3, 16, 17, 32, 33, 70, 1000, 70_000} {
			in := make([]K, n)
			for i := range in {
				in[i] = draw(r)
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			down := slices.Clone(order)
			slices.SortStableFunc(order, func(a, b int) int { return compare(in[a], in[b]) })
			slices.SortStableFunc(down, func(a, b int) int { return compare(in[b], in[a]) })
			sorted, falling := make([]K, n), make([]K, n)
			for i := range n {
				sorted[i], falling[i] = in[order[i]], in[down[i]]
			}
			same := func(what string, got, want []K) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Fatalf("%s of %d: %v, want %v", what, n, got[:min(n, 20)], want[:min(n, 20)])
				}
			}
			places := func(what string, got, want []int) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Fatalf("%s of %d: %v, want %v", what, n, got[:min(n, 20)], want[:min(n, 20)])
				}
			}
			x, y := slices.Clone(in), slices.Clone(in)
			gpusort.Sort(x)
			cpu.Sort(y)
			same("Sort", x, sorted)
			same("cpu.Sort", y, sorted)
			x = slices.Clone(in)
			gpusort.SortDesc(x)
			same("SortDesc", x, falling)
			x = slices.Clone(in)
			if err := gpusort.SortWith(t.Context(), s, x); err != nil {
				t.Fatal(err)
			}
			same("SortWith", x, falling)
			k, v := slices.Clone(in), slices.Clone(order)
			slices.Sort(v)
			gpusort.SortPairs(k, v)
			same("keys of SortPairs", k, sorted)
			places("values of SortPairs", v, order)
			k, v = slices.Clone(in), slices.Clone(order)
			slices.Sort(v)
			gpusort.SortPairsDesc(k, v)
			same("keys of SortPairsDesc", k, falling)
			places("values of SortPairsDesc", v, down)
			places("Argsort", gpusort.Argsort(in), order)
			places("cpu.Argsort", cpu.Argsort(in), order)
			if !gpusort.IsSorted(sorted) || n > 100 && gpusort.IsSorted(in) {
				t.Fatalf("IsSorted of %d is wrong", n)
			}
			few := min(n, 9)
			same("Smallest", gpusort.Smallest(in, few), sorted[:few])
			same("Largest", gpusort.Largest(in, few), falling[:few])
			places("ArgSmallest", gpusort.ArgSmallest(in, few), order[:few])
			distinct := slices.Compact(slices.Clone(sorted))
			same("Unique", gpusort.Unique(slices.Clone(sorted)), distinct)
			values, counts := gpusort.Count(in)
			same("Count", values, distinct)
			total := 0
			for _, c := range counts {
				total += c
			}
			if groups := gpusort.Groups(sorted); total != n || len(groups) != len(distinct)+1 {
				t.Fatalf("%d groups, %d counted of %d", len(groups), total, n)
			}
		}
	})
}

// TestAnyKeyOnStack sorts keys that lie on the stack, from depths at which it grows.
func TestAnyKeyOnStack(t *testing.T) {
	var deep func(n int) bool
	deep = func(n int) bool {
		var x [40]gpusort.Uint128
		for i := range x {
			x[i].Lo = uint64(len(x) - i*7%40)
		}
		few := x
		gpusort.Sort(few[:20])
		gpusort.Sort(x[:])
		return gpusort.IsSorted(x[:]) && gpusort.IsSorted(few[:20]) && (n == 0 || deep(n-1))
	}
	done := make(chan bool)
	go func() { done <- deep(300) }()
	if !<-done {
		t.Error("not sorted")
	}
}

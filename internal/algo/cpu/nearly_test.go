package cpu

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// nearlyKinds put keys of a sorted slice out of place.
var nearlyKinds = map[string]func(r *rand.Rand, x []uint64){
	"one":      func(r *rand.Rand, x []uint64) { x[r.IntN(len(x))] = r.Uint64() },
	"first":    func(r *rand.Rand, x []uint64) { x[0] = ^uint64(0) },
	"second":   func(r *rand.Rand, x []uint64) { x[1] = 0 },
	"last":     func(r *rand.Rand, x []uint64) { x[len(x)-1] = 0 },
	"swapped":  func(r *rand.Rand, x []uint64) { i := r.IntN(len(x) - 1); x[i], x[i+1] = x[i+1], x[i] },
	"far":      func(r *rand.Rand, x []uint64) { i, k := r.IntN(len(x)), r.IntN(len(x)); x[i], x[k] = x[k], x[i] },
	"some":     func(r *rand.Rand, x []uint64) { spoil(r, x, strayFew/2) },
	"too many": func(r *rand.Rand, x []uint64) { spoil(r, x, 2*mostStrays[uint64](len(x))+8) },
	"tail": func(r *rand.Rand, x []uint64) {
		for i := len(x) - strayFew/2; i < len(x); i++ {
			x[i] = r.Uint64()
		}
	},
	"rotated": func(r *rand.Rand, x []uint64) {
		k := r.IntN(strayFew / 2)
		copy(x, slices.Concat(x[k:], x[:k]))
	},
	"few values": func(r *rand.Rand, x []uint64) {
		for i := range x {
			x[i] &= 7 << 61
		}
		spoil(r, x, 3)
	},
}

func spoil(r *rand.Rand, x []uint64, n int) {
	for range n {
		x[r.IntN(len(x))] = r.Uint64() >> r.IntN(64)
	}
}

// TestNearly: what is nearly in order, in either direction, is sorted by its strays
// if they are few, and by any number.
func TestNearly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, f := range nearlyKinds {
		for _, c := range []key.Codec{0, key.CodecDesc, key.CodecSigned, key.CodecFloatNaNFirst, key.CodecFloatNaNLast | key.CodecDesc} {
			for i := range 40 {
				n := nearlyMin + r.IntN(20*nearlyMin)
				x := make([]uint64, n)
				for i := range x {
					x[i] = r.Uint64()
				}
				slices.Sort(x)
				f(r, x)
				if i%4 == 3 {
					slices.Reverse(x)
				}
				for i := range x {
					x[i] = key.Decode(c, x[i])
				}
				want := sorted(x, c)
				strays := slices.Clone(x)
				done := keysNearlyInOrder(newRun(Options{}), strays, c)
				if done && !slices.Equal(strays, want) || !done && !slices.Equal(strays, x) {
					t.Fatalf("%s, codec %d: %d keys are not sorted, or not as they were", name, c, n)
				}
				// That few pairs that are looked at show too many strays is rare.
				if i == 0 && name != "too many" && !done && !keysNearlyInOrder(newRun(Options{}), strays, c) {
					t.Errorf("%s, codec %d: %d keys are not taken as nearly in order", name, c, n)
				}
				if err := Keys(x, c, Options{}); err != nil || !slices.Equal(x, want) {
					t.Fatalf("%s, codec %d: %d keys are not sorted, %v", name, c, n, err)
				}
			}
		}
	}
}

func sorted(x []uint64, c key.Codec) []uint64 {
	want := make([]uint64, len(x))
	for i := range x {
		want[i] = key.Encode(c, x[i])
	}
	slices.Sort(want)
	for i := range want {
		want[i] = key.Decode(c, want[i])
	}
	return want
}

// TestNearlyCancel cancels at each look: x is then some permutation.
func TestNearlyCancel(t *testing.T) {
	defer func(n int) { nearlyMoves = n }(nearlyMoves)
	for _, nearlyMoves = range []int{0, 1 << 30} {
		r := rand.New(rand.NewPCG(2, 2))
		in := make([]uint64, 100_000)
		for i := range in {
			in[i] = r.Uint64()
		}
		slices.Sort(in)
		spoil(r, in, 10)
		want := slices.Clone(in)
		slices.Sort(want)
		for n := int64(0); ; n++ {
			x := slices.Clone(in)
			var looks atomic.Int64
			err := Keys(x, 0, Options{look: func() bool { return looks.Add(1) > n }})
			if err == nil {
				if !slices.Equal(x, want) {
					t.Error("not sorted")
				}
				break
			}
			if slices.Sort(x); !slices.Equal(x, want) {
				t.Fatalf("cancelled at look %d, other keys", n)
			}
		}
	}
}

// TestNearlyWidths: keys of every width are sorted by their strays.
func TestNearlyWidths(t *testing.T) {
	t.Run("u8", nearlyWidth[uint8])
	t.Run("u16", nearlyWidth[uint16])
	t.Run("u32", nearlyWidth[uint32])
}

func nearlyWidth[U key.Word](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []key.Codec{0, key.CodecSigned, key.CodecDesc} {
		for range 20 {
			x := make([]U, 2000+r.IntN(2000))
			for i := range x {
				x[i] = key.Decode(c, U(uint64(i)<<(8*unsafe.Sizeof(x[0]))/uint64(len(x))))
			}
			want := slices.Clone(x)
			i, k := r.IntN(len(x)-1), r.IntN(len(x))
			x[i], x[i+1] = x[i+1], x[i]
			u := x[k]
			copy(x[1:], slices.Clone(x[:k]))
			x[0] = u
			if !keysNearlyInOrder(still, x, c) || !slices.Equal(x, want) {
				t.Fatalf("codec %d: %d keys are not taken as nearly in order, or not sorted", c, len(x))
			}
		}
	}
}

// TestDenseStrays: where one key in a hundred is a stray, the search for them ends soon.
func TestDenseStrays(t *testing.T) {
	x := make([]uint64, 100_000)
	for i := range x {
		if x[i] = uint64(i); i%100 == 50 {
			x[i] = 0
		}
	}
	s := strays[uint64]{run: still, x: x, runs: []span{{0, 50}}}
	if s.find() || s.last() > len(x)/10 {
		t.Errorf("looked at %d of %d keys", s.last(), len(x))
	}
}

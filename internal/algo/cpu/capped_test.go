package cpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// TestCapped sorts pairs and positions in parts, with buffers that hold a part, a few
// elements and one, of inputs with few and with many keys.
func TestCapped(t *testing.T) {
	cappedOf[uint8](t, key.U8)
	cappedOf[uint16](t, key.I16)
	cappedOf[uint16](t, key.BF16)
	cappedOf[uint32](t, key.F32)
	cappedOf[uint64](t, key.U64)
}

func cappedOf[U key.Word](t *testing.T, ty key.Type) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, o := range []key.Order{{}, {Desc: true}} {
		c := key.CodecOf(ty, o)
		for _, distinct := range []uint64{2, 100, 1 << 40} {
			for _, room := range []int{1, 7, 300} {
				in := make([]U, 2000+r.IntN(500))
				for i := range in {
					in[i] = U(r.Uint64N(distinct))
				}
				k, v, idx := slices.Clone(in), make([]uint32, len(in)), make([]uint64, len(in))
				for i := range v {
					v[i] = uint32(i)
				}
				pairs := &pairRuns[U, uint32]{k, make([]U, room), v, make([]uint32, room), c}
				err := sortParts(len(k), 300, pairs, Options{}, func(lo, hi int) error {
					return Pairs(k[lo:hi], v[lo:hi], c, Options{})
				})
				if err == nil {
					err = verify.Pairs(in, k, v, c)
				}
				if err != nil {
					t.Fatalf("%v %+v, %d distinct, room for %d: pairs: %v", ty, o, distinct, room, err)
				}
				run := newRun(Options{Workers: 2})
				positions := &cappedIndex[U, uint64]{run: run, k: in, idx: idx, c: c, part: room, whole: 1, o: Options{Workers: 1}}
				positions.all()
				if err = verify.Argsort(in, idx, c); err != nil {
					t.Fatalf("%v %+v, %d distinct, room for %d: argsort: %v", ty, o, distinct, room, err)
				}
			}
		}
	}
}

// TestCappedWhole goes in by the front door, with a length that needs parts, and sees a
// cancelled sort leave a permutation.
func TestCappedWhole(t *testing.T) {
	const n = 3*leastCap/64 + 17
	r := rand.New(rand.NewPCG(9, 10))
	in, v := make([]uint64, n), make([]uint64, n)
	for i := range in {
		in[i], v[i] = r.Uint64N(1000), uint64(i)
	}
	k := slices.Clone(in)
	o := Options{MemoryCap: 1}
	if !o.capped(n) || o.capped(n/8) {
		t.Fatal("the cap is not where the test thinks")
	}
	if err := Pairs(k, v, key.CodecUnsigned, o); err != nil {
		t.Fatal(err)
	}
	if err := verify.Pairs(in, k, v, key.CodecUnsigned); err != nil {
		t.Error(err)
	}
	idx := make([]uint32, n)
	if err := Argsort(in, idx, key.CodecUnsigned, o); err != nil {
		t.Fatal(err)
	}
	if err := verify.Argsort(in, idx, key.CodecUnsigned); err != nil {
		t.Error(err)
	}
	// Cancelled at each look in turn, it returns the error, and is right if none.
	for n := 0; ; n++ {
		looks := 0
		err := Argsort(in, idx, key.CodecUnsigned, Options{MemoryCap: 1, Workers: 1, look: func() bool { looks++; return looks > n }})
		if err == nil {
			if err := verify.Argsort(in, idx, key.CodecUnsigned); err != nil {
				t.Error(err)
			}
			break
		}
		n += n / 8
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	looks := 0
	k = slices.Clone(in)
	for i := range v {
		v[i] = in[i] + uint64(i)<<32
	}
	m := &pairRuns[uint64, uint64]{k, make([]uint64, 100), v, make([]uint64, 100), key.CodecUnsigned}
	err := sortParts(n, n/3, m, Options{Ctx: ctx}, func(lo, hi int) error {
		if looks++; looks == 4 {
			cancel()
		}
		return Pairs(k[lo:hi], v[lo:hi], key.CodecUnsigned, Options{})
	})
	if err == nil {
		t.Error("a cancelled sort succeeded")
	}
	for i := range k {
		if v[i]&(1<<32-1) != k[i] {
			t.Fatalf("pair %d came apart", i)
		}
	}
}

func BenchmarkCappedPairs(b *testing.B) {
	const n = 1 << 23
	in, k, v := make([]uint64, n), make([]uint64, n), make([]uint64, n)
	r := rand.New(rand.NewPCG(11, 12))
	for i := range in {
		in[i] = r.Uint64()
	}
	for _, memCap := range []uint64{0, 128 << 20, 32 << 20, 1} {
		b.Run(fmt.Sprintf("cap=%dMiB", memCap>>20), func(b *testing.B) {
			for b.Loop() {
				copy(k, in)
				if err := Pairs(k, v, key.CodecUnsigned, Options{MemoryCap: memCap}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

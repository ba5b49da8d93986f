package msd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// inFewBuckets is number x encoded in `width` bits in one of the first `buckets` of
// clustered's buckets.
func inFewBuckets(x, buckets uint64, bits, width uint32) uint64 {
	return clustered(int(x%buckets), bits, width, (x+1)*0x9e3779b97f4a7c15>>3)
}

// repeatedInput is an input whose keys repeat. apart: onesweep sorts it, since equal keys stand side by side, or a
// bucket is larger than the slow stage takes.
type repeatedInput struct {
	name    string
	apart   bool
	encoded func(r *rand.Rand, i, n int, bits, width uint32) uint64
}

// repeatedInputs fill 40 buckets, which 157,000 keys bring to 3,925 each, or 28, which
// brings them to 5,607: more than the bucket sort takes.
func repeatedInputs() []repeatedInput {
	var all []repeatedInput
	for _, buckets := range []uint64{40, 28} {
		for _, copies := range []int{2, 4, 8, 32, 64} {
			all = append(all, repeatedInput{fmt.Sprintf("%d at random places in %d buckets", copies, buckets), false,
				func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
					return inFewBuckets(r.Uint64()%uint64(n/copies), buckets, bits, width)
				}})
		}
		all = append(all, repeatedInput{fmt.Sprintf("32 neighbours share a key in %d buckets", buckets), true,
			func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
				return inFewBuckets(uint64(i/32), buckets, bits, width)
			}})
	}
	return append(all,
		repeatedInput{"32 neighbours share a key in all buckets", true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64(i/32+1) * 0x9e3779b97f4a7c15 >> (64 - width)
		}},
		repeatedInput{"different keys in 28 buckets", false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i%28, bits, width, r.Uint64())
		}},
		repeatedInput{"two keys in 28 buckets", false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i%28, bits, width, ofBucket(i%28)+r.Uint64()%2)
		}},
		repeatedInput{"one bin but for a key", false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i < 40 {
				return clustered(i, bits, width, 1<<(width-bits-1))
			}
			return clustered(i, bits, width, r.Uint64()%256)
		}},
		repeatedInput{"consecutive keys", false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i%28, bits, width, r.Uint64()%3000)
		}},
		repeatedInput{"most that is slow, and one more", true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			switch {
			case i < slowMost:
				return clustered(0, bits, width, r.Uint64()%500<<(width-bits-9))
			case i < 2*slowMost+1:
				return clustered(1, bits, width, r.Uint64()%500<<(width-bits-9))
			}
			return clustered(2+i%38, bits, width, r.Uint64())
		}},
	)
}

// TestEmulatedRepeated runs plans over repeated keys, as the sample chooses where it
// sees no skew: buckets with more than a block takes are onesweep's.
func TestEmulatedRepeated(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	types := []key.Type{key.U32, key.U64, key.F32, key.I64, key.I32, key.F64}
	for turn, in := range repeatedInputs() {
		for again := range 2 {
			if testing.Short() && (turn+again)%2 != 0 {
				continue // each input with one type
			}
			ty := types[(turn/2*2+turn%2+again)%len(types)]
			p := plan.Problem{Type: ty, Mode: plan.Keys, Order: key.Order{Desc: (turn+again)%3 == 1}, Items: uint64(157001 + turn*7)}
			t.Run(fmt.Sprintf("%s/%v/desc=%v", in.name, ty, p.Order.Desc), func(t *testing.T) {
				if ty.Bits() == 32 {
					emulateRepeated[uint32](t, exe, in, p, uint64(turn)%4)
				} else {
					emulateRepeated[uint64](t, exe, in, p, uint64(turn)%2)
				}
			})
		}
	}
}

func emulateRepeated[U key.Word](t *testing.T, exe kerneltest.Emulator, in repeatedInput, p plan.Problem, shift uint64) {
	const wantBits = 10
	caps := h200
	caps.ComputeUnits = 2
	pol, _ := policy(p, caps)
	pol.Mean = uint32((p.Items + 1<<wantBits - 1) >> wantBits)
	pl, err := build(p, caps, pol, noGate)
	if err != nil {
		t.Fatal(err)
	}
	blind(t, pl)
	r := rand.New(rand.NewPCG(p.Items, 5))
	keys := make([]U, p.Items)
	for i := range keys {
		keys[i] = key.Decode(p.Codec(), U(in.encoded(r, i, len(keys), wantBits, uint32(p.Type.Bits()))))
	}
	out := slices.Clone(keys)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes())
	got := exe.Run(t, pl, raw, nil, shift*uint64(p.Type.Bytes()), 0, together)
	if err := verify.Keys(keys, out, p.Codec()); err != nil {
		t.Error(err)
	}
	word := func(at uint64) uint32 { return *(*uint32)(unsafe.Pointer(&got[at])) }
	want := uint32(routeSplit)
	if in.apart {
		want = routeOnesweep
	}
	if route, slow := word(0), word(16); route != want || (slow == 0) != in.apart {
		t.Errorf("route %d and %d slow buckets, want route %d and some: %v", route, slow, want, !in.apart)
	}
}

package onesweep

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Where Control has narrowed and Narrow::bits: see kernels/cuda/block/control.cuh.
const narrowedAt, narrowBitsAt = 3*16384 + 100, 3*16384 + 172

// narrowInputs are encoded keys of a width, 64 or 32, and to how many bits keys of either are narrowed, and places of
// those of 64; 0: they stay as they are.
var narrowInputs = []struct {
	name                   string
	wide, widePlaces, slim uint32
	make                   func(r *rand.Rand, i int, width int) uint64
}{
	{"ages", 8, 8, 8, func(r *rand.Rand, i, width int) uint64 { return 1<<(width-1) - 20 + r.Uint64N(136) }},
	// Time, machine, sequence: six digits, then four.
	{"identifiers", 28, 28, 0, func(r *rand.Rand, i, width int) uint64 {
		if width == 32 {
			return r.Uint64N(1 << 32)
		}
		return 480_000_000_000<<22 | (5+r.Uint64N(1<<17))<<22 | r.Uint64N(32)<<12 | r.Uint64N(64)
	}},
	{"uniform", 0, 0, 0, func(r *rand.Rand, i, width int) uint64 { return r.Uint64() >> (64 - width) }},
	// Six digits; five passes would end with a copy of keys, but places need none.
	{"edges", 0, 40, 0, func(r *rand.Rand, i, width int) uint64 {
		if width == 32 {
			return r.Uint64N(1<<13)<<16 | r.Uint64N(1<<13)
		}
		return r.Uint64N(1<<20)<<32 | r.Uint64N(1<<20)
	}},
	{"both ends", 0, 0, 0, func(r *rand.Rand, i, width int) uint64 { // the least and the largest of all keys
		if i < 2 {
			return -uint64(i) >> (64 - width)
		}
		return 1<<(width-1) + r.Uint64N(50)
	}},
	{"separate bits", 24, 24, 12, func(r *rand.Rand, i, width int) uint64 {
		return (r.Uint64() & 0x00ff_0000_ff00_00ff << 4) >> (64 - width)
	}},
}

// TestEmulatedNarrow sorts keys with few varying bits, by both histograms, and looks up in the control block to
// how many bits they were narrowed.
func TestEmulatedNarrow(t *testing.T) {
	exe := kerneltest.Build(t, "onesweep", "SM_90")
	turn := 0
	for _, in := range narrowInputs {
		for _, p := range []plan.Problem{
			{Type: key.U64}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
			{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.I32}, {Type: key.U32, Mode: plan.Pairs, ValueBytes: 8},
			{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{NaNLast: true}},
		} {
			turn++
			pol, _ := policy(p, h200)
			p.Items = uint64(pol.SmallThreads*pol.SmallItems) + 4000 + uint64(turn)
			want := in.wide
			switch {
			case p.Type.Bits() == 32:
				want = in.slim
			case p.Mode == plan.Argsort:
				want = in.widePlaces
			}
			t.Run(fmt.Sprintf("%s/%v/%v", in.name, p.Type, p.Mode), func(t *testing.T) {
				c := h200
				c.ComputeUnits = 2
				pl := build(p, c, pol, maxRows)
				if turn%2 == 0 {
					widen(&pl.Steps[2], p, 2, 1, false)
				}
				r := rand.New(rand.NewPCG(uint64(turn), 7))
				encoded := make([]uint64, p.Items)
				for i := range encoded {
					encoded[i] = in.make(r, i, p.Type.Bits())
				}
				var control []byte
				if p.Type.Bits() == 32 {
					control = sortEncoded[uint32](t, exe, p, pl, encoded)
				} else {
					control = sortEncoded[uint64](t, exe, p, pl, encoded)
				}
				narrowed, bits := binary.LittleEndian.Uint32(control[narrowedAt:]), binary.LittleEndian.Uint32(control[narrowBitsAt:])
				if bits != want || (narrowed != 0) != (want != 0) {
					t.Errorf("narrowed to %d bits (%d), want %d", bits, narrowed, want)
				}
			})
		}
	}
}

// sortEncoded sorts the keys with the given encoded ones, checks the result and
// returns the scratch memory, which begins with the control block.
func sortEncoded[U uint32 | uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, encoded []uint64) []byte {
	t.Helper()
	keys := make([]U, len(encoded))
	for i, e := range encoded {
		keys[i] = key.Decode(p.Codec(), U(e))
	}
	scratch, err := sortChecked(t, exe, p, pl, keys, 0)
	if err != nil {
		t.Error(err)
	}
	return scratch
}

package msd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/verify"
)

// leaveOut makes the argsort pl of 64-bit keys one whose passes leave out the lowest `low`
// digits, and whose last launch mends. No plan does so yet: fetching the keys by the places, as
// that launch does, takes longer than the passes it saves (docs/rfcs/0001, "Upper digits, and mending").
func leaveOut(t *testing.T, pl *plan.Plan, p plan.Problem, c driver.Caps, low uint32) {
	t.Helper()
	part := func(name string) plan.Ref {
		i := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == name })
		return plan.Ref{Region: plan.Scratch, Off: pl.Parts[i].Off}
	}
	runs, room, n := plan.Ref{Region: plan.Scratch, Off: (pl.ScratchBytes + 15) / 16 * 16}, part("keys and indices"), p.Items
	pl.ScratchBytes = runs.Off + onesweep.RunsBytes(n)
	passes := slices.IndexFunc(pl.Steps, func(s plan.Step) bool { return s.Label == "fallback: plan passes" })
	pl.Steps[passes].Args[3] = plan.At(runs)
	b := plan.NewBuilder("left", p)
	b.Memset("low", runs, low, 4)
	b.Launch("finish", kernel.Entry("onesweep", "places", 64, p.ValueBytes), uint32(c.ComputeUnits), 512, 0,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(room), plan.At(part("keys 2")), plan.At(plan.Ref{Region: plan.ValuesIO}), plan.At(room.Add(8*n)),
		plan.At(part("control")), plan.At(part("look-back")), plan.U64(n), plan.U32(uint32(p.Codec())), plan.At(part("state")), plan.U32(2), plan.At(runs))
	steps := b.Plan().Steps
	steps[1].SharedBytes, steps[1].Cooperative = 200<<10, true
	last := len(pl.Steps) - 1
	if pl.Steps[last].Label != "finish" {
		t.Fatal("the plan does not end with what finish does")
	}
	pl.Steps[last] = steps[1]
	pl.Steps = slices.Insert(pl.Steps, passes, steps[0])
}

// TestEmulatedLeft argsorts 64-bit keys by their upper digits, and mends: short runs of keys
// that agree there, one for the whole grid, and keys in order, whose places are no pass's.
func TestEmulatedLeft(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	for turn, in := range []struct {
		name  string
		n     uint64
		image func(r *rand.Rand, i int, low uint32) uint64
	}{
		{"short runs", 40001, func(r *rand.Rand, i int, low uint32) uint64 {
			if i%3 == 0 {
				return r.Uint64()
			}
			return 77<<52 | r.Uint64N(5000)<<(8*low) | r.Uint64()>>(64-8*low)
		}},
		{"few values below", 30011, func(r *rand.Rand, i int, low uint32) uint64 {
			return r.Uint64N(7)<<61 | r.Uint64N(3)<<(8*low) | r.Uint64N(3)
		}},
		{"a giant", 140_003, func(r *rand.Rand, i int, low uint32) uint64 {
			if i%3 == 0 {
				return r.Uint64()
			}
			return 77<<52 | r.Uint64N(1<<16)
		}},
		{"sorted", 30001, func(r *rand.Rand, i int, low uint32) uint64 { return uint64(i) << 20 }},
		{"reversed", 30001, func(r *rand.Rand, i int, low uint32) uint64 { return uint64(1<<20-i) << 20 }},
	} {
		for _, low := range []uint32{2, 3, 4, 5} {
			ty := []key.Type{key.U64, key.F64, key.I64}[(turn+int(low))%3]
			p := plan.Problem{Type: ty, Mode: plan.Argsort, ValueBytes: 4 << (low / 2 % 2), Items: in.n, Order: key.Order{Desc: low == 3}}
			if in.n > 1<<17 && low != 2 && low != 5 {
				continue // for time
			}
			t.Run(fmt.Sprintf("%s/%v/desc=%v/value=%d/low=%d", in.name, ty, p.Order.Desc, p.ValueBytes, low), func(t *testing.T) {
				image := func(r *rand.Rand, i int) uint64 { return in.image(r, i, low) }
				if p.ValueBytes == 4 {
					emulateLeft[uint32](t, exe, p, image, low, turn)
				} else {
					emulateLeft[uint64](t, exe, p, image, low, turn)
				}
			})
		}
	}
}

func emulateLeft[V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, image func(*rand.Rand, int) uint64, low uint32, turn int) {
	caps := h200
	caps.ComputeUnits = 1 + turn%3
	pol, _ := wordPolicy(caps)
	pl, err := buildArgsortWith(p, caps, pol, maxWordsAtOnce)
	if err != nil {
		t.Fatal(err)
	}
	noFew(t, pl)
	leaveOut(t, &pl, p, caps, low)
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	keys, indices := make([]uint64, p.Items), make([]V, p.Items)
	for i := range keys {
		keys[i], indices[i] = key.Decode(p.Codec(), image(r, i)), ^V(0)
	}
	out := slices.Clone(keys)
	exe.Run(t, pl, unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes()), unsafe.Slice((*byte)(unsafe.Pointer(&indices[0])), p.ValuesBytes()),
		uint64(turn%4*8), uint64((turn+1)%3*p.ValueBytes), together)
	if !slices.Equal(keys, out) {
		t.Error("the keys were changed")
	}
	if err := verify.Argsort(keys, indices, p.Codec()); err != nil {
		t.Error(err)
	}
}

package onesweep

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulatedGatedPortions sorts in portions behind an open gate, and behind a closed
// one does nothing.
func TestEmulatedGatedPortions(t *testing.T) {
	exe := kerneltest.Build(t, "onesweep", "SM_90")
	turn := 0
	for _, p := range []plan.Problem{
		{Type: key.U64}, {Type: key.F64, Order: key.Order{Desc: true}}, {Type: key.U32}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 4},
	} {
		c := h200
		c.ComputeUnits = 2
		pol, _ := policy(p, c)
		tile := uint64(pol.Threads * pol.Items)
		for _, k := range []struct{ items, limit uint64 }{{5*tile + 1, 2}, {4 * tile, 3}, {2*tile - 1, 1}} {
			p.Items = k.items
			turn++
			for _, gate := range []uint32{GateOpen, 0} {
				t.Run(fmt.Sprintf("%v/value=%d/n=%d/rows=%d/gate=%d", p.Type, p.ValueBytes, p.Items, k.limit, gate), func(t *testing.T) {
					b := plan.NewBuilder("gated", p)
					tiling, err := gatedTiles(p, c, k.limit)
					if err != nil || tiling.portion > k.limit || tiling.portion >= tiling.tiles {
						t.Fatalf("%+v: %v", tiling, err)
					}
					word, control := b.Scratch("gate", 4), b.Scratch("control", ControlBytes)
					b.Memset("gate", word, gate, 4)
					b.Memset("control", control, 0, ControlBytes)
					g := Gated{Gate: word, Control: control, Words: b.Scratch("words", tiling.portion*rowBytes), Sets: 1,
						Keys: b.Scratch("keys", p.KeyBytes()), Values: b.Scratch("values", p.ValuesBytes())}
					if err := g.append(b, p, c, k.limit); err != nil {
						t.Fatal(err)
					}
					switch {
					case gate != GateOpen:
						keys := make([]byte, p.KeyBytes())
						for i := range keys {
							keys[i] = byte(i * 7)
						}
						out, values := slices.Clone(keys), make([]byte, p.ValuesBytes())
						exe.Run(t, b.Plan(), out, values, 0, 0, together)
						if !slices.Equal(keys, out) {
							t.Error("keys moved")
						}
					case p.Type.Bits() == 32:
						emulate[uint32](t, exe, p, b.Plan(), turn)
					default:
						emulate[uint64](t, exe, p, b.Plan(), turn)
					}
				})
			}
		}
	}
}

// TestPortionBytes: a sort that takes every pass in one launch needs no other words, and
// a larger one at most as many as maxRows has.
func TestPortionBytes(t *testing.T) {
	for n := uint64(1 << 20); n < 1<<33; n += n/3 + 12345 {
		p := plan.Problem{Type: key.U64, Items: n}
		words, errOne := WordsBytes(p, h200)
		portion, err := PortionBytes(p, h200)
		if err != nil || portion == 0 || portion > maxRows*rowBytes || errOne == nil && portion != words {
			t.Errorf("%d keys: %d bytes (%v) in portions, %d (%v) at once", n, portion, err, words, errOne)
		}
	}
}

package onesweep

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulated runs plans on the host: all widths and modes, partial and full
// last tiles, several portions, late tiles, blocks that wait for one another; and
// the wide histogram.
func TestEmulated(t *testing.T) {
	for _, c := range []driver.Caps{h200, gtx1050} {
		target := "SM_90"
		if c.Arch < 90 {
			target = "PTX"
		}
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "onesweep", target)
			if target == "SM_90" {
				t.Run("wide", func(t *testing.T) { testWide(t, exe) })
			}
			turn := 0
			for _, ty := range []key.Type{key.U8, key.I16, key.U32, key.F32, key.F64, key.I64} {
				for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
					for _, vb := range []int{0, 4, 8} {
						p := plan.Problem{Type: ty, Mode: mode, ValueBytes: vb, Items: 2, Order: key.Order{Desc: turn%3 == 1, NaNLast: turn%2 == 1}}
						if p.Validate() != nil {
							p.Order.NaNLast = false
						}
						if p.Validate() != nil {
							continue
						}
						turn++
						emulateSizes(t, exe, p, c, turn)
					}
				}
			}
		})
	}
}

// emulateSizes runs p with two of the sizes and settings, chosen by turn.
func emulateSizes(t *testing.T, exe kerneltest.Emulator, p plan.Problem, c driver.Caps, turn int) {
	pol, _ := policy(p, c)
	tile := uint64(pol.Threads * pol.Items)
	small := uint64(pol.SmallThreads * pol.SmallItems)
	cases := []struct {
		n, rows uint64
		units   int
		stall   uint32
	}{
		{small + 1, maxRows, 1, 0},
		{5*tile - 17, maxRows, 2, 2},
		{6 * tile, maxRows, 1, 0},
		{5*tile + 1, 2, 2, 0}, // portions of two tiles, the last of one key
		{4 * tile, 3, 1, 3},   // the last portion is one full tile
		{3*tile + tile/2, 1, 2, 1},
		{7*tile - 1, 5, 3, 5},
	}
	for i := range 2 {
		if testing.Short() && i != turn%2 {
			continue // one of the two: every case is still some problem's
		}
		k := cases[(2*turn+3*i)%len(cases)]
		p, c := p, c
		p.Items = max(k.n, small+1)
		c.ComputeUnits = k.units
		name := fmt.Sprintf("%v/mode=%v/value=%d/desc=%v/n=%d/rows=%d/units=%d/stall=%d", p.Type, p.Mode, p.ValueBytes, p.Order.Desc, p.Items, k.rows, k.units, k.stall)
		t.Run(name, func(t *testing.T) {
			pl := build(p, c, pol, k.rows)
			for i, s := range pl.Steps {
				if strings.HasPrefix(s.Label, "digit pass") {
					pl.Steps[i].Args[len(s.Args)-1] = plan.U32(k.stall)
				}
			}
			switch p.Type.Bits() {
			case 8:
				emulate[uint8](t, exe, p, pl, turn)
			case 16:
				emulate[uint16](t, exe, p, pl, turn)
			case 32:
				emulate[uint32](t, exe, p, pl, turn)
			default:
				emulate[uint64](t, exe, p, pl, turn)
			}
		})
	}
}

func emulate[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, turn int) {
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	keys := make([]U, p.Items)
	mask := ^uint64(0)
	if turn%2 == 0 {
		mask = 0x0300_0000_0f00_0f03 // ties, and digits that are the same in all keys
	}
	for i := range keys {
		switch turn % 8 {
		case 1: // ranks of a warp's lanes far apart
			keys[i] = U((bits.Reverse64(uint64(i)) | r.Uint64()>>18) >> (64 - p.Type.Bits()))
		case 5: // squares: few digits
			keys[i] = U(uint64(i)*uint64(i) + p.Items/2)
		default:
			keys[i] = U(r.Uint64() & mask)
		}
	}
	if _, err := sortChecked(t, exe, p, pl, keys, uint64(turn%3)*uint64(p.Type.Bytes())); err != nil {
		t.Error(err)
	}
}

// sortChecked sorts keys, `shift` bytes from an aligned address, with values or places that p asks for. It returns
// the scratch memory, and what is wrong.
func sortChecked[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, keys []U, shift uint64) ([]byte, error) {
	out := slices.Clone(keys)
	switch p.ValueBytes {
	case 0:
		scratch := exe.Run(t, pl, kerneltest.Bytes(out), nil, shift, 0, together)
		return scratch, verify.Keys(keys, out, p.Codec())
	case 4:
		return emulateValues[U, uint32](t, exe, p, pl, keys, out, shift)
	default:
		return emulateValues[U, uint64](t, exe, p, pl, keys, out, shift)
	}
}

func emulateValues[U key.Word, V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, keys, out []U, shift uint64) ([]byte, error) {
	values := make([]V, len(keys))
	for i := range values {
		values[i] = V(i)
		if p.Mode == plan.Argsort {
			values[i] = ^V(0) // output only
		}
	}
	scratch := exe.Run(t, pl, kerneltest.Bytes(out), kerneltest.Bytes(values), shift, uint64(p.ValueBytes), together)
	if p.Mode == plan.Argsort {
		if !slices.Equal(keys, out) {
			t.Error("argsort changed the keys")
		}
		return scratch, verify.Argsort(keys, values, p.Codec())
	}
	return scratch, verify.Pairs(keys, out, values, p.Codec())
}

// together: passes wait for one another and have dynamic shared memory only.
func together(symbol string) int {
	if strings.Contains(symbol, "_pass_") {
		return 3
	}
	return 1
}

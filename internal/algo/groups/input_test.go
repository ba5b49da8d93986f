package groups

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// devices are those that the CUDA code is compiled for. One multiprocessor has each block
// take several tiles.
var devices = map[string]driver.Caps{"SM_90": alone("SM_90"), "PTX": alone("PTX")}

func alone(target string) driver.Caps {
	c := kerneltest.Emulated(target)
	c.ComputeUnits = 1
	return c
}

// forms are what is asked for: modes and widths of starts.
var forms = []plan.Problem{
	{Kind: op.Groups},
	{Kind: op.Groups, Mode: plan.Pairs, ValueBytes: 4}, {Kind: op.Groups, Mode: plan.Pairs, ValueBytes: 8},
	{Kind: op.Groups, Mode: plan.Argsort, ValueBytes: 4}, {Kind: op.Groups, Mode: plan.Argsort, ValueBytes: 8},
}

// types are one key type of each width, and those whose equal keys have other bits.
var types = []key.Type{key.U8, key.I16, key.U32, key.F32, key.I64, key.F64}

// keysOf makes n keys in runs of up to 2·mean keys. A run's key differs from the one before in one bit, or in
// any: of floats, zeros and NaNs are among them.
func keysOf(r *rand.Rand, t key.Type, n int, mean int) []uint64 {
	mask := ^uint64(0) >> (64 - t.Bits())
	x, k := make([]uint64, n), r.Uint64()&mask
	for i, left := 0, 0; i < n; i, left = i+1, left-1 {
		if left == 0 {
			left = 1 + r.IntN(2*mean-1)
			if r.IntN(3) == 0 {
				k ^= mask ^ r.Uint64N(mask) // not 0
			} else {
				k ^= 1 << r.IntN(t.Bits())
			}
		}
		x[i] = k
	}
	return x
}

// expected is the reference: values and starts, with n behind the last.
func expected(x []uint64) (values, starts []uint64) {
	for i := 0; i < len(x); {
		values, starts = append(values, x[i]), append(starts, uint64(i))
		j := i
		for j < len(x) && x[j] == x[i] {
			j++
		}
		i = j
	}
	return values, append(starts, uint64(len(x)))
}

// runner runs a plan on regions at shifts and returns the scratch memory.
type runner func(plan.Plan, kerneltest.Regions, kerneltest.Shifts) []byte

// check plans form f of x with room for `room` groups and compares what run makes of it.
func check(t *testing.T, run runner, c driver.Caps, f plan.Problem, ty key.Type, x []uint64, room, shift int) {
	t.Helper()
	f.Type, f.Items, f.Other = ty, uint64(len(x)), uint64(room)
	pl, err := Plan(f, c, noParams)
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("%v %v %d n=%d room=%d shift=%d", ty, f.Mode, f.ValueBytes, len(x), room, shift)
	var regions kerneltest.Regions
	for i, e := range f.Extents() {
		if e.Bytes != 0 {
			regions[i] = make([]byte, e.Bytes)
		}
	}
	keys := kerneltest.Pack(x, ty.Bytes())
	copy(regions[op.KeysIO], keys)
	shifts := kerneltest.Shifts{
		uint64(shift * ty.Bytes()), uint64(shift % 3 * f.ValueBytes), uint64(shift % 5 * ty.Bytes()),
	}
	scratch := run(pl, regions, shifts)
	if string(regions[op.KeysIO]) != string(keys) {
		t.Fatalf("%s: the keys are others now", id)
	}
	values, starts := expected(x)
	record := scratch[pl.Status.At.Off:]
	code, number := binary.LittleEndian.Uint32(record), binary.LittleEndian.Uint64(record[8:])
	if number != uint64(len(values)) {
		t.Fatalf("%s: %d groups, want %d", id, number, len(values))
	}
	if err := pl.Refusal(code, number); len(values) > room {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("than the %d that", len(values))) {
			t.Fatalf("%s: %v, want a refusal that names %d", id, err, len(values))
		}
		return
	} else if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	if f.Mode != plan.Argsort {
		same(t, id+": value", regions[op.OtherIO], kerneltest.Pack(values, ty.Bytes()), ty.Bytes())
	}
	if f.Mode != plan.Keys {
		same(t, id+": start", regions[op.ValuesIO], kerneltest.Pack(starts, f.ValueBytes), f.ValueBytes)
	}
}

// same compares the beginning of got with want, items of so many bytes.
func same(t *testing.T, id string, got, want []byte, bytes int) {
	t.Helper()
	for i := 0; i < len(want); i += bytes {
		if g, w := got[i:i+bytes], want[i:i+bytes]; string(g) != string(w) {
			t.Fatalf("%s %d of %d is %x, want %x", id, i/bytes, len(want)/bytes, g, w)
		}
	}
}

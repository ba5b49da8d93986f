package hostscatter

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var h200 = driver.Caps{Backend: "cuda", ID: "cuda:0", Arch: 90, ComputeUnits: 132, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10}

// TestEmulated runs the CUDA kernel on the host and the host steps as the
// executor does: every width, mode and direction, odd layouts.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "hostscatter", "SM_90")
	layouts := []algo.Params{{Blocks: 4}, {Threads: 1, Blocks: 1}, {Threads: 100, Blocks: 3}, {Threads: 1024, Blocks: 2}, {Threads: 33, Blocks: 50}, {Threads: 256, Blocks: 1}}
	turn := 0
	for _, ty := range []key.Type{key.I8, key.U16, key.F32, key.U64} {
		for _, f := range []plan.Problem{{}, {Mode: plan.Pairs, ValueBytes: 4}, {Mode: plan.Argsort, ValueBytes: 8}} {
			p := f
			p.Type, p.Items = ty, []uint64{1000, 1, 257, 3001}[turn%4]
			p.Order = key.Order{Desc: turn%2 == 1}
			l := layouts[turn%len(layouts)]
			turn++
			t.Run(fmt.Sprintf("%v/%v/n=%d/%+v", p.Type, p.Mode, p.Items, l), func(t *testing.T) {
				switch ty.Bits() {
				case 8:
					emulate[uint8](t, exe, p, l)
				case 16:
					emulate[uint16](t, exe, p, l)
				case 32:
					emulate[uint32](t, exe, p, l)
				default:
					emulate[uint64](t, exe, p, l)
				}
			})
		}
	}
}

func emulate[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, l algo.Params) {
	pl, err := Plan(p, h200, l)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(p.Items, 1))
	keys := make([]U, p.Items)
	for i := range keys {
		keys[i] = U(r.Uint64() & 0xf300_0000_0f00_0f13)
	}
	memory := map[plan.Region][]byte{plan.KeysIO: kerneltest.Bytes(slices.Clone(keys)), plan.ValuesIO: make([]byte, p.ValuesBytes())}
	v32, v64 := view[uint32](memory[plan.ValuesIO]), view[uint64](memory[plan.ValuesIO])
	for i := range keys {
		switch {
		case p.ValueBytes == 4:
			v32[i] = uint32(i)
		case p.ValueBytes == 8:
			v64[i] = uint64(i) * 3 // an argsort reads no index that it has not written
		}
	}
	for i := 0; i < len(pl.Steps); i += 3 {
		device := pl
		device.Steps = pl.Steps[i : i+2]
		memory[plan.Scratch] = exe.Run(t, device, memory[plan.KeysIO], memory[plan.ValuesIO], 0, 0, func(string) int { return 1 })
		host(t, pl.Steps[i+2], memory)
	}
	out := view[U](memory[plan.KeysIO])
	switch p.Mode {
	case plan.Keys:
		err = verify.Keys(keys, out, p.Codec())
	case plan.Pairs:
		err = verify.Pairs(keys, out, v32, p.Codec())
	default:
		if !slices.Equal(keys, out) {
			t.Error("argsort changed the keys")
		}
		err = verify.Argsort(keys, v64, p.Codec())
	}
	if err != nil {
		t.Error(err)
	}
}

// host calls a host step on copies of its regions.
func host(t *testing.T, s plan.Step, memory map[plan.Region][]byte) {
	t.Helper()
	var regions [][]byte
	for _, u := range s.Uses {
		c := kerneltest.Bytes(make([]uint64, (u.Bytes+7)/8+1))[:u.Bytes]
		if u.Reads {
			copy(c, memory[u.Ref.Region][u.Ref.Off:])
		}
		regions = append(regions, c)
	}
	if err := Algorithm().HostSteps[s.Host](regions, s.Vals); err != nil {
		t.Fatal(err)
	}
	for i, u := range s.Uses {
		if u.Writes {
			copy(memory[u.Ref.Region][u.Ref.Off:], regions[i])
		}
	}
}

// TestWrongCounts: counts that are not the keys' are an error, and nothing is
// written outside.
func TestWrongCounts(t *testing.T) {
	p := plan.Problem{Type: key.U8, Items: 4}
	for want, counts := range map[string]map[byte]uint32{
		"counted 3 keys of 4":  {1: 3},
		"not those of the key": {1: 1, 9: 3},
	} {
		c := make([]uint32, digits)
		for d, n := range counts {
			c[d] = n
		}
		err := scatter([][]byte{kerneltest.Bytes(c), {1, 9, 9, 200}, make([]byte, 4)}, scatterVals(p, 0))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestPlan(t *testing.T) {
	p := plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 8, Items: 1000}
	pl, err := Plan(p, h200, algo.Params{Threads: 96, Blocks: 7})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Plan(p, h200, algo.Params{Threads: 96, Blocks: 7}); !reflect.DeepEqual(pl, again) {
		t.Error("two plans of one problem differ")
	}
	if !pl.HasHostSteps() || pl.Launches() != 4 || pl.Passes != 4 || pl.ScratchBytes != 1024 {
		t.Errorf("%+v", pl)
	}
	if got := pl.HostBytes(); got != 4*(1024+2*(4000+8000)) {
		t.Errorf("%d bytes go over the link", got)
	}
	if s := pl.Steps[1]; s.Grid[0] != 7 || s.Block[0] != 96 {
		t.Errorf("%v × %v", s.Grid, s.Block)
	}
	if _, err := Plan(p, h200, algo.Params{Threads: 1025}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("1025 threads: %v", err)
	}
	p.Items = math.MaxUint32 + 1
	if _, err := Plan(p, h200, algo.Params{}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("2^32 keys: %v", err)
	}
}

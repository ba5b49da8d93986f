package ranges

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// input is the region that stands for the scratch memory in tests, which fill it first.
const input plan.Region = 3

// filled has a plan read and write its scratch memory at region input.
func filled(p plan.Plan) plan.Plan {
	p.Steps = slices.Clone(p.Steps)
	for i, s := range p.Steps {
		p.Steps[i].Args = slices.Clone(s.Args)
		for k, a := range s.Args {
			if a.IsRef && a.Ref.Region == plan.Scratch {
				p.Steps[i].Args[k].Ref.Region = input
			}
		}
	}
	return p
}

func words(b []byte, width int) (out []uint64) {
	for i := 0; i < len(b); i += width {
		var w [8]byte
		copy(w[:], b[i:i+width])
		out = append(out, binary.LittleEndian.Uint64(w[:]))
	}
	return out
}

func encoded(p plan.Problem, u uint64) uint64 {
	if p.Type.Bits() == 32 {
		return uint64(key.Encode(p.Codec(), uint32(u)))
	}
	return key.Encode(p.Codec(), u)
}

// runner runs a plan on regions, which it replaces.
type runner func(plan.Plan, kerneltest.Regions, kerneltest.Shifts) []byte

// forms are problems of all types of 32 and 64 bits, with some order.
func forms(r *rand.Rand) (out []plan.Problem) {
	for _, row := range key.Table() {
		if row.Bits >= 32 {
			out = append(out, plan.Problem{Type: row.Type, Order: key.Order{Desc: r.IntN(2) == 0, NaNLast: r.IntN(2) == 0}})
		}
	}
	return out
}

// splitOnce splits n keys of `most` values, 0 for any, by some ranges. Where short is a range
// its room is too small.
func splitOnce(t *testing.T, r *rand.Rand, p plan.Problem, c driver.Caps, n, count int, most uint64, short int, run runner) {
	t.Helper()
	what := fmt.Sprintf("%v %+v: %d keys of %d values, %d ranges, %d short", p.Type, p.Order, n, most, count, short)
	p.Items = uint64(n)
	mask := ^uint64(0) >> (64 - p.Type.Bits())
	keys := make([]uint64, n)
	for i := range keys {
		if keys[i] = r.Uint64() & mask; most != 0 {
			keys[i] = mask - keys[i]%most
		}
	}
	var lasts []uint64
	for range count - 1 {
		lasts = append(lasts, encoded(p, keys[r.IntN(n)]))
	}
	slices.Sort(lasts)
	want := make([][]uint64, count)
	for _, k := range keys {
		i, _ := slices.BinarySearch(lasts, encoded(p, k)) // the first last key that is not below
		want[i] = append(want[i], k)
	}
	starts, counts := []uint64{0}, []uint64(nil)
	for k, w := range want {
		room := len(w) + r.IntN(3)
		if k == short {
			room = len(w) - min(1, len(w))
		}
		starts, counts = append(starts, starts[k]+uint64(room)), append(counts, uint64(len(w)))
	}
	spare, err := Spare(p, c)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	pl, err := PlanSplit(p, uint32(starts[count]), c)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	width := p.Type.Bytes()
	var data kerneltest.Regions
	data[plan.KeysIO] = kerneltest.Pack(keys, width)
	data[Out] = slices.Repeat([]byte{0x5e}, int(starts[count]+spare)*width)
	data[input] = append(kerneltest.Pack(PadLasts(lasts), 8), make([]byte, 8)...)
	for _, w := range RoomWords(starts) {
		data[input] = binary.LittleEndian.AppendUint32(data[input], w)
	}
	before := slices.Clone(data[plan.KeysIO])
	run(filled(pl), data, kerneltest.Shifts{plan.KeysIO: uint64(r.IntN(5) * width), Out: uint64(r.IntN(5) * width)})
	if !slices.Equal(before, data[plan.KeysIO]) {
		t.Fatalf("%s: the input was changed", what)
	}
	var rooms []uint32
	for _, w := range words(data[input][Rooms:], 4) {
		rooms = append(rooms, uint32(w))
	}
	got, ok := Used(rooms, starts)
	if wantOK := short < 0 || len(want[short]) == 0; !slices.Equal(got, counts) || ok != wantOK {
		t.Fatalf("%s: ranges of %v, want %v; all fit: %v", what, got, counts, ok)
	}
	out := words(data[Out], width)
	for k, w := range want {
		if k == short {
			continue
		}
		have := slices.Sorted(slices.Values(out[starts[k]:][:len(w)]))
		slices.Sort(w)
		if !slices.Equal(have, w) {
			t.Fatalf("%s: range %d has other keys", what, k)
		}
		for i, x := range data[Out][(int(starts[k])+len(w))*width : int(starts[k+1])*width] {
			if x != 0x5e {
				t.Fatalf("%s: range %d: byte %d behind its keys was written", what, k, i)
			}
		}
	}
}

// splits calls splitOnce for all types, sizes about a tile's and numbers of ranges.
func splits(t *testing.T, r *rand.Rand, c driver.Caps, run runner) {
	for _, p := range forms(r) {
		spare, err := Spare(p, c)
		if err != nil {
			t.Fatal(err)
		}
		tile := int(spare)
		for i, n := range []int{1, 100, tile - 1, tile, tile + 1, 3*tile + 77} {
			if testing.Short() && n > tile+1 {
				continue
			}
			count := []int{2, Most, 9, 17, 3, Most - 1}[i]
			splitOnce(t, r, p, c, n, count, []uint64{0, 3, 0, 1000, 1, 0}[r.IntN(6)], -1, run)
			splitOnce(t, r, p, c, n, count, 0, r.IntN(count), run)
		}
	}
}

// samples checks samples of keys that say where they lie.
func samples(t *testing.T, r *rand.Rand, c driver.Caps, run runner) {
	for _, p := range forms(r) {
		for _, log := range []uint32{0, 3, 9} {
			p.Items = 1<<log + uint64(r.IntN(5000))
			pl, err := PlanSample(p, log, c)
			if err != nil {
				t.Fatal(err)
			}
			width, places := p.Type.Bytes(), map[uint64]uint64{}
			keys := make([]uint64, p.Items)
			for i := range keys {
				keys[i] = uint64(i) << 1
				places[encoded(p, keys[i])] = uint64(i)
			}
			data := kerneltest.Regions{plan.KeysIO: kerneltest.Pack(keys, width), input: make([]byte, Sample+8<<log)}
			run(filled(pl), data, kerneltest.Shifts{plan.KeysIO: uint64(r.IntN(5) * width)})
			stretch := p.Items >> log
			for i, k := range words(data[input][Sample:], 8) {
				if at, ok := places[k]; !ok || at/stretch != uint64(i) {
					t.Fatalf("%v %+v, %d of %d: sample %d is %#x, key %d", p.Type, p.Order, 1<<log, p.Items, i, k, at)
				}
			}
		}
	}
}

// TestEmulated runs the CUDA kernels' sources on the host.
func TestEmulated(t *testing.T) {
	e := kerneltest.Build(t, "ranges", "SM_90")
	c := kerneltest.Emulated("SM_90")
	for blocks := 1; blocks <= 2; blocks++ {
		r := rand.New(rand.NewPCG(uint64(blocks), 3))
		splits(t, r, c, e.Together(t, blocks))
		samples(t, r, c, e.Together(t, blocks))
	}
}

// TestDevices runs them on every device that is here and has them.
func TestDevices(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, k *kerneltest.Runner, c driver.Caps) {
		if err := Supports(plan.Problem{Type: key.U64}, c); err != nil {
			if c.Backend == "cuda" {
				t.Fatal(err)
			}
			return // OpenCL's devices sort shares first
		}
		r := rand.New(rand.NewPCG(8, 8))
		for range 5 {
			splits(t, r, c, k.RunRegions)
			samples(t, r, c, k.RunRegions)
		}
		for _, p := range forms(r) {
			splitOnce(t, r, p, c, 3_000_017, 9, 0, -1, k.RunRegions)
		}
	})
}

package onesweep

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

// Of Columns<K> in kernels/cuda/block/histogram_wide.cuh.
const wideWarps = 32

func wideChunk(p plan.Problem) uint64 { return 4 * 32 * 16 / uint64(p.Type.Bytes()) }

// wideSteps is Columns<K>::kSteps, the most chunks a warp counts before the counters
// are emptied.
func wideSteps(p plan.Problem) uint64 {
	if p.Type.Bytes() == 4 {
		return 127
	}
	return 255
}

// counted is what a histogram leaves in its control block.
type counted struct {
	counts [8][256]uint64
	seen   uint32
}

// reference counts keys one by one.
func reference[U key.Word](keys []U, p plan.Problem) (r counted) {
	last := U(0)
	for i, k := range keys {
		k = key.Encode(p.Codec(), k)
		for d := range p.Type.Bytes() {
			r.counts[d][uint64(k)>>(8*d)&255]++
		}
		switch {
		case i == 0:
		case last > k:
			r.seen |= 1
		case last < k:
			r.seen |= 2
		default:
			r.seen |= 4
		}
		last = k
	}
	return r
}

// runWide runs the wide histogram alone, on so many blocks, emptied after `steps`
// chunks a warp, behind a gate of the given value, the first key `shift` keys from an
// aligned address.
func runWide[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, keys []U, units, steps, gate uint32, shift uint64) (r counted) {
	t.Helper()
	p.Items = uint64(len(keys))
	b := plan.NewBuilder("onesweep", p)
	control, word := b.Scratch("control", ControlBytes), b.Scratch("gate", 4)
	b.Memset("clear", control, 0, ControlBytes)
	b.Memset("gate", word, gate, 4)
	h := histogram{"histogram", plan.Ref{Region: plan.KeysIO}, p.Items, control, p.Mode, plan.At(word), false, 0}
	h.append(b, p, h200, 1)
	pl := b.Plan()
	s := &pl.Steps[len(pl.Steps)-1]
	s.Args = s.Args[:6] // without what a large input has added
	widen(s, p, units, steps, false)
	in := slices.Clone(keys)
	scratch := exe.Run(t, pl, kerneltest.Bytes(in), nil, shift*uint64(p.Type.Bytes()), 0, together)
	if !slices.Equal(in, keys) {
		t.Error("the histogram changed the keys")
	}
	for d := range r.counts {
		for v := range r.counts[d] {
			r.counts[d][v] = binary.LittleEndian.Uint64(scratch[8*(256*d+v):])
		}
	}
	r.seen = binary.LittleEndian.Uint32(scratch[3*16384+8*4+8*4+4:])
	return r
}

func checkWide[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, keys []U, units, steps uint32, shift uint64) {
	t.Helper()
	got, want := runWide(t, exe, p, keys, units, steps, GateOpen, shift), reference(keys, p)
	if got.seen != want.seen {
		t.Errorf("relations %b, want %b", got.seen, want.seen)
	}
	for d := range want.counts {
		for v, n := range want.counts[d] {
			if got.counts[d][v] != n {
				t.Fatalf("digit %d is %d in %d keys, counted %d", d, v, n, got.counts[d][v])
			}
		}
	}
}

// testWide is what TestEmulated has of the wide histogram.
func testWide(t *testing.T, exe kerneltest.Emulator) {
	for name, f := range map[string]func(*testing.T, kerneltest.Emulator){
		"counts": testWideCounts, "full": testWideFull, "neighbours": testWideNeighbours, "gate": testWideGate, "sorts": testWideSorts,
	} {
		t.Run(name, func(t *testing.T) { f(t, exe) })
	}
}

// testWideCounts counts random keys of several codecs: no chunk, some, more than
// one emptying, ends of all lengths, keys at all places of a vector.
func testWideCounts(t *testing.T, exe kerneltest.Emulator) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, ty := range []key.Type{key.U32, key.I32, key.F32, key.U64, key.I64, key.F64} {
		p := plan.Problem{Type: ty, Mode: plan.Keys, Order: key.Order{Desc: i%2 == 1, NaNLast: ty == key.F32}}
		chunk := wideChunk(p)
		for j, n := range []uint64{1, chunk - 1, 3*chunk + 1, 65*chunk + 77, 130*chunk - 1, 200*chunk + chunk/2} {
			units, steps, shift := uint32(1+(i+j)%3), uint32(1+j%2), uint64(i+j)%(16/uint64(ty.Bytes()))
			t.Run(fmt.Sprintf("%v/n=%d/units=%d/steps=%d/shift=%d", ty, n, units, steps, shift), func(t *testing.T) {
				if ty.Bytes() == 4 {
					checkWide(t, exe, p, random[uint32](r, n), units, steps, shift)
				} else {
					checkWide(t, exe, p, random[uint64](r, n), units, steps, shift)
				}
			})
		}
	}
}

func random[U key.Word](r *rand.Rand, n uint64) []U {
	keys := make([]U, n)
	for i := range keys {
		keys[i] = U(r.Uint64())
	}
	return keys
}

// testWideFull has one block count keys with but one value of each digit, two of the
// lowest, until the counters are full to the last chunk, with the longest ends; a chunk
// a warp more; and shows that the bound is the largest: counters emptied one chunk later
// overflow.
func testWideFull(t *testing.T, exe kerneltest.Emulator) {
	for _, ty := range []key.Type{key.U32, key.U64} {
		if testing.Short() && ty == key.U64 {
			continue // the narrower of the two: the counters are as wide for both
		}
		t.Run(ty.String(), func(t *testing.T) {
			p := plan.Problem{Type: ty, Mode: plan.Keys}
			if ty == key.U32 {
				full(t, exe, p, uint32(0x80_7f_00_ff))
			} else {
				full(t, exe, p, uint64(0x80_7f_00_ff_81_7e_01_fe))
			}
		})
	}
}

func full[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, k U) {
	chunk, steps := wideChunk(p), wideSteps(p)
	ends := 16/uint64(p.Type.Bytes()) - 1 + chunk - 1 // a shift of one key makes the head as long as it can be
	n := steps*wideWarps*chunk + ends
	if perLane := steps*wideWarps*chunk/32 + (ends+31)/32; perLane > 65535 || perLane+wideWarps*chunk/32 <= 65535 {
		t.Errorf("%d keys per lane are not the most that fit", perLane)
	}
	keys := make([]U, n+wideWarps*chunk)
	for i := range keys {
		keys[i] = k ^ U(i%2) // else every chunk is watched for neighbours, which takes long here
	}
	checkWide(t, exe, p, keys[:n], 1, 0, 1)
	checkWide(t, exe, p, keys, 1, 0, 1)
	if got := runWide(t, exe, p, keys, 1, uint32(steps)+1, GateOpen, 1); got == reference(keys, p) {
		t.Error("counters emptied too late are right all the same")
	}
}

// testWideNeighbours puts one descent or one pair of equal keys into rising
// keys, where the neighbours are in one thread, in two lanes, vectors, chunks or ends.
func testWideNeighbours(t *testing.T, exe kerneltest.Emulator) {
	p := problem(key.U32, plan.Keys, 0, 2)
	const head, chunk = 3, 512
	n := uint64(head + 3*chunk + 100)
	rising := make([]uint32, n)
	for i := range rising {
		rising[i] = uint32(7 * i)
	}
	for i, at := range []uint64{0, 2, 3, 4, 6, 7, head + 127, head + 128, head + 383, head + 511, head + 512, head + 1023, head + 1535, head + 1536, n - 2} {
		keys := slices.Clone(rising)
		keys[at+1] = keys[at] - uint32(i%2)
		if keys[at] == 0 && i%2 == 1 {
			t.Fatal("no key below the first")
		}
		t.Run(fmt.Sprintf("at=%d/step=%d", at, i%2), func(t *testing.T) { checkWide(t, exe, p, keys, 2, 0, 1) })
	}
	falling := slices.Clone(rising)
	slices.Reverse(falling)
	checkWide(t, exe, p, falling, 1, 1, 1)
}

// testWideGate: behind a closed gate the control block stays zero.
func testWideGate(t *testing.T, exe kerneltest.Emulator) {
	keys := random[uint64](rand.New(rand.NewPCG(3, 4)), 5000)
	if got := runWide(t, exe, problem(key.U64, plan.Keys, 0, 2), keys, 2, 0, GateOpen-1, 0); got != (counted{}) {
		t.Error("a histogram behind a closed gate counted")
	}
}

// testWideSorts sorts whole plans with the wide histogram.
func testWideSorts(t *testing.T, exe kerneltest.Emulator) {
	turn := 0
	for _, ty := range []key.Type{key.U32, key.I32, key.F32, key.U64, key.F64} {
		for _, mode := range []plan.Mode{plan.Keys, plan.Argsort} {
			p := plan.Problem{Type: ty, Mode: mode, Order: key.Order{Desc: turn%3 == 1}}
			if mode == plan.Argsort {
				p.ValueBytes = 4
			}
			turn++
			pol, _ := policy(p, h200)
			p.Items = uint64(pol.SmallThreads*pol.SmallItems)*2 + 12345
			t.Run(fmt.Sprintf("%v/mode=%v/desc=%v", ty, mode, p.Order.Desc), func(t *testing.T) {
				c := h200
				c.ComputeUnits = 2
				pl := build(p, c, pol, maxRows)
				widen(&pl.Steps[2], p, 2, uint32(turn%2), false)
				if ty.Bytes() == 4 {
					emulate[uint32](t, exe, p, pl, turn)
				} else {
					emulate[uint64](t, exe, p, pl, turn)
				}
			})
		}
	}
}

// TestWideChosen: the wide histogram counts from wideLeast bytes on, keys of 32 and 64
// bits, where there is code for it and the device has the shared memory.
func TestWideChosen(t *testing.T) {
	tight := h200
	tight.SharedPerBlockMax = 100 << 10
	for _, c := range []struct {
		name string
		ty   key.Type
		n    uint64
		dev  driver.Caps
		want bool
	}{
		{"u32", key.U32, wideLeast / 4, h200, true},
		{"u32, one key fewer", key.U32, wideLeast/4 - 1, h200, false},
		{"u64", key.U64, wideLeast / 8, h200, true},
		{"u16", key.U16, wideLeast, h200, false},
		{"PTX", key.U32, wideLeast, gtx1050, false},
		{"u32 in 100 KB", key.U32, wideLeast, tight, true},
		{"u64 in 100 KB", key.U64, wideLeast, tight, false},
	} {
		if got := wide(problem(c.ty, plan.Keys, 0, c.n), c.dev, c.n); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

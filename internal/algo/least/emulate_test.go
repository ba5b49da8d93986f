package least

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var types = []key.Type{key.U8, key.I16, key.U32, key.I32, key.F32, key.U64, key.I64, key.F64}

// sizes: with and without a list, a tile's border for keys of 32 bits, several tiles.
var sizes = []int{1, 2, 3, 4095, 4096, 4097, 8191, 8193, 20000, 40001}

func together(string) int { return 3 }

// TestEmulated runs the CUDA kernels on the host: Select at the ends, the middle and by
// chance, and Least in all its ways but for the sort.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "least", "SM_90")
	turn := 0
	for i, ty := range types {
		for j, f := range fills {
			for k, n := range sizes {
				turn++
				if testing.Short() && (i+2*j+k)%6 != 0 {
					continue
				}
				os := orders(ty)
				p := plan.Problem{Kind: op.Select, Type: ty, Order: os[turn%len(os)], Items: uint64(n)}
				t.Run(fmt.Sprintf("%v/%s/n=%d/%+v", ty, f.name, n, p.Order), func(t *testing.T) {
					keys := input(f, rand.New(rand.NewPCG(uint64(n), uint64(turn))), ty, n)
					sorted := order(p, keys)
					ranks := []int{0, n / 2, n - 1, n / 3}
					emulateSelect(t, exe, p, keys, sorted, ranks[turn%4], turn)
					if n > short {
						emulateLeast(t, exe, p, keys, sorted, []int{1, n / 4, n / 100, 10}[turn/2%4], turn)
					}
				})
			}
		}
	}
}

func emulateSelect(t *testing.T, exe kerneltest.Emulator, p plan.Problem, keys []uint64, sorted []int, rank, turn int) {
	t.Helper()
	p.Other = uint64(rank)
	pl, err := Select().Plan(p, h200, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	data := regions(p, keys)
	scratch, _ := exe.RunRegions(t, pl, data, shifts(p, turn), together)
	status := unpack(scratch[pl.Status.At.Off:][:plan.StatusBytes], 8)
	if status[0] != 0 || status[1] != keys[sorted[rank]] {
		t.Fatalf("place %d: status %x, want key %x", rank, status, keys[sorted[rank]])
	}
	if !bytes.Equal(data[plan.KeysIO], kerneltest.Pack(keys, p.Type.Bytes())) {
		t.Fatal("the keys were changed")
	}
}

// emulateLeast has each mode find the first k keys, with a sort that does nothing.
func emulateLeast(t *testing.T, exe kerneltest.Emulator, p plan.Problem, keys []uint64, sorted []int, k, turn int) {
	t.Helper()
	p.Kind, p.Other = op.Least, uint64(k)
	for _, p.ValueBytes = range []int{0, 4, 8} {
		if p.Mode = plan.Keys; p.ValueBytes != 0 {
			if p.Mode = plan.Argsort; testing.Short() && (turn+p.ValueBytes/4)%2 == 0 {
				continue
			}
		}
		pl, err := Least(nothing).Plan(p, h200, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		data := regions(p, keys)
		scratch, _ := exe.RunRegions(t, pl, data, shifts(p, turn), together)
		var want []uint64
		if p.Mode == plan.Keys {
			for _, i := range sorted[:k] {
				want = append(want, keys[i])
			}
			sameSet(t, fmt.Sprintf("the first %d keys", k), unpack(data[op.OtherIO], p.Type.Bytes()), want)
			continue
		}
		for _, i := range sorted[:k] {
			want = append(want, uint64(i))
		}
		got := unpack(data[plan.ValuesIO], p.ValueBytes)
		if words := part(pl, scratch, "keys and positions"); words != nil {
			in := unpack(words, 8)
			for i, w := range in {
				if got[i] != w&(1<<32-1) {
					t.Fatalf("position %d is %d of word %x", i, got[i], w)
				}
			}
			slices.Sort(in)
			for i, w := range in {
				if w&(1<<32-1) != want[i] {
					t.Fatalf("%d bytes: sorted word %d is %x, want position %d of %d", p.ValueBytes, i, w, want[i], k)
				}
			}
			continue
		}
		for i, v := range unpack(part(pl, scratch, "keys"), p.Type.Bytes()) {
			if v != keys[got[i]] {
				t.Fatalf("key %d is %x, at position %d there is %x", i, v, got[i], keys[got[i]])
			}
		}
		sameSet(t, fmt.Sprintf("the first %d positions", k), got, want)
	}
}

// sameSet compares without order.
func sameSet(t *testing.T, what string, got, want []uint64) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	for i, v := range want {
		if got[i] != v {
			t.Fatalf("%s: number %d in order is %x, want %x", what, i, got[i], v)
		}
	}
}

// TestWide: positions of 64 bits go through the kernels of narrow keys where no word holds both.
func TestWide(t *testing.T) {
	exe := kerneltest.Build(t, "least", "SM_90")
	for i, ty := range []key.Type{key.U8, key.I16, key.F32, key.U64} {
		p := plan.Problem{Kind: op.Least, Type: ty, Mode: plan.Argsort, ValueBytes: 8, Items: 9001, Other: 777}
		keys := input(fills[2], rand.New(rand.NewPCG(1, uint64(i))), ty, int(p.Items))
		o := ordering{b: plan.NewBuilder("least", p), sorts: []algo.Algorithm{nothing}, p: p, c: h200}
		o.positions()
		data := regions(p, keys)
		exe.RunRegions(t, o.b.Plan(), data, shifts(p, i), together)
		var want []uint64
		for _, i := range order(p, keys)[:p.Other] {
			want = append(want, uint64(i))
		}
		sameSet(t, "positions", unpack(data[plan.ValuesIO], 8), want)
	}
}

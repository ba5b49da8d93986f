package least

import (
	"math/rand/v2"
	"slices"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var h200 = kerneltest.Emulated("SM_90")

// nothing is a sort without steps: what it would get is what a test looks at.
var nothing = algo.Algorithm{
	Name: "nothing", Backends: []string{"cuda", "opencl"},
	Supports: func(plan.Problem, driver.Caps) error { return nil },
	Plan: func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
		return plan.NewBuilder("nothing", p).Plan(), nil
	},
}

// fill is an input of the search.
type fill struct {
	name string
	make func(r *rand.Rand, t key.Type, x []uint64)
}

var fills = []fill{
	{"uniform", func(r *rand.Rand, t key.Type, x []uint64) {
		for i := range x {
			x[i] = r.Uint64()
		}
	}},
	{"equal", func(r *rand.Rand, t key.Type, x []uint64) {
		for i := range x {
			x[i] = 0x1234567890abcdef
		}
	}},
	{"ties", func(r *rand.Rand, t key.Type, x []uint64) { // five of nine are one value, the others above and below
		for i := range x {
			x[i] = max(r.Uint64N(9), 4) - 4<<(t.Bits()/3) | 77
			if r.Uint64N(50) == 0 {
				x[i] = r.Uint64()
			}
		}
	}},
	{"low digits", func(r *rand.Rand, t key.Type, x []uint64) { // upper digits are shared
		for i := range x {
			x[i] = 1<<(t.Bits()-2) | r.Uint64()>>(64-t.Bits()/2)
		}
	}},
	{"steps", func(r *rand.Rand, t key.Type, x []uint64) { // a digit leaves a fifth: more than few, less than a quarter
		for i := range x {
			x[i] = r.Uint64N(5)<<(t.Bits()-4) | r.Uint64N(5)<<(max(t.Bits()-17, 0)) | r.Uint64N(4)
		}
	}},
	{"descending", func(r *rand.Rand, t key.Type, x []uint64) {
		for i := range x {
			x[i] = uint64(len(x) - i)
		}
	}},
}

// orders are those of type t.
func orders(t key.Type) []key.Order {
	all := []key.Order{{}, {Desc: true}}
	if t.Row().Kind == key.Float {
		all = append(all, key.Order{NaNLast: true}, key.Order{Desc: true, NaNLast: true})
	}
	return all
}

// input makes keys of type t.
func input(f fill, r *rand.Rand, t key.Type, n int) []uint64 {
	x := make([]uint64, n)
	f.make(r, t, x)
	for i := range x {
		x[i] &= ^uint64(0) >> (64 - t.Bits())
	}
	return x
}

// order is the stable order of keys by comparison.
func order(p plan.Problem, keys []uint64) []int {
	idx := make([]int, len(keys))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(i, j int) int { return kerneltest.Compare(p.Type, p.Order, keys[i], keys[j]) })
	return idx
}

// unpack reads words of so many bytes.
func unpack(b []byte, width int) (x []uint64) {
	for ; len(b) >= width; b = b[width:] {
		var v uint64
		for i := range width {
			v |= uint64(b[i]) << (8 * i)
		}
		x = append(x, v)
	}
	return x
}

// regions are the caller's memory for p, with keys as they are.
func regions(p plan.Problem, keys []uint64) (data kerneltest.Regions) {
	for i, e := range p.Extents() {
		data[i] = make([]byte, e.Bytes)
	}
	copy(data[plan.KeysIO], kerneltest.Pack(keys, p.Type.Bytes()))
	return data
}

// shifts begin every region off any boundary but its items'.
func shifts(p plan.Problem, turn int) (s kerneltest.Shifts) {
	s[plan.KeysIO], s[op.OtherIO] = uint64(turn%5*p.Type.Bytes()), uint64(turn%3*p.Type.Bytes())
	s[plan.ValuesIO] = uint64(turn % 7 * p.ValueBytes)
	return s
}

// part is the part of the scratch memory with a name.
func part(pl plan.Plan, scratch []byte, name string) []byte {
	for _, p := range pl.Parts {
		if p.Name == name {
			return scratch[p.Off:][:p.Bytes]
		}
	}
	return nil
}

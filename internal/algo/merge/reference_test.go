package merge

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// compare orders two bit patterns by the rules of docs/order.md, written down
// without the codec.
func compare(t key.Type, o key.Order, a, b uint64) int {
	sign := func(c int) int {
		if o.Desc {
			return -c
		}
		return c
	}
	width := t.Bits()
	switch t.Row().Kind {
	case key.Unsigned:
		return sign(cmp.Compare(a, b))
	case key.Signed:
		return sign(cmp.Compare(int64(a<<(64-width)), int64(b<<(64-width))))
	}
	number := func(u uint64) float64 {
		if t == key.F32 {
			return float64(math.Float32frombits(uint32(u)))
		}
		return math.Float64frombits(u)
	}
	x, y := number(a), number(b)
	xNaN, yNaN := math.IsNaN(x), math.IsNaN(y)
	switch {
	case xNaN && yNaN:
		return sign(cmp.Compare(a, b))
	case xNaN != yNaN:
		if xNaN == o.NaNLast {
			return sign(1)
		}
		return sign(-1)
	case x != y:
		return sign(cmp.Compare(x, y))
	}
	return sign(cmp.Compare(b>>(width-1), a>>(width-1))) // −0 before +0
}

// distributions make n bit patterns of t, of which the low bits count.
var distributions = []struct {
	name string
	fill func(r *rand.Rand, t key.Type, o key.Order, x []uint64)
}{
	{"uniform", func(r *rand.Rand, _ key.Type, _ key.Order, x []uint64) {
		for i := range x {
			x[i] = r.Uint64()
		}
	}},
	{"ties", func(r *rand.Rand, t key.Type, _ key.Order, x []uint64) {
		for i := range x {
			x[i] = uint64(r.IntN(3)) << (t.Bits() - 3)
		}
	}},
	{"equal", func(r *rand.Rand, _ key.Type, _ key.Order, x []uint64) {
		v := r.Uint64()
		for i := range x {
			x[i] = v
		}
	}},
	{"largest", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		// The keys that a last block is filled up with, among others.
		c := key.CodecOf(t, o)
		for i := range x {
			x[i] = decodeAny(t, c, ^uint64(0)>>(r.Uint64()%2))
		}
	}},
	{"sorted", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) { ordered(r, t, o, x) }},
	{"reversed", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		ordered(r, t, o, x)
		slices.Reverse(x)
	}},
	{"second half first", func(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
		ordered(r, t, o, x)
		y := slices.Clone(x)
		copy(x, y[len(y)/2:])
		copy(x[len(y)-len(y)/2:], y)
	}},
	{"specials", func(r *rand.Rand, t key.Type, _ key.Order, x []uint64) {
		inf, sign := uint64(0x7ff0000000000000), uint64(1)<<(t.Bits()-1)
		if t == key.F32 {
			inf = 0x7f800000
		}
		set := []uint64{0, sign, 1, sign | 1, inf, sign | inf, inf + 1, sign | (inf + 1), inf | inf>>1, sign - 1, ^uint64(0), sign | inf | 5, r.Uint64()}
		for i := range x {
			x[i] = set[r.IntN(len(set))]
		}
	}},
}

func decodeAny(t key.Type, c key.Codec, u uint64) uint64 {
	switch t.Bits() {
	case 8:
		return uint64(key.Decode(c, uint8(u)))
	case 16:
		return uint64(key.Decode(c, uint16(u)))
	case 32:
		return uint64(key.Decode(c, uint32(u)))
	}
	return key.Decode(c, u)
}

func ordered(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
	for i := range x {
		x[i] = r.Uint64() & (^uint64(0) >> (64 - t.Bits()))
	}
	slices.SortFunc(x, func(a, b uint64) int { return compare(t, o, a, b) })
}

// pack writes the low bytes of each element.
func pack(x []uint64, width int) []byte {
	out := make([]byte, 0, len(x)*width)
	var b [8]byte
	for _, v := range x {
		binary.LittleEndian.PutUint64(b[:], v)
		out = append(out, b[:width]...)
	}
	return out
}

// sample is an input with what a sort of it must give.
type sample struct {
	p                        plan.Problem
	keys, values             []byte
	sortedKeys, sortedValues []byte
}

func newSample(r *rand.Rand, p plan.Problem, dist, n int) sample {
	p.Items = uint64(n)
	keys, values := make([]uint64, n), make([]uint64, n)
	distributions[dist%len(distributions)].fill(r, p.Type, p.Order, keys)
	order := make([]int, n)
	for i := range keys {
		keys[i] &= ^uint64(0) >> (64 - p.Type.Bits())
		values[i], order[i] = r.Uint64(), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(p.Type, p.Order, keys[i], keys[j]) })
	sortedKeys, sortedValues := make([]uint64, n), make([]uint64, n)
	for to, from := range order {
		sortedKeys[to], sortedValues[to] = keys[from], values[from]
		if p.Mode == plan.Argsort {
			sortedKeys[to], sortedValues[to] = keys[to], uint64(from)
		}
	}
	return sample{p, pack(keys, p.Type.Bytes()), pack(values, p.ValueBytes), pack(sortedKeys, p.Type.Bytes()), pack(sortedValues, p.ValueBytes)}
}

// check compares with what the sort must give.
func (s sample) check(t testing.TB, what string, keys, values []byte) {
	t.Helper()
	differ := func(kind string, got, want []byte, width int) {
		for i := 0; i < len(want); i += width {
			if string(got[i:i+width]) != string(want[i:i+width]) {
				t.Fatalf("%s, %v %v %d %+v, %d items: %s %d differs: %x, want %x", what, s.p.Type, s.p.Mode, s.p.ValueBytes, s.p.Order,
					s.p.Items, kind, i/width, got[i:i+width], want[i:i+width])
			}
		}
	}
	differ("key", keys, s.sortedKeys, s.p.Type.Bytes())
	if s.p.ValueBytes != 0 {
		differ("value", values, s.sortedValues, s.p.ValueBytes)
	}
}

// forms are all ways to sort one type.
func forms(t key.Type) (out []plan.Problem) {
	orders := []key.Order{{}, {Desc: true}}
	if t.Row().Kind == key.Float {
		orders = append(orders, key.Order{NaNLast: true}, key.Order{Desc: true, NaNLast: true})
	}
	for _, o := range orders {
		out = append(out,
			plan.Problem{Type: t, Order: o},
			plan.Problem{Type: t, Order: o, Mode: plan.Pairs, ValueBytes: 4},
			plan.Problem{Type: t, Order: o, Mode: plan.Pairs, ValueBytes: 8},
			plan.Problem{Type: t, Order: o, Mode: plan.Argsort, ValueBytes: 4},
			plan.Problem{Type: t, Order: o, Mode: plan.Argsort, ValueBytes: 8})
	}
	return out
}

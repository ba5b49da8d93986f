package kerneltest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Compare orders two bit patterns by the rules of docs/order.md, written down
// without the codec: floats as numbers, NaNs apart by sign and bits.
func Compare(t key.Type, o key.Order, a, b uint64) int {
	var c int
	switch t.Row().Kind {
	case key.Unsigned:
		c = cmp.Compare(a, b)
	case key.Signed:
		s := 64 - t.Bits()
		c = cmp.Compare(int64(a<<s)>>s, int64(b<<s)>>s)
	default:
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		if t == key.F32 {
			x, y = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))
		}
		nanSide := -1
		if o.NaNLast {
			nanSide = 1
		}
		switch xn, yn := x != x, y != y; {
		case xn && yn:
			c = cmp.Compare(a, b)
		case xn:
			c = nanSide
		case yn:
			c = -nanSide
		case x == y:
			c = cmp.Compare(b>>(t.Bits()-1), a>>(t.Bits()-1)) // −0 before +0
		default:
			c = cmp.Compare(x, y)
		}
	}
	if o.Desc {
		return -c
	}
	return c
}

// Forms are all ways to sort one type: modes, widths of values, orders.
func Forms(t key.Type) (out []plan.Problem) {
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

// Ordered fills x with random bit patterns of t in order.
func Ordered(r *rand.Rand, t key.Type, o key.Order, x []uint64) {
	mask := ^uint64(0) >> (64 - t.Bits())
	for i := range x {
		x[i] = r.Uint64() & mask
	}
	slices.SortFunc(x, func(a, b uint64) int { return Compare(t, o, a, b) })
}

// Bytes returns the memory of x, nil of no elements.
func Bytes[T any](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(x))*unsafe.Sizeof(x[0]))
}

// Pack writes the low bytes of each element.
func Pack(x []uint64, width int) []byte {
	out := make([]byte, 0, len(x)*width)
	for _, v := range x {
		out = append(out, binary.LittleEndian.AppendUint64(nil, v)[:width]...)
	}
	return out
}

// Want returns what a sort of p must leave in keys and values.
func Want(p plan.Problem, keys, values []uint64) (k, v []byte) {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return Compare(p.Type, p.Order, keys[i], keys[j]) })
	sortedKeys, sortedValues := make([]uint64, len(keys)), make([]uint64, len(keys))
	for to, from := range order {
		sortedKeys[to], sortedValues[to] = keys[from], values[from]
		if p.Mode == plan.Argsort {
			sortedKeys[to], sortedValues[to] = keys[to], uint64(from)
		}
	}
	return Pack(sortedKeys, p.Type.Bytes()), Pack(sortedValues, p.ValueBytes)
}

// Same fails the test, naming id, at the first key or value that differs from
// what Want returned.
func Same(t testing.TB, id string, p plan.Problem, keys, values, wantKeys, wantValues []byte) {
	t.Helper()
	differ := func(kind string, got, want []byte, width int) {
		if bytes.Equal(got, want) {
			return
		}
		for i := 0; i < len(want); i += width {
			if !bytes.Equal(got[i:i+width], want[i:i+width]) {
				t.Fatalf("%s: %s %d differs: %x, want %x", id, kind, i/width, got[i:i+width], want[i:i+width])
			}
		}
		t.Fatalf("%s: %d bytes of %ss, want %d", id, len(got), kind, len(want))
	}
	differ("key", keys, wantKeys, p.Type.Bytes())
	if p.ValueBytes != 0 {
		differ("value", values, wantValues, p.ValueBytes)
	}
}

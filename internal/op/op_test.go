package op_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// TestExtents: each operation says which memory it reads and writes, and how much.
func TestExtents(t *testing.T) {
	for _, c := range []struct {
		s        op.Spec
		want     [op.MostRegions]op.Extent
		transfer uint64
	}{
		{op.Spec{Type: key.U32, Items: 10}, [op.MostRegions]op.Extent{{40, op.InOut}}, 80},
		{op.Spec{Type: key.F64, Mode: op.Pairs, ValueBytes: 4, Items: 10}, [op.MostRegions]op.Extent{{80, op.InOut}, {40, op.InOut}}, 240},
		{op.Spec{Type: key.U8, Mode: op.Argsort, ValueBytes: 8, Items: 10}, [op.MostRegions]op.Extent{{10, op.In}, {80, op.Out}}, 90},
		{op.Spec{Kind: op.InclusiveSums, Type: key.U64, Items: 3}, [op.MostRegions]op.Extent{{24, op.InOut}}, 48},
	} {
		if err := c.s.Validate(); err != nil {
			t.Errorf("%+v: %v", c.s, err)
		}
		if got := c.s.Extents(); got != c.want || c.s.TransferBytes() != c.transfer {
			t.Errorf("%+v: %v, %d bytes of transfers; want %v, %d", c.s, got, c.s.TransferBytes(), c.want, c.transfer)
		}
	}
}

// TestValidate: what no algorithm could be given is refused, and the error says why.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		s    op.Spec
		want string
	}{
		{op.Spec{Kind: 3}, "unknown operation 3"},
		{op.Spec{Mode: 3}, "unknown mode 3"},
		{op.Spec{Kind: op.ExclusiveSums, Mode: op.Pairs, ValueBytes: 4}, "exclusive sums of pairs"},
		{op.Spec{ValueBytes: 4}, "keys with values of 4 bytes"},
		{op.Spec{Mode: op.Pairs}, "pairs with values of 0 bytes"},
		{op.Spec{Mode: op.Argsort, ValueBytes: 2}, "argsort with values of 2 bytes"},
		{op.Spec{Mode: op.Argsort, ValueBytes: 4, Items: 1<<32 + 1}, "needs 8-byte indices"},
	} {
		if err := c.s.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want … %s", c.s, err, c.want)
		}
	}
}

// TestHoldsIndices: the last index of so many items fits the type, by one item more it
// does not.
func TestHoldsIndices(t *testing.T) {
	if strconv.IntSize == 32 {
		absent.Skip(t, "64-bit integers", "no slice is longer than 4-byte indices reach")
	}
	for bits, holds := range map[int]func(int) bool{31: op.HoldsIndices[int32], 32: op.HoldsIndices[uint32]} {
		most := int(uint64(1) << bits)
		if !holds(0) || !holds(most) || holds(most+1) {
			t.Errorf("%d bits: %v for %d items, %v for one more", bits, holds(most), most, holds(most+1))
		}
	}
	if !op.HoldsIndices[int64](math.MaxInt) || !op.HoldsIndices[uint64](math.MaxInt) || !op.HoldsIndices[int](math.MaxInt) {
		t.Error("8 bytes do not hold the indices of all slices")
	}
}

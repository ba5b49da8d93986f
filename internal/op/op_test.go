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
		{op.Spec{Kind: op.Gather, Type: key.I32, Items: 3, Other: 5, Width: 7}, [op.MostRegions]op.Extent{{12, op.In}, {35, op.In}, {21, op.Out}}, 68},
		{op.Spec{Kind: op.Groups, Type: key.U16, Items: 9, Other: 4}, [op.MostRegions]op.Extent{{18, op.In}, {}, {8, op.Out}}, 26},
		{op.Spec{Kind: op.Groups, Type: key.U16, Mode: op.Pairs, ValueBytes: 8, Items: 9, Other: 4}, [op.MostRegions]op.Extent{{18, op.In}, {40, op.Out}, {8, op.Out}}, 66},
		{op.Spec{Kind: op.Groups, Type: key.U16, Mode: op.Argsort, ValueBytes: 4, Items: 9, Other: 4}, [op.MostRegions]op.Extent{{18, op.In}, {20, op.Out}}, 38},
		{op.Spec{Kind: op.Search, Type: key.F64, Mode: op.Argsort, ValueBytes: 4, Items: 2, Other: 6}, [op.MostRegions]op.Extent{{16, op.In}, {8, op.Out}, {48, op.In}}, 72},
		{op.Spec{Kind: op.Merge, Type: key.U8, Items: 2, Other: 6}, [op.MostRegions]op.Extent{{2, op.In}, {6, op.In}, {8, op.Out}}, 16},
		{op.Spec{Kind: op.Least, Type: key.U32, Items: 8, Other: 3}, [op.MostRegions]op.Extent{{32, op.In}, {}, {12, op.Out}}, 44},
		{op.Spec{Kind: op.Least, Type: key.U32, Mode: op.Argsort, ValueBytes: 8, Items: 8, Other: 3}, [op.MostRegions]op.Extent{{32, op.In}, {24, op.Out}}, 56},
		{op.Spec{Kind: op.Select, Type: key.U32, Items: 8, Other: 3}, [op.MostRegions]op.Extent{{32, op.In}}, 32},
		{op.Spec{Kind: op.Segments, Type: key.U32, Items: 8, Other: 3, Width: 8}, [op.MostRegions]op.Extent{{32, op.InOut}, {}, {32, op.In}}, 96},
		{op.Spec{Kind: op.Segments, Type: key.U32, Mode: op.Argsort, ValueBytes: 4, Items: 8, Other: 3, Width: 4}, [op.MostRegions]op.Extent{{32, op.In}, {32, op.Out}, {16, op.In}}, 80},
		{op.Spec{Kind: op.Strings, Type: key.U64, Mode: op.Argsort, ValueBytes: 4, Items: 8, Width: 8, Texts: op.Texts{Bytes: 99}},
			[op.MostRegions]op.Extent{{99, op.In}, {32, op.Out}, {72, op.In}, {8*9 + 8*op.WordsParts, op.Out}}, 203 + 72 + 8*op.WordsParts},
		{op.Spec{Kind: op.StringsNext, Type: key.U64, Mode: op.Argsort, ValueBytes: 8, Items: 2, Other: 1, Width: 4, Texts: op.Texts{Bytes: 99, All: 8, Room: 200}},
			[op.MostRegions]op.Extent{{99, op.In}, {64, op.InOut}, {36, op.In}, {8*9 + 8*op.WordsParts, op.In}, {1024 + 1024 + 512 + 512 + 1024, op.InOut}, {4096, op.InOut}},
			99 + 128 + 36 + 8*9 + 8*op.WordsParts + 4*4096},
		{op.Spec{Kind: op.StringsNext, Type: key.U64, Mode: op.Argsort, ValueBytes: 8, Items: 2, Other: 1, Width: 4, Texts: op.Texts{Bytes: 99, All: 8, Room: 2, Later: true}},
			[op.MostRegions]op.Extent{{99, op.In}, {64, op.InOut}, {36, op.In}, {}, {5 * 512, op.InOut}, {5 * 512, op.InOut}}, 99 + 128 + 36 + 4*5*512},
		{op.Spec{Kind: op.GatherStrings, Type: key.I32, Items: 3, Other: 5, Width: 8, Texts: op.Texts{Bytes: 99, Room: 50}},
			[op.MostRegions]op.Extent{{12, op.In}, {48, op.In}, {99, op.In}, {32, op.Out}, {50, op.Out}}, 241},
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
		{op.Spec{Kind: 99}, "unknown operation 99"},
		{op.Spec{Mode: 3}, "unknown mode 3"},
		{op.Spec{Kind: op.ExclusiveSums, Mode: op.Pairs, ValueBytes: 4}, "exclusive sums of pairs"},
		{op.Spec{Kind: op.Search}, "search of keys"},
		{op.Spec{Other: 1}, "fields of another operation"},
		{op.Spec{Kind: op.Merge, Width: 1}, "fields of another operation"},
		{op.Spec{Kind: op.Gather}, "items of 0 bytes"},
		{op.Spec{Kind: op.Gather, Type: key.F32, Width: 4}, "places of type f32"},
		{op.Spec{Kind: op.Segments, Width: 2}, "offsets of 2 bytes"},
		{op.Spec{Kind: op.Strings, Mode: op.Argsort, ValueBytes: 4, Width: 2}, "offsets of 2 bytes"},
		{op.Spec{Kind: op.Strings, Width: 4}, "argsort of strings of keys"},
		{op.Spec{Kind: op.GatherStrings, Type: key.F32, Width: 4}, "places of type f32"},
		{op.Spec{Kind: op.Merge, Texts: op.Texts{Bytes: 1}}, "fields of another operation"},
		{op.Spec{Kind: op.Least, Items: 2, Other: 3}, "3 of 2 keys"},
		{op.Spec{Kind: op.Select, Items: 2, Other: 2}, "2 of 2 keys"},
		{op.Spec{Kind: op.Search, Mode: op.Argsort, ValueBytes: 4, Other: 1 << 32}, "8-byte indices"},
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

// TestWords: errors name an operation so.
func TestWords(t *testing.T) {
	for want, s := range map[string]op.Spec{
		"sort of 7 u32 keys":                  {Type: key.U32, Items: 7},
		"sort of 7 u32 pairs":                 {Type: key.U32, Items: 7, Mode: op.Pairs},
		"argsort of 7 f64 keys":               {Type: key.F64, Items: 7, Mode: op.Argsort},
		"exclusive sums of 7 u64 keys":        {Kind: op.ExclusiveSums, Type: key.U64, Items: 7},
		"gather of 7 items":                   {Kind: op.Gather, Type: key.U32, Items: 7},
		"groups of 7 u8 keys":                 {Kind: op.Groups, Type: key.U8, Items: 7, Mode: op.Argsort},
		"groups of 7 u8 pairs":                {Kind: op.Groups, Type: key.U8, Items: 7, Mode: op.Pairs},
		"search of 7 u32 keys":                {Kind: op.Search, Type: key.U32, Items: 7, Mode: op.Argsort},
		"merge of 7 u32 keys":                 {Kind: op.Merge, Type: key.U32, Items: 7},
		"least keys of 7 u32 keys":            {Kind: op.Least, Type: key.U32, Items: 7, Mode: op.Argsort},
		"select of 7 u32 keys":                {Kind: op.Select, Type: key.U32, Items: 7},
		"sort of segments of 7 u32 keys":      {Kind: op.Segments, Type: key.U32, Items: 7},
		"argsort of segments of 7 u32 keys":   {Kind: op.Segments, Type: key.U32, Items: 7, Mode: op.Argsort},
		"argsort of 7 strings":                {Kind: op.Strings, Type: key.U64, Items: 7, Mode: op.Argsort},
		"argsort of 7 strings by a next word": {Kind: op.StringsNext, Type: key.U64, Items: 7, Mode: op.Argsort},
		"gather of 7 strings":                 {Kind: op.GatherStrings, Type: key.U32, Items: 7},
		"op.Kind(99) of 7 u32 keys":           {Kind: 99, Type: key.U32, Items: 7},
	} {
		if got := s.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
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

package key

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

type named float32

func TestOf(t *testing.T) {
	for _, c := range []struct{ got, want Type }{
		{Of[uint8](), U8}, {Of[int8](), I8}, {Of[uint16](), U16}, {Of[int16](), I16},
		{Of[uint32](), U32}, {Of[int32](), I32}, {Of[uint64](), U64}, {Of[int64](), I64},
		{Of[float32](), F32}, {Of[float64](), F64}, {Of[named](), F32},
	} {
		if c.got != c.want {
			t.Errorf("Of = %v, want %v", c.got, c.want)
		}
	}
	if got := Of[int]().Bytes(); got != int(unsafe.Sizeof(int(0))) {
		t.Errorf("int has %d bytes", got)
	}
}

func TestByWidthAndType(t *testing.T) {
	for _, r := range Table() {
		if got := ByWidth(r.Type.Bytes(), 8, 16, 32, 64); got != r.Bits {
			t.Errorf("ByWidth of %v = %d", r.Type, got)
		}
		if got := ByType(r.Type, U8, I8, U16, I16, U32, I32, U64, I64, F32, F64); got != r.Type {
			t.Errorf("ByType of %v = %v", r.Type, got)
		}
	}
}

func TestParseNamesEveryRow(t *testing.T) {
	for _, r := range Table() {
		got, err := Parse(r.Name)
		if err != nil || got != r.Type || r.Type.Row() != r {
			t.Errorf("Parse(%q) = %v, %v", r.Name, got, err)
		}
	}
	if _, err := Parse("f16"); err == nil {
		t.Error("no error for an unknown type")
	}
}

// less32 is docs/order.md written directly, without the codec.
func less32(a, b uint32, nanLast bool) bool {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	xn, yn := x != x, y != y
	switch {
	case xn && yn:
		return a < b
	case xn || yn:
		return xn != nanLast && (xn || nanLast)
	case x != y:
		return x < y
	}
	return a>>31 == 1 && b>>31 == 0 // −0 before +0
}

func TestFloat32Order(t *testing.T) {
	special := []uint32{
		0, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001,
		0x7fc00000, 0x7fffffff, 0x80000000, 0x80000001, 0xbf800000, 0xff7fffff,
		0xff800000, 0xff800001, 0xffc00000, 0xffffffff,
	}
	for _, last := range []bool{false, true} {
		for _, desc := range []bool{false, true} {
			c := CodecOf(F32, Order{Desc: desc, NaNLast: last})
			for _, a := range special {
				for _, b := range special {
					want := less32(a, b, last)
					if desc {
						want = less32(b, a, last)
					}
					if got := Encode(c, a) < Encode(c, b); got != want {
						t.Errorf("codec %d: %08x < %08x = %v, want %v", c, a, b, got, want)
					}
				}
			}
		}
	}
}

func TestAgreesWithCmpCompare(t *testing.T) {
	v := []float64{math.NaN(), math.Inf(-1), -2.5, math.Copysign(0, -1), 0, 1e-310, 3, math.Inf(1)}
	enc := func(x float64) uint64 { return Encode(CodecOf(F64, Order{}), math.Float64bits(x)) }
	for _, a := range v {
		for _, b := range v {
			if c := cmp.Compare(a, b); c != 0 && c != cmp.Compare(enc(a), enc(b)) {
				t.Errorf("%v against %v", a, b)
			}
		}
	}
}

// TestBijection16 walks every 16-bit pattern; floats are walked in steps.
func TestBijection(t *testing.T) {
	for _, ty := range []Type{U16, I16} {
		for _, desc := range []bool{false, true} {
			c := CodecOf(ty, Order{Desc: desc})
			var img []uint16
			for i := range 1 << 16 {
				e := Encode(c, uint16(i))
				if Decode(c, e) != uint16(i) {
					t.Fatalf("%v: %04x does not come back", ty, i)
				}
				img = append(img, e)
			}
			slices.Sort(img)
			if len(slices.Compact(img)) != 1<<16 {
				t.Fatalf("%v: not a bijection", ty)
			}
		}
	}
	for c := Codec(0); c < 8; c++ {
		for i := uint64(0); i < 1<<32; i += 65521 {
			if u := uint32(i); Decode(c, Encode(c, u)) != u {
				t.Fatalf("codec %d: %08x does not come back", c, u)
			}
			u := i*0x9e3779b97f4a7c15 ^ i<<40
			if Decode(c, Encode(c, u)) != u {
				t.Fatalf("codec %d: %016x does not come back", c, u)
			}
		}
	}
}

func FuzzCodec(f *testing.F) {
	f.Add(uint64(0x7ff8000000000001), uint8(2))
	f.Fuzz(func(t *testing.T, u uint64, k uint8) {
		c := Codec(k & 7)
		if Decode(c, Encode(c, u)) != u || Decode(c, Encode(c, uint32(u))) != uint32(u) {
			t.Fatal("does not come back")
		}
	})
}

// TestParse: every name has one meaning, and the table's own names come first.
func TestParse(t *testing.T) {
	for name, want := range map[string]Type{
		"int64": I64, "float": F32, "double": F64, "uint32": U32, "float32": F32, "int": I32, "byte": U8, "uint8_t": U8,
		"<u4": U32, "f8": F64, "<u8": U64, "u8": U8, "i8": I8, "<i8": I64, "|u1": U8, "i2": I16, "Float64": F64, "U32": U32,
	} {
		if got, err := Parse(name); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "u128", ">u4", "f16", "half", "int7", "u", "<u", "u32 "} {
		if got, err := Parse(name); err == nil {
			t.Errorf("%q: %v", name, got)
		}
	}
	seen := map[string]Type{}
	for i, list := range aliases {
		for _, name := range strings.Fields(list) {
			if other, ok := seen[name]; ok {
				t.Errorf("%s is %v and %v", name, other, Type(i))
			}
			seen[name] = Type(i)
			for _, r := range table {
				if r.Name == name {
					t.Errorf("%s is a name of the table", name)
				}
			}
		}
	}
}

package key

import (
	"math"
	"testing"
	"unsafe"
)

// TestMap compares the map of every codec with Encode on bit patterns about zeros,
// NaNs and both ends.
func TestMap(t *testing.T) {
	for c := Codec(0); c < 16; c++ {
		if c&CodecEqualZeros != 0 && c&CodecFloatNaNFirst == 0 {
			continue // of float codecs only
		}
		mapAgrees(t, c, []uint32{0, 0x7f800000, 0x7fc00000, 0x80000000, 0xff800000, 0xffc00000, 0x40000000})
		mapAgrees(t, c, []uint64{0, 0x7ff0000000000000, 0x7ff8000000000000, 1 << 63, 0xfff0000000000000, 0xfff8000000000000, 4 << 60})
		if c&CodecFloatNaNFirst == 0 {
			mapAgrees(t, c, []uint8{0, 1 << 7})
			mapAgrees(t, c, []uint16{0, 1 << 15, 77})
		}
	}
}

func mapAgrees[U Word](t *testing.T, c Codec, about []U) {
	m := MapOf[U](c)
	left, by := m.Left(), 64-8*unsafe.Sizeof(U(0))
	for _, u := range about {
		for d := range 7 {
			u := u + U(d) - 3
			if got, want := m.Of(u), Encode(c, u); got != want {
				t.Fatalf("codec %d of %x: %x, want %x", c, u, got, want)
			}
			if got, want := left.Of(uint64(u)<<by), uint64(m.Of(u))<<by; got != want {
				t.Fatalf("codec %d of %x at the left end: %x, want %x", c, u, got, want)
			}
			if m.IsFlip() && m.Flip(u) != m.Of(u) || m.IsFlip() != (c&CodecFloatNaNFirst == 0) {
				t.Fatalf("codec %d of %x: a flip is %v, to %x, want %x", c, u, m.IsFlip(), m.Flip(u), m.Of(u))
			}
			nan := c&CodecFloatNaNFirst != 0 && floatIsNaN(u)
			if m.IsNaN(u) != nan {
				t.Fatalf("codec %d: whether %x is NaN is %v", c, u, !nan)
			}
			exact := c &^ CodecEqualZeros
			if c == exact && c&CodecFloatNaNFirst != 0 {
				near := m.Near()
				negative := nan && u>>(unsafe.Sizeof(u)*8-1) == 1
				if got := near.Of(u); !negative && got != m.Of(u) || negative && !m.IsNaN(Decode(c, got)) {
					t.Fatalf("codec %d of %x: nearly %x, want %x", c, u, got, m.Of(u))
				}
			}
			for _, v := range about {
				if !nan && !(c&CodecFloatNaNFirst != 0 && floatIsNaN(v)) && (m.Loose(u) < m.Loose(v)) != (Encode(exact, u) < Encode(exact, v)) {
					t.Fatalf("codec %d: loose order of %x and %x", c, u, v)
				}
			}
			if (m.Tied(u) != u) != (c&CodecEqualZeros != 0 && u<<1 == 0) || Encode(c, m.Tied(u)) != Encode(c, u) {
				t.Fatalf("codec %d: %x ties with %x", c, u, m.Tied(u))
			}
		}
	}
}

func floatIsNaN[U Word](u U) bool {
	if unsafe.Sizeof(u) == 4 {
		f := math.Float32frombits(uint32(u))
		return f != f
	}
	f := math.Float64frombits(uint64(u))
	return f != f
}

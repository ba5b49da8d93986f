package key

import "testing"

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
	for _, u := range about {
		for d := range 7 {
			u := u + U(d) - 3
			if got, want := m.Of(u), Encode(c, u); got != want {
				t.Fatalf("codec %d of %x: %x, want %x", c, u, got, want)
			}
		}
	}
}

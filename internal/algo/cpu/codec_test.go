package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// testCodec compares block codecs with key.Encode on random patterns, many of
// them NaN, at every length and level.
func testCodec[U wide](t *testing.T, inf, sign U) {
	r := rand.New(rand.NewPCG(8, 9))
	for level := simd.Plain; level <= simd.Best(); level++ {
		defer simd.Force(level)()
		for c := key.Codec(0); c < 8; c++ {
			for n := range 90 {
				x, zones := guarded[U](n)
				for i := range x {
					x[i] = U(r.Uint64())
					switch r.IntN(4) {
					case 0:
						x[i] = inf + U(r.IntN(5)) - 2
					case 1:
						x[i] = sign | inf + U(r.IntN(5)) - 2
					}
				}
				y, zonesY := guarded[U](n)
				encodeTo(y, x, c)
				for i, u := range x {
					if y[i] != key.Encode(c, u) {
						t.Fatalf("%v: codec %d of %x is %x, want %x", level, c, u, y[i], key.Encode(c, u))
					}
				}
				decodeTo(y, y, c)
				for i, u := range x {
					if y[i] != u {
						t.Fatalf("%v: codec %d: %x came back as %x", level, c, u, y[i])
					}
				}
				zones(t)
				zonesY(t)
			}
		}
	}
}

func TestCodecBlocks(t *testing.T) {
	t.Run("u32", func(t *testing.T) { testCodec[uint32](t, 0x7f800000, 1<<31) })
	t.Run("u64", func(t *testing.T) { testCodec[uint64](t, 0x7ff0000000000000, 1<<63) })
}

package key

import (
	"cmp"
	"slices"
	"testing"
)

// TestStretches: in each stretch of 8 and 16 bits, and about the borders of those of 32 and
// 64, bit patterns follow each other, up or down.
func TestStretches(t *testing.T) {
	for _, r := range Table() {
		for i := range 4 {
			c := CodecOf(r.Type, Order{Desc: i&1 != 0, NaNLast: i&2 != 0})
			all := Stretches(c, r.Type.Bytes())
			if all[0].From != 0 || !slices.IsSortedFunc(all, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) }) {
				t.Errorf("%v, codec %d: %v", r.Type, c, all)
			}
			decode := func(u uint64) uint64 {
				return ByWidth(r.Type.Bytes(), decodeWord[uint8], decodeWord[uint16], decodeWord[uint32], decodeWord[uint64])(c, u)
			}
			most := ^uint64(0) >> (64 - r.Bits)
			check := func(from, to uint64, falls bool) { // ends included
				for u := from; u < to; u++ {
					if a, b := decode(u), decode(u+1); falls && a != b+1 || !falls && b != a+1 {
						t.Fatalf("%v, codec %d: %#x is followed by %#x, falls %v", r.Type, c, a, b, falls)
					}
				}
			}
			for k, s := range all {
				end := most
				if k+1 < len(all) {
					if end = all[k+1].From - 1; end < s.From {
						t.Fatalf("%v, codec %d: %v", r.Type, c, all)
					}
				}
				if end-s.From < 1<<16 {
					check(s.From, end, s.Falls)
				} else {
					check(s.From, s.From+1000, s.Falls)
					check(end-1000, end, s.Falls)
				}
				if u, z := decode(s.From), decode(end); (u > z) != s.Falls && u != z {
					t.Errorf("%v, codec %d: from %#x to %#x, falls %v", r.Type, c, u, z, s.Falls)
				}
			}
		}
	}
}

func decodeWord[U Word](c Codec, u uint64) uint64 { return uint64(Decode(c, U(u))) }

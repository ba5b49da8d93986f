package simd

import "slices"

// splitLanes and partLanes order the eight lanes of a vector by a mask, one
// byte a lane: the lanes whose bit is set, then the others, from the first on
// in splitLanes and from the last on in partLanes.
var splitLanes, partLanes [256]uint64

// split32 and split64 are splitLanes for AVX2, whose permutation takes 32-bit
// lanes: of eight words, and of four words of two lanes each.
var (
	split32 [256][8]uint32
	split64 [16][8]uint32
)

// joinLanes[m] orders two vectors of sixteen words as the first m of the one,
// then the others from the first on.
var joinLanes [17][16]uint32

func init() {
	for m := range joinLanes {
		for i := range uint32(16) {
			joinLanes[m][i] = i
			if int(i) >= m {
				joinLanes[m][i] = 16 + i - uint32(m)
			}
		}
	}
	defer func() {
		for m := range split32 {
			for i := range 8 {
				split32[m][i] = uint32(splitLanes[m] >> (8 * i) & 7)
			}
		}
		for m := range split64 {
			at := 0
			for i := range 8 {
				if lane := uint32(splitLanes[m] >> (8 * i) & 7); lane < 4 {
					split64[m][at], split64[m][at+1] = 2*lane, 2*lane+1
					at += 2
				}
			}
		}
	}()
	var room [2][8]uint64
	for m := range 256 {
		in, out := room[0][:0], room[1][:0]
		for lane := range uint64(8) {
			if m>>lane&1 == 1 {
				in = append(in, lane)
			} else {
				out = append(out, lane)
			}
		}
		for i, lane := range append(in, out...) {
			splitLanes[m] |= lane << (8 * i)
		}
		slices.Reverse(out)
		for i, lane := range append(in, out...) {
			partLanes[m] |= lane << (8 * i)
		}
	}
}

package simd

import "slices"

// splitLanes and partLanes order the eight lanes of a vector by a mask, one
// byte a lane: the lanes whose bit is set, then the others, from the first on
// in splitLanes and from the last on in partLanes.
var splitLanes, partLanes [256]uint64

func init() {
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

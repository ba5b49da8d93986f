package simd

// split32 and split64 order the lanes of a vector by a mask: row m lists the
// lanes whose bit is set in m, then the others. split64 has one byte a lane.
var (
	split32 [256][8]uint32
	split64 [256]uint64
)

func init() {
	for m := range 256 {
		at := 0
		for _, want := range []int{1, 0} {
			for lane := range 8 {
				if m>>lane&1 == want {
					split32[m][at] = uint32(lane)
					split64[m] |= uint64(lane) << (8 * at)
					at++
				}
			}
		}
	}
}

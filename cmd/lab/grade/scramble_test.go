package grade

import (
	"math"
	"testing"
)

// TestScramble: values are as many as positions, lead back to them, fill all bits,
// and differ from draw to draw.
func TestScramble(t *testing.T) {
	for _, bytes := range []int{4, 8} {
		a, b := newScramble(bytes), newScramble(bytes)
		most := uint64(math.MaxUint64) >> (64 - 8*bytes)
		seen, ones, same := map[uint64]bool{}, uint64(0), 0
		for i := range uint64(10000) {
			v := a.value(i)
			if v > most || seen[v] || a.position(v) != i {
				t.Fatalf("%d bytes: position %d, value %#x, position %d", bytes, i, v, a.position(v))
			}
			seen[v] = true
			ones |= v
			if v == i || v == b.value(i) {
				same++
			}
		}
		if ones != most || same > 3 {
			t.Errorf("%d bytes: bits %#x, %d values as they were", bytes, ones, same)
		}
		for _, i := range []uint64{0, 1, most - 1, most} {
			if a.position(a.value(i)) != i || a.value(a.position(i)) != i {
				t.Errorf("%d bytes: position %#x", bytes, i)
			}
		}
	}
}

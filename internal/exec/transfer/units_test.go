package transfer

import "testing"

// TestUnits: transfers of all sizes keep every goroutine busy for some turns,
// or use the least unit.
func TestUnits(t *testing.T) {
	for _, w := range []int{1, 2, 8, 12} {
		was := uint64(0)
		for total := uint64(1); total < 1<<34; total = total*3/2 + 1 {
			u := DefaultSizes.unitOf(total, w)
			switch {
			case u < DefaultSizes.StageUnit/4 || u > DefaultSizes.StageUnit:
				t.Fatalf("%d bytes: unit %d", total, u)
			case u > DefaultSizes.StageUnit/4 && total < u*stageTurns*uint64(w):
				t.Errorf("%d bytes by %d: unit %d is too large", total, w, u)
			case u < was:
				t.Errorf("%d bytes by %d: unit %d, %d for less", total, w, u, was)
			}
			was = u
		}
	}
}

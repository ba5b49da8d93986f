package dist

import (
	"math"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// TestBelow: every number up to the maximum comes, none above it, and types
// that end before it are filled whole.
func TestBelow(t *testing.T) {
	for _, r := range key.Table() {
		for _, most := range []uint64{0, 1, 9, 100} {
			d := Below(most)
			seen := map[uint64]bool{}
			for _, v := range bitsOf(d, r.Type, 5000, 3) {
				switch r.Type {
				case key.F32:
					v = uint64(math.Float32frombits(uint32(v)))
				case key.F64:
					v = uint64(math.Float64frombits(v))
				}
				if v > most {
					t.Fatalf("%s, %v: %d", d.Name, r.Type, v)
				}
				seen[v] = true
			}
			if uint64(len(seen)) != most+1 {
				t.Errorf("%s, %v: %d different keys", d.Name, r.Type, len(seen))
			}
		}
	}
	if x := bitsOf(Below(1<<40), key.I8, 5000, 1); slices.Max(x) != 127 {
		t.Errorf("i8 up to 2^40: greatest %d", slices.Max(x))
	}
	if x := bitsOf(Below(math.MaxUint64), key.U64, 100, 1); slices.Max(x) < 1<<63 {
		t.Errorf("u64 of the whole range: greatest %d", slices.Max(x))
	}
}

func TestFindBelow(t *testing.T) {
	if d, err := Find("max-255"); err != nil || d.Name != "max-255" {
		t.Errorf("%v, %v", d.Name, err)
	}
	for _, bad := range []string{"max-", "max--1", "max-007", "max-99999999999999999999"} {
		if _, err := Find(bad); err == nil {
			t.Errorf("%s was found", bad)
		}
	}
}

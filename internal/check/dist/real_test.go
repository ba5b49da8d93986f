package dist

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// TestRealRows holds the rows to what is known of such keys: how many bits vary, and how
// many of the keys are different.
func TestRealRows(t *testing.T) {
	const n = 1 << 17
	for _, c := range []struct {
		name    string
		t       key.Type
		varying int        // bits that are not the same in all keys
		unlike  [2]float64 // different keys over n, at least and at most
	}{
		{"timestamps", key.U64, 48, [2]float64{0.999, 1}}, {"timestamps", key.U32, 27, [2]float64{0.99, 1}},
		{"seconds", key.U32, 17, [2]float64{0.4, 0.6}}, {"snowflakes", key.U64, 33, [2]float64{0.98, 1}},
		{"snowflakes", key.U32, 32, [2]float64{0.98, 1}}, {"edges", key.U64, 40, [2]float64{0.8, 1}},
		{"splats", key.U64, 41, [2]float64{0.98, 1}}, {"morton", key.U64, 63, [2]float64{0.99, 1}},
		{"kmers", key.U64, 62, [2]float64{0.5, 0.9}}, {"ipv4", key.U64, 48, [2]float64{0.8, 1}},
		{"ipv4", key.U32, 32, [2]float64{0.3, 0.9}}, {"prices", key.I64, 20, [2]float64{0.05, 0.2}},
		{"latencies", key.U32, 20, [2]float64{0.2, 0.6}}, {"returns", key.F64, 58, [2]float64{0.999, 1}},
		{"scores", key.F32, 28, [2]float64{0.9, 1}}, {"ages", key.I32, 32, [2]float64{100. / n, 136. / n}},
	} {
		x := bitsOf(Must(c.name), c.t, n, 11)
		or, and := uint64(0), uint64(math.MaxUint64)
		for _, v := range x {
			or, and = or|v, and&v
		}
		slices.Sort(x)
		unlike := float64(len(slices.Compact(x))) / n
		if got := bits.OnesCount64(or &^ and); got < c.varying-1 || got > c.varying+3 {
			t.Errorf("%s %v: %d bits vary, want about %d", c.name, c.t, got, c.varying)
		}
		if unlike < c.unlike[0] || unlike > c.unlike[1] {
			t.Errorf("%s %v: %.4f of the keys are different, want %.4f to %.4f", c.name, c.t, unlike, c.unlike[0], c.unlike[1])
		}
	}
}

package exec

import (
	"slices"
	"testing"
	"time"
)

// TestPaces: shares go by the better of two paces, none counts as slower than a quarter of the mean,
// and members that are alike, or that are not known yet, have equal ones.
func TestPaces(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		took [][]time.Duration // by sort
		want []uint64
	}{
		{"no sort", nil, nil},
		{"one sort", [][]time.Duration{{ms, 3 * ms}}, nil},
		{"alike", [][]time.Duration{{5 * ms, 6 * ms}, {6 * ms, 5 * ms}}, nil},
		{"one hiccup", [][]time.Duration{{5 * ms, 50 * ms}, {5 * ms, 5 * ms}}, nil},
		{"another", [][]time.Duration{{5 * ms, 5 * ms}, {5 * ms, 50 * ms}}, nil},
		{"slow", [][]time.Duration{{ms, 3 * ms}, {ms, 3 * ms}}, []uint64{0, 7500, 10000}},
		{"very slow", [][]time.Duration{{100 * ms, ms}, {100 * ms, ms}}, []uint64{0, 1120, 10000}},
		{"slow, then not", [][]time.Duration{{ms, 3 * ms}, {ms, 3 * ms}, {ms, ms}}, nil},
		{"of three", [][]time.Duration{{2 * ms, ms, 2 * ms}, {2 * ms, ms, 2 * ms}}, []uint64{0, 2500, 7500, 10000}},
	} {
		var p paces
		for _, took := range c.took {
			p.note(slices.Repeat([]uint64{1000}, len(took)), took, 1000)
		}
		if got := p.bounds(10000); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for _, took := range c.took {
			p.note(slices.Repeat([]uint64{999}, len(took)), slices.Repeat([]time.Duration{time.Hour}, len(took)), 1000)
		}
		if got := p.bounds(10000); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v after short shares, want %v", c.name, got, c.want)
		}
	}
}

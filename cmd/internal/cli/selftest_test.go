package cli

import "testing"

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		results []tested
		want    string // of the first
		trusted bool
	}{
		{[]tested{{Device: "cpu", Cases: 9, sorted: 5}}, "ok", true},
		{[]tested{{Device: "a", Cases: 9, sorted: 5, Skipped: 2}}, "partly supported", true},
		{[]tested{{Device: "a", Cases: 9, Skipped: 7}}, "not supported", false},
		{[]tested{{Device: "a", Cases: 9, Skipped: 7}, {Device: "a", sorted: 1}}, "not supported", true},
		{[]tested{{Device: "a", Cases: 9, sorted: 5, Failed: 1}}, "WRONG", false},
		{[]tested{{Device: "a", unusable: true}, {Device: "a", sorted: 1}}, "UNUSABLE", false},
	} {
		if got := c.results[0].verdict(); got != c.want || trusted(c.results) != c.trusted {
			t.Errorf("%+v: %s, trusted %v", c.results, got, trusted(c.results))
		}
	}
}

package tune

import "testing"

// TestLsdRows: every instance exists and keeps the kernels' conditions.
func TestLsdRows(t *testing.T) {
	check := func(target string, bits, value int, threads, items, unroll, units, small uint32, ok bool) {
		t.Helper()
		switch {
		case !ok:
			t.Errorf("no row for %s, %d bits, %d value bytes", target, bits, value)
		case target == "serial":
			if threads != 1 || small < threads*items {
				t.Errorf("%s %d/%d: one work-item per group, and small at least a grain", target, bits, value)
			}
		case threads%32 != 0 || threads*items >= 1<<16 || small != threads*items || unroll == 0 || units == 0:
			t.Errorf("%s %d/%d: %d threads, %d items, unroll %d, units %d, small %d", target, bits, value, threads, items, unroll, units, small)
		}
	}
	for _, bits := range []int{8, 16, 32, 64} {
		for _, value := range []int{0, 4, 8} {
			for _, target := range []string{"serial", "simt", "tiny", "nvidia"} {
				p, ok := LsdOpenclFor(target, bits, value)
				check(target, bits, value, p.Threads, p.Items, p.Unroll, p.Units, p.Small, ok)
			}
		}
	}
}

package load

import (
	"testing"
	"time"
)

func TestOthers(t *testing.T) {
	at := time.Unix(100, 0)
	mine := []byte("7 (a ) name) S 1 2 3 4 5 6 7 8 9 10 300 40 0 0 20 0 1 0 5 6 7")
	from, ok := parseMark(at, []byte("cpu  1000 100 10 99999 500 1 2 3 0 0\ncpu0 1 2 3\n"), mine)
	if !ok || from.all != 1000+100+10+1+2+3 || from.mine != 340 {
		t.Fatalf("%+v %v", from, ok)
	}
	// Two seconds later: 300 ticks in all, 100 of them ours or of ended children; idle time does not count.
	mine = []byte("7 (a ) name) S 1 2 3 4 5 6 7 8 9 10 360 40 10 30 20 0 1 0 5 6 7")
	to, ok := parseMark(at.Add(2*time.Second), []byte("cpu  1200 150 40 199999 900 1 2 23 0 0\n"), mine)
	if got := from.Others(to); !ok || got != 1 {
		t.Errorf("others used %g processors, want 1", got)
	}
	if got := to.Others(from); got != 0 {
		t.Errorf("back in time: %g", got)
	}
	for _, bad := range []string{"", "cpu 1 2", "cpu a b c d e f g h i", "cpu 0 0 0 0 0 0 0 0 0"} {
		if _, ok := parseMark(at, []byte(bad), mine); ok {
			t.Errorf("%q is a mark", bad)
		}
	}
}

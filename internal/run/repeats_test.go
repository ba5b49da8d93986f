package run

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/soak"
)

// TestRepeatsInSort: rows that tie with an earlier one take no room, the first of them is written,
// and rows that share but a part of their keys stay.
func TestRepeatsInSort(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var few, long strings.Builder
	for i := range 90000 {
		fmt.Fprintf(&few, "%d row %d\n", r.IntN(500), i%2)
		fmt.Fprintf(&long, "%d%s%d\n", r.IntN(9), strings.Repeat("y", repeatBytes-3+r.IntN(4)), r.IntN(9))
	}
	take := soak.Share(t, 2, 1)
	for name, text := range map[string]string{"few": few.String(), "long": long.String(), "many": someLines(r, 30000)} {
		for _, order := range []string{"lines -u", "numbers -u"} {
			for _, workers := range []int{1, 4} {
				if !take() {
					continue
				}
				o := optionsOf(orders(t)[order])
				o.Workers, o.Temp, o.room, o.thinFrom = workers, []string{t.TempDir()}, 1<<19, 1<<40
				var out bytes.Buffer
				st, err := Sort(t.Context(), o, []Input{input(text[:20000]), input(text[20000:])}, -1, &out)
				want := text[:20000] + "\n" + text[20000:]
				if text[19999] == '\n' {
					want = text
				}
				if rows := int64(strings.Count(want, "\n")); err != nil || st.Rows != rows {
					t.Fatalf("%s, %s: %+v, %v; want %d rows", name, order, st, err, rows)
				}
				if want := expected(o, want); out.String() != want {
					t.Errorf("%s, %s, %d workers: %d bytes, want %d", name, order, workers, out.Len(), len(want))
				}
				if name == "few" && st.Runs > 1 {
					t.Errorf("%s, %s, %d workers: rows that tie took room: %+v", name, order, workers, st)
				}
			}
		}
	}
}

// TestRepeats: a key is known once it came, unless too many came after it; another is not.
func TestRepeats(t *testing.T) {
	o := Options{Workers: 2, Budget: LeastBudget}
	r := o.newRepeats()
	if n := len(r.slots); n&(n-1) != 0 || uint64(n*2)*(repeatBytes+1) > LeastBudget/32 {
		t.Errorf("%d keys are remembered", n)
	}
	long := bytes.Repeat([]byte("k"), repeatBytes+1)
	for _, key := range [][]byte{nil, {0}, {0, 0}, []byte("a"), []byte("a\x00"), long[1:], long[2:]} {
		if r.seen(key) || !r.seen(key) {
			t.Errorf("%q is not known after it came, or before", key)
		}
	}
	for range 2 {
		if r.seen(long) {
			t.Error("a key that is not remembered is known")
		}
	}
	if r.few() {
		t.Error("given up at once")
	}
	for i := range triedRepeats {
		if r.seen(fmt.Appendf(nil, "key %d", i)) {
			t.Fatalf("key %d is known before it came", i)
		}
	}
	if !r.few() {
		t.Error("not given up where nothing repeats")
	}
}

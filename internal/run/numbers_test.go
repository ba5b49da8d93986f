package run

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key/linekey"
)

// TestNumbers: lines that are numbers come out as they do among other lines, wherever the first
// of those is.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	var b strings.Builder
	for i := range 9000 {
		fmt.Fprintln(&b, (r.Int64N(1e17)-5e16)>>r.IntN(60)%(1<<uint(1+i%50)))
	}
	text := b.String()
	n := 0
	for name, spec := range orders(t) {
		for _, other := range []string{"", "\n", "07\n", "-0\n", "x\n", "1.5\n", "+3\n", "9999999999999999999\n", "12 x\n"} {
			for _, at := range []int{0, len(text) / 3, len(text)} {
				at += strings.IndexByte(text[at:]+"\n", '\n') + 1
				at = min(at, len(text))
				all := text[:at] + other + text[at:]
				for _, room := range []uint64{0, 1 << 16} {
					if n++; testing.Short() && n%23 != 0 {
						continue
					}
					o := optionsOf(spec)
					o.room, o.Temp = room, []string{t.TempDir()}
					var out bytes.Buffer
					st, err := Sort(t.Context(), o, []Input{input(all)}, -1, &out)
					if err != nil || out.String() != expected(o, all) || st.Rows != int64(strings.Count(all, "\n")) {
						t.Errorf("%s with %q at %d, room for %d: %v, %d bytes, %+v", name, other, at, room, err, out.Len(), st)
					}
				}
			}
		}
	}
}

// TestNumbered: keys of other parts of a line, and of parts of numbers, have rows.
func TestNumbered(t *testing.T) {
	for k, want := range map[string]bool{"1n": true, "1,1n": true, "1nr": true, "1bn": true, "2n": false, "1.2n": false, "1,1.3n": false, "1": false, "1h": false, "1nd": false} {
		key, err := linekey.ParseKey(k)
		if err != nil {
			t.Fatal(err)
		}
		for separator, apart := range map[int]bool{-1: true, ',': true, '-': false, '3': false} {
			f := optionsOf(linekey.Spec{Separator: separator, Keys: []linekey.Key{key}}).Format.(Numbered)
			if f.Numbered() != (want && apart) {
				t.Errorf("-k%s, separator %d: %v", k, separator, f.Numbered())
			}
		}
	}
}

// TestCountNumbers counts numbers that are equal.
func TestCountNumbers(t *testing.T) {
	o := optionsOf(orders(t)["numbers -u"])
	o.Count = func(dst []byte, n int64) []byte { return fmt.Appendf(dst, "%d ", n) }
	for _, room := range []uint64{0, 1 << 16} {
		var in, want strings.Builder
		for i := range 20000 {
			fmt.Fprintln(&in, i*7919%5000)
		}
		for i := range 5000 {
			fmt.Fprintf(&want, "4 %d\n", i)
		}
		o.room, o.Temp = room, []string{t.TempDir()}
		var out bytes.Buffer
		if _, err := Sort(t.Context(), o, []Input{input(in.String())}, -1, &out); err != nil || out.String() != want.String() {
			t.Errorf("room for %d: %v, %.60q", room, err, out.String())
		}
	}
}

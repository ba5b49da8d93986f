package run

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/soak"
)

// countedRows are rows that tie, each group as one, behind their number.
func countedRows(o Options, text string) []string {
	o.Unique = false
	all := strings.SplitAfter(expected(o, text), "\n")
	o.Unique = true
	var out []string
	for _, row := range strings.SplitAfter(expected(o, text), "\n") {
		if row == "" {
			break
		}
		n := 1
		for n < len(all) && all[n] != "" && expected(o, row+all[n]) == row {
			n++
		}
		all = all[n:]
		out = append(out, fmt.Sprintf("%4d %s", n, row))
	}
	return out
}

func countOf(dst []byte, n int64) []byte { return fmt.Appendf(dst, "%4d ", n) }

// TestTop: the first rows are those of all, in memory, in runs and merged, alone and with
// the number that ties.
func TestTop(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	text := someLines(r, 3000)
	take := soak.Share(t, 2, 1)
	for name, spec := range orders(t) {
		for _, count := range []bool{false, true} {
			if !take() {
				continue
			}
			o := optionsOf(spec)
			o.Temp = []string{t.TempDir()}
			o.more = 100
			var want []string
			if count {
				o.Unique, o.Count = true, countOf
				want = countedRows(o, text)
			} else {
				want = strings.SplitAfter(strings.TrimSuffix(expected(o, text), "\n"), "\n")
				want[len(want)-1] += "\n"
			}
			parts := []string{text[:1+strings.Index(text[len(text)/2:], "\n")+len(text)/2]}
			parts = append(parts, text[len(parts[0]):])
			plain := o
			plain.Count = nil
			plain.Unique = false
			for _, top := range []int{0, 1, 150, 1500, 20000} {
				first := strings.Join(want[:min(len(want), top)], "")
				if top == 0 {
					first = strings.Join(want, "")
				}
				o.Top = int64(top)
				for _, room := range []uint64{0, 1 << 18, 1 << 15} {
					o.room, o.FanIn = room, 3
					var out bytes.Buffer
					st, err := Sort(t.Context(), o, []Input{input(text)}, -1, &out)
					if err != nil || out.String() != first {
						t.Fatalf("%s, first %d in %d, counted %v: %v; %d bytes, want %d", name, top, room, count, err, out.Len(), len(first))
					}
					if st.Rows != 3000 || st.RowsOut != int64(strings.Count(first, "\n")) || room == 1<<18 && top > 0 && top < 151 && !count && st.Spilled > 0 {
						t.Errorf("%s, first %d: %+v", name, top, st)
					}
				}
				var out bytes.Buffer
				_, err := Merge(t.Context(), o, [][]Input{{input(expected(plain, parts[0]))}, {input(expected(plain, parts[1]))}, {input("")}, {input("")}}, &out)
				if err != nil || out.String() != first {
					t.Fatalf("%s, first %d merged, counted %v: %v; %d bytes, want %d", name, top, count, err, out.Len(), len(first))
				}
			}
		}
	}
}

// TestThin: rows that tie go early where many do, and the result is the same.
func TestThin(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	few := strings.Repeat(someLines(r, 300), 30)
	for name, text := range map[string]string{"few": few, "many": someLines(r, 9000), "then few": someLines(r, 500) + few} {
		for _, order := range []string{"lines -u", "numbers -u"} {
			for _, from := range []uint64{1, 20000, 50000} {
				o := optionsOf(orders(t)[order])
				o.thinFrom, o.room, o.Temp = from, 1<<20, []string{t.TempDir()}
				var out bytes.Buffer
				st, err := Sort(t.Context(), o, []Input{input(text)}, -1, &out)
				if want := expected(o, text); err != nil || out.String() != want {
					t.Errorf("%s, %s, from %d: %v; %d bytes, want %d", name, order, from, err, out.Len(), len(want))
				}
				if name == "few" && st.Runs > 1 {
					t.Errorf("%s, %s, from %d: %+v", name, order, from, st)
				}
			}
		}
	}
}

// TestTopMemory: the first rows of many are found in memory for few.
func TestTopMemory(t *testing.T) {
	o := optionsOf(orders(t)["numbers"])
	o.Top, o.more = 100, 1000
	const n = 300000
	rows := func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() {
			for i := range n {
				fmt.Fprintf(w, "%d %0100d\n", int64(i)*7919%n, i)
			}
			w.Close()
		}()
		return r, nil
	}
	o.room = 1 << 20
	var out bytes.Buffer
	st, err := Sort(t.Context(), o, []Input{rows}, -1, &out)
	if err != nil || st.Spilled > 0 || st.Rows != n || st.RowsOut != 100 {
		t.Errorf("%+v, %v", st, err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if !strings.HasPrefix(line, fmt.Sprintf("%d ", i)) {
			t.Errorf("row %d is %s", i, line)
		}
	}
}

package cpu_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
)

// TestFewRows: they take no memory of the heap, and no key is asked for twice.
func TestFewRows(t *testing.T) {
	for _, n := range []int{2, 3, 12, 32} {
		p, q := people(n), make([]person, n)
		last := func(p *person) string { return p.last }
		height := func(p *person) float64 { return p.height }
		for what, sort := range map[string]func(){
			"SortBy":                     func() { cpu.SortBy(q, cpu.By(last)) },
			"SortBy of two columns":      func() { cpu.SortBy(q, cpu.By(height).Desc().NaNLast(), cpu.By(last)) },
			"gpusort.SortBy":             func() { gpusort.SortBy(q, gpusort.By(height), gpusort.By(last).Desc()) },
			"SortBy what may be missing": func() { cpu.SortBy(q, cpu.ByNull(func(p *person) (int32, bool) { return p.children, p.children > 0 })) },
		} {
			if allocated := testing.AllocsPerRun(10, func() { copy(q, p); sort() }); allocated > 0 {
				t.Errorf("%s of %d: %v allocations", what, n, allocated)
			}
		}
		calls := make([]int, n)
		cpu.SortBy(p, cpu.By(func(p *person) int32 { return p.children }), cpu.By(func(p *person) int { calls[p.place]++; return -p.place }))
		if slices.Max(calls) > 1 {
			t.Errorf("of %d: a key was asked for %d times", n, slices.Max(calls))
		}
	}
}

// FuzzSortBy sorts rows of text, a float and a short integer by all three.
func FuzzSortBy(f *testing.F) {
	f.Add([]byte("\x00ab\x00\x01\x7f\xf8\x00\x00\x00\x00\x00\x01,ab"), uint8(3), uint8(70))
	type line struct {
		text  []byte
		f     float64
		i     int8
		place int
	}
	f.Fuzz(func(t *testing.T, b []byte, form, times uint8) {
		var rows []line
		for _, part := range bytes.Split(b, []byte(",")) {
			var bits [8]byte
			copy(bits[:], part)
			rows = append(rows, line{part, math.Float64frombits(binary.BigEndian.Uint64(bits[:])), int8(len(part)), len(rows)})
		}
		for n := len(rows); len(rows) < int(times); {
			again := rows[len(rows)-n]
			again.place = len(rows)
			rows = append(rows, again)
		}
		sign := func(bit uint8) int { return 1 - 2*int(form>>bit&1) }
		text, number, short := cpu.By(func(l *line) []byte { return l.text }), cpu.By(func(l *line) float64 { return l.f }), cpu.By(func(l *line) int8 { return l.i })
		if sign(0) < 0 {
			text = text.Desc()
		}
		if sign(1) < 0 {
			number = number.Desc()
		}
		if sign(2) < 0 {
			short = short.Desc()
		}
		want := slices.Clone(rows)
		slices.SortStableFunc(want, func(a, b line) int {
			return cmp.Or(sign(2)*cmp.Compare(a.i, b.i), sign(0)*bytes.Compare(a.text, b.text), sign(1)*float(a.f, b.f))
		})
		cpu.SortBy(rows, short, text, number)
		for i := range rows {
			if rows[i].place != want[i].place {
				t.Fatalf("place %d has row %d, want %d", i, rows[i].place, want[i].place)
			}
		}
	})
}

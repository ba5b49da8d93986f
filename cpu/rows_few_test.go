package cpu_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
)

// TestFewRows: they take no memory of the heap, and no key is asked for twice.
func TestFewRows(t *testing.T) {
	for _, n := range []int{2, 3, 5, 8, 9, 16, 17, 33, 64} {
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

// TestFewRowsOfEveryLength sorts up to 70 rows by columns of few values, so that rows tie, and
// compares places with a stable sort by the values themselves.
func TestFewRowsOfEveryLength(t *testing.T) {
	type line struct {
		u     uint64
		i     int64
		f     float64
		short int8
		half  float32
		text  string
		bytes []byte
		place int
	}
	texts := []string{"", "a", "a\x00", "a\x00\x00", "prefix", "prefix of more than eight bytes", "prefix of more than nine", "prefix\xff"}
	floats := []float64{math.NaN(), math.Inf(-1), -1.5, math.Copysign(0, -1), 0, 2, math.Inf(1)}
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 71 {
		x := make([]line, n)
		for i := range x {
			f, s := floats[r.IntN(len(floats))], texts[r.IntN(len(texts))]
			x[i] = line{1<<63 - 2 + r.Uint64N(4), int64(r.IntN(5)) - 2, f, int8(r.IntN(7) - 3), float32(f), s, []byte(texts[r.IntN(len(texts))]), i}
			if n%2 == 1 { // all with one prefix, or none
				x[i].text = "https://example.org/" + s
			}
		}
		text, short := cpu.By(func(l *line) string { return l.text }), cpu.By(func(l *line) int8 { return l.short })
		for what, c := range map[string]struct {
			sort    func(y []line)
			compare func(a, b line) int
		}{
			"u64":       {func(y []line) { cpu.SortBy(y, cpu.By(func(l *line) uint64 { return l.u })) }, func(a, b line) int { return cmp.Compare(a.u, b.u) }},
			"i64, down": {func(y []line) { cpu.SortBy(y, cpu.By(func(l *line) int64 { return l.i }).Desc()) }, func(a, b line) int { return cmp.Compare(b.i, a.i) }},
			"f64":       {func(y []line) { cpu.SortBy(y, cpu.By(func(l *line) float64 { return l.f })) }, func(a, b line) int { return float(a.f, b.f) }},
			"f32, down": {func(y []line) { cpu.SortBy(y, cpu.By(func(l *line) float32 { return l.half }).Desc()) }, func(a, b line) int { return float(b.f, a.f) }},
			"i8":        {func(y []line) { cpu.SortBy(y, short) }, func(a, b line) int { return cmp.Compare(a.short, b.short) }},
			"text":      {func(y []line) { cpu.SortBy(y, text) }, func(a, b line) int { return cmp.Compare(a.text, b.text) }},
			"bytes, down": {func(y []line) { cpu.SortBy(y, cpu.By(func(l *line) []byte { return l.bytes }).Desc()) },
				func(a, b line) int { return bytes.Compare(b.bytes, a.bytes) }},
			"i8, text down": {func(y []line) { cpu.SortBy(y, short, text.Desc()) },
				func(a, b line) int { return cmp.Or(cmp.Compare(a.short, b.short), cmp.Compare(b.text, a.text)) }},
			"text, i8 down": {func(y []line) { cpu.SortBy(y, text, short.Desc()) },
				func(a, b line) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(b.short, a.short)) }},
		} {
			y, want := slices.Clone(x), slices.Clone(x)
			c.sort(y)
			slices.SortStableFunc(want, c.compare)
			for i := range y {
				if y[i].place != want[i].place {
					t.Fatalf("%d rows by %s: place %d has row %d, want %d", n, what, i, y[i].place, want[i].place)
				}
			}
		}
	}
}

// TestFewRowsThatTie: up to 10 rows that tie by one column are sorted by another of any kind, small
// rows and large ones.
func TestFewRowsThatTie(t *testing.T) {
	type small struct {
		group, place int8
		text         string
		u            uint64
	}
	type large struct {
		small
		_ [100]byte
	}
	r := rand.New(rand.NewPCG(4, 4))
	octets := func(s *small) (k [16]byte) { binary.BigEndian.PutUint64(k[:], s.u); return k }
	for n := range 11 {
		for range 200 {
			x := make([]small, n)
			for i := range x {
				x[i] = small{int8(r.IntN(3)), int8(i), []string{"", "a", "same beginning", "same beginning, not end"}[r.IntN(4)], r.Uint64N(3)}
			}
			y, z, w := slices.Clone(x), make([]large, n), slices.Clone(x)
			for i := range x {
				z[i].small = x[i]
			}
			cpu.SortBy(y, cpu.By(func(s *small) int8 { return s.group }).Desc(), cpu.By(octets), cpu.By(func(s *small) string { return s.text }))
			cpu.SortBy(z, cpu.By(func(l *large) int8 { return l.group }).Desc(), cpu.By(func(l *large) uint64 { return l.u }),
				cpu.By(func(l *large) string { return l.text }))
			cpu.SortBy(w, cpu.By(func(s *small) string { return s.text }).Desc(), cpu.ByNull(func(s *small) (uint64, bool) { return s.u, s.u > 0 }).NullsLast().Desc())
			want, down := slices.Clone(x), slices.Clone(x)
			slices.SortStableFunc(want, func(a, b small) int {
				return cmp.Or(cmp.Compare(b.group, a.group), cmp.Compare(a.u, b.u), cmp.Compare(a.text, b.text))
			})
			slices.SortStableFunc(down, func(a, b small) int { return cmp.Or(cmp.Compare(b.text, a.text), cmp.Compare(b.u, a.u)) })
			for i := range x {
				if y[i] != want[i] || z[i].small != want[i] || w[i] != down[i] {
					t.Fatalf("place %d of %v: %v, %v, want %v; %v, want %v", i, x, y[i], z[i].small, want[i], w[i], down[i])
				}
			}
		}
	}
}

// TestFewRowsPanic: where the last key of any column panics, rows are as they were.
func TestFewRowsPanic(t *testing.T) {
	type line struct{ group, place int }
	for n := 2; n < 80; n++ {
		for column := range 2 {
			x := make([]line, n)
			for i := range x {
				x[i] = line{-i / 2, i}
			}
			was := slices.Clone(x)
			key := func(of int) func(l *line) int {
				return func(l *line) int {
					if of == column && l.place == n/2/2*2 {
						panic("key")
					}
					return l.group
				}
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%d rows: no panic of column %d", n, column)
					}
				}()
				cpu.SortBy(x, cpu.By(key(0)), cpu.By(key(1)))
			}()
			if !slices.Equal(x, was) {
				t.Errorf("%d rows are not as they were, after a panic of column %d", n, column)
			}
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

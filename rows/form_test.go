package rows

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sharedCase is a form with files that have its rows.
type sharedCase struct {
	options []Option
	source  func(...io.Reader) Source
	row     func(r *rand.Rand, n int) string
	heading string
}

var sharedCases = map[string]sharedCase{
	"lines":        {nil, Lines, func(r *rand.Rand, n int) string { return fmt.Sprintf("%x\n", r.IntN(300)) }, ""},
	"lines -k2,2n": {[]Option{By("2,2n"), Stable()}, Lines, func(r *rand.Rand, n int) string { return fmt.Sprintf("%d %d\n", n, r.IntN(9)) }, ""},
	"lines -rk2,2": {[]Option{By("2,2"), With("r")}, Lines, func(r *rand.Rand, n int) string { return fmt.Sprintf("%d %d\n", n%50, r.IntN(9)) }, ""},
	"lines -rs":    {[]Option{By("2,2r"), Stable()}, Lines, func(r *rand.Rand, n int) string { return fmt.Sprintf("%d %d\n", n, r.IntN(4)) }, ""},
	"heavy":        {[]Option{By("2,2"), Stable()}, Lines, func(r *rand.Rand, n int) string { return fmt.Sprintf("%d %d\n", n, max(0, r.IntN(20)-10)) }, ""},
	"csv": {[]Option{ByColumns("b,a:desc")}, CSV, func(r *rand.Rand, n int) string {
		return fmt.Sprintf("%d,\"x\n%d\",%d\n", r.IntN(5), r.IntN(5), n)
	}, "a,b,c\r\n"},
	"jsonl":   {[]Option{ByColumns("a.b")}, JSONLines, func(r *rand.Rand, n int) string { return fmt.Sprintf("{\"a\":{\"b\":%d},\"n\":%d}\n", r.IntN(7), n) }, ""},
	"records": {[]Option{RecordSize(8), ByBytes("6:7")}, Records, func(r *rand.Rand, n int) string { return fmt.Sprintf("%06d%d\n", n, r.IntN(9)) }, ""},
	"descending records": {[]Option{RecordSize(8), ByBytes("6:7"), With("r")}, Records,
		func(r *rand.Rand, n int) string { return fmt.Sprintf("%06d%d\n", n, r.IntN(9)) }, ""},
}

// TestShared: what shares sort and ranges merge is what one sort writes, wherever the shares begin
// and the splitters are.
func TestShared(t *testing.T) {
	for name, c := range sharedCases {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 8 {
				c.test(t, r)
			}
		})
	}
}

func (c sharedCase) test(t *testing.T, r *rand.Rand) {
	var files []string
	n := 0
	for range 1 + r.IntN(4) {
		var b strings.Builder
		b.WriteString(c.heading)
		for range r.IntN(400) {
			b.WriteString(c.row(r, n))
			n++
		}
		text := b.String()
		if c.heading == "" && !strings.HasSuffix(text, "9\n") && r.IntN(2) == 0 && !isRecords(c) {
			text = strings.TrimSuffix(text, "\n")
		}
		files = append(files, text)
	}
	s, err := New(append(c.options, Workers(2))...)
	if err != nil {
		t.Fatal(err)
	}
	var readers []io.Reader
	for _, f := range files {
		readers = append(readers, strings.NewReader(f))
	}
	var want bytes.Buffer
	if _, err := s.Sort(t.Context(), c.source(readers...), LinesTo(&want)); err != nil {
		t.Fatal(err)
	}
	head := ""
	for _, f := range files {
		if head == "" {
			head = f
		}
	}
	form, err := s.Form(c.source(strings.NewReader(head)))
	if err != nil {
		t.Fatal(err)
	}
	got, sum := c.shared(t, form, files, r)
	if !bytes.Equal(got, want.Bytes()) {
		t.Fatalf("%d files, %d rows: got\n%.600s\nwant\n%.600s", len(files), n, got, want.Bytes())
	}
	rows := got[len(form.Heading()):]
	if n > 0 && head != "" {
		checked, err := form.Check(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(rows)), nil })
		if err != nil || checked.Disorder != 0 || checked.Sum != sum || checked.Rows != int64(n) {
			t.Fatalf("%+v, %v; want sum %v of %d rows", checked, err, sum, n)
		}
	}
}

func isRecords(c sharedCase) bool { return c.source(strings.NewReader("")).kind == ofRecords }

// shared sorts by shares, and returns all ranges behind the heading.
func (c sharedCase) shared(t *testing.T, form *Form, files []string, r *rand.Rand) ([]byte, Sum) {
	t.Helper()
	ctx := context.Background()
	total := 0
	var points []Splitter
	for i, f := range files {
		total += len(f)
		for at, key := range form.Keys([]byte(f), true) {
			points = append(points, Splitter{slices.Clone(key), i, int64(at)})
		}
	}
	slices.SortFunc(points, form.Compare)
	var splitters []Splitter
	for i := range points {
		if r.IntN(len(points)/5+1) == 0 {
			splitters = append(splitters, points[i])
		}
	}
	tasks := 1 + r.IntN(5)
	var runs []Run
	var data [][]byte
	var in, out Sum
	for i := range tasks {
		var parts []Part
		from, to, at := total*i/tasks, total*(i+1)/tasks, 0
		for k, f := range files {
			p, ok := form.Part(k, fmt.Sprint("file ", k), int64(len(f)), int64(max(0, from-at)), int64(min(len(f), max(0, to-at))), func(at int64) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(f[at:])), nil
			})
			if at += len(f); ok {
				parts = append(parts, p)
			}
		}
		var b bytes.Buffer
		run, err := form.Run(ctx, parts, splitters, &b)
		if err != nil {
			t.Fatal(err)
		}
		in.Add(run.Sum)
		runs, data = append(runs, run), append(data, b.Bytes())
	}
	want := make([]int64, len(splitters)+1)
	for _, p := range points {
		want[form.Range(splitters, p)]++
	}
	all := form.Heading()
	for k := range len(splitters) + 1 {
		var streams []Stream
		for i, run := range runs {
			p := run.Ranges[k]
			want[k] -= p.Rows
			streams = append(streams, Stream{func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(data[i][p.Offset : p.Offset+p.Length])), nil
			}, p.Length})
		}
		var b bytes.Buffer
		m, err := form.Merge(ctx, streams, 0, &b)
		if err != nil {
			t.Fatal(err)
		}
		out.Add(m.Sum)
		all = append(all, b.Bytes()...)
	}
	for k, n := range want {
		if n != 0 && c.heading == "" {
			t.Fatalf("range %d lacks %d rows of the splitters' places", k, n)
		}
	}
	if in != out {
		t.Fatalf("sum %v was read, and %v written", in, out)
	}
	return all, in
}

// TestDisorder: Check tells the first row that is out of order.
func TestDisorder(t *testing.T) {
	s, err := New(RecordSize(2), ByBytes("0:1"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := s.Form(Records(strings.NewReader("")))
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[string]int64{"": 0, "b2b1": 0, "b1a2": 2, "a1b2b1a3a1": 4} {
		c, err := form.Check(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(rows)), nil })
		if err != nil || c.Disorder != want || c.Rows != int64(len(rows)/2) {
			t.Errorf("%q: %+v, %v; want row %d", rows, c, err, want)
		}
	}
}

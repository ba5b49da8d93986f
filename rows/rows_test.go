package rows_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/rows"
)

func Example() {
	s, err := rows.New(rows.Budget(256<<20), rows.By("2,2n", "1,1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader("pears 12\nplums 9\napples 12\n")
	if _, err := s.Sort(context.Background(), rows.Lines(in), rows.LinesTo(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// plums 9
	// apples 12
	// pears 12
}

func ExampleSeq() {
	words := func(yield func([]byte, error) bool) {
		for _, w := range []string{"b", "a", "c"} {
			if !yield([]byte(w), nil) {
				return
			}
		}
	}
	s, _ := rows.New(rows.With("r"))
	s.Sort(context.Background(), rows.Seq(words), rows.LinesTo(os.Stdout))
	// Output:
	// c
	// b
	// a
}

func ExampleByColumns() {
	s, err := rows.New(rows.ByColumns("city,price:desc"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader("city,price\nBonn,9.50\n\"Athens, GA\",7\nBonn,10\nBonn,\n")
	if _, err := s.Sort(context.Background(), rows.CSV(in), rows.LinesTo(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// city,price
	// "Athens, GA",7
	// Bonn,10
	// Bonn,9.50
	// Bonn,
}

func ExampleJSONLines() {
	s, _ := rows.New(rows.ByColumns("user.age:number:desc,user.name"))
	in := strings.NewReader(`{"user": {"name": "Ann", "age": 9}}
{"user": {"name": "Ben", "age": 10}}
{"user": {"name": "Al", "age": 9.0}}
`)
	s.Sort(context.Background(), rows.JSONLines(in), rows.LinesTo(os.Stdout))
	// Output:
	// {"user": {"name": "Ben", "age": 10}}
	// {"user": {"name": "Al", "age": 9.0}}
	// {"user": {"name": "Ann", "age": 9}}
}

func sorted(t *testing.T, src rows.Source, options ...rows.Option) (string, rows.Stats) {
	t.Helper()
	s, err := rows.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	st, err := s.Sort(t.Context(), src, rows.LinesTo(&out))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), st
}

func TestOptions(t *testing.T) {
	for want, options := range map[string][]rows.Option{
		"a,2|b,10|a,1|":  {rows.Separator(','), rows.By("2,2r"), rows.Workers(1)},
		"a,1|a,2|b,10|":  {rows.By("1.1,1.1"), rows.TempDirs(t.TempDir())},
		"b,10|a,2|a,1|":  {rows.Separator(','), rows.By("2"), rows.With("nr")},
		"b,10|a,2|a,1|.": {rows.By("1.1,1.1r"), rows.Stable()},
		"a,2|b,10|":      {rows.By("1.1,1.1"), rows.Unique()},
	} {
		got, st := sorted(t, rows.Delimited('|', strings.NewReader("a,2|b,10"), strings.NewReader("a,1|")), options...)
		if got != strings.TrimSuffix(want, ".") || st.Rows != 3 || st.Written != int64(strings.Count(got, "|")) || st.Bytes != 12 {
			t.Errorf("%q, want %q, %+v", got, want, st)
		}
	}
	for want, option := range map[string]rows.Option{
		"give at least 1":     rows.Workers(0),
		"'-nV'":               rows.By("1nV"),
		"first field is 1":    rows.By("1", "0"),
		`With: 'x' is no opt`: rows.With("rx"),
	} {
		if _, err := rows.New(option); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "rows: New: ") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTables sorts and merges tables, with headings and without.
func TestTables(t *testing.T) {
	csv := func(texts ...string) rows.Source {
		var readers []io.Reader
		for _, text := range texts {
			readers = append(readers, strings.NewReader(text))
		}
		return rows.CSV(readers...)
	}
	long := strings.Repeat("h", 300<<10) // longer than what is looked at by itself
	for want, got := range map[string]func() string{
		"n;s\n1;b\n2;a\n3;\n": func() string {
			got, st := sorted(t, csv("n;s\n2;a\n", "\ufeffn;s\n3;\n1;b"), rows.ByColumns("n"))
			if st.Rows != 3 || st.Written != 3 {
				t.Errorf("%+v", st)
			}
			return got
		},
		"2;a,9\n1;b,7\n": func() string {
			got, _ := sorted(t, csv("1;b,7\n2;a,9\n"), rows.ByColumns("2:desc"), rows.Separator(','), rows.Heading(0))
			return got
		},
		"n\n1\n": func() string { got, _ := sorted(t, csv("n\n1\n1.0\n"), rows.ByColumns("n"), rows.Unique()); return got },
		"x\n":    func() string { got, _ := sorted(t, csv("x"), rows.ByColumns("x")); return got },
		"b\na\nc\n": func() string {
			got, _ := sorted(t, rows.Lines(strings.NewReader("b\nc\na\n")), rows.Heading(1))
			return got
		},
		"h\na\nb\n": func() string {
			got, _ := sorted(t, rows.Lines(strings.NewReader(""), strings.NewReader("h\nb\n"), strings.NewReader("h\na\n")), rows.Heading(1))
			return got
		},
		long + "\na\nb\n": func() string {
			got, _ := sorted(t, rows.Lines(strings.NewReader(long+"\nb\n"), strings.NewReader(long+"\na\n")), rows.Heading(1))
			return got
		},
		"\ufeff{\"a\":1}\n{\"a\":2}\n": func() string {
			got, _ := sorted(t, rows.JSONLines(strings.NewReader("\ufeff{\"a\":2}\n"), strings.NewReader("{\"a\":1}")), rows.ByColumns("a"))
			return got
		},
		"n,s\n1,x\n2,y\n3,z\n": func() string {
			s, _ := rows.New(rows.ByColumns("n"))
			var out bytes.Buffer
			if _, err := s.Merge(t.Context(), rows.LinesTo(&out), csv("n,s\n1,x\n3,z\n"), csv("n,s\n2,y\n")); err != nil {
				t.Error(err)
			}
			return out.String()
		},
	} {
		if g := got(); g != want {
			t.Errorf("%q, want %q", g, want)
		}
	}
	lines, columns := rows.By("1"), rows.ByColumns("n:i64")
	for _, c := range []struct {
		want    string
		src     rows.Source
		options []rows.Option
	}{
		{"rows: Sort: ByColumns orders rows of CSV", rows.Lines(strings.NewReader("")), []rows.Option{columns}},
		{"rows: Sort: By and With order lines", csv(""), []rows.Option{columns, lines}},
		{"rows: Sort: By and With order lines", csv(""), nil},
		{`rows: Sort: input 1: there is no column "n"`, csv("m\n1\n"), []rows.Option{columns}},
		{`rows: input 2, row 1: column n: "x" is no i64`, csv("n\n1\n", "n\nx\n"), []rows.Option{columns}},
		{`rows: input 1, row 2: this is no JSON`, rows.JSONLines(strings.NewReader("{}\n{")), []rows.Option{columns}},
	} {
		s, err := rows.New(c.options...)
		if err == nil {
			_, err = s.Sort(t.Context(), c.src, rows.LinesTo(io.Discard))
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for want, o := range map[string]rows.Option{"Heading(-1)": rows.Heading(-1), `ByColumns: key 1 of "a:b"`: rows.ByColumns("a:b")} {
		if _, err := rows.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	s, _ := rows.New(columns)
	if _, err := s.Merge(t.Context(), rows.LinesTo(io.Discard), csv("n\n"), rows.JSONLines(strings.NewReader(""))); err == nil {
		t.Error("CSV and JSON Lines were merged")
	}
}

// TestSpill sorts more than the budget holds, from an iterator.
func TestSpill(t *testing.T) {
	const n = 400000
	numbers := func(yield func([]byte, error) bool) {
		for i := range n {
			if !yield(fmt.Appendf(nil, "%d.", i*7919%n), nil) {
				return
			}
		}
	}
	got, st := sorted(t, rows.Seq(numbers), rows.Budget(1), rows.With("n"), rows.TempDirs(t.TempDir()))
	if st.Runs < 2 || st.Spilled < int64(len(got)) || st.Passes != 1 {
		t.Errorf("%+v", st)
	}
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d.\n", i)
	}
	if got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
}

func TestMerge(t *testing.T) {
	s, _ := rows.New()
	var out bytes.Buffer
	src := []rows.Source{rows.Lines(strings.NewReader("a\nc"), strings.NewReader("d")), rows.Lines(strings.NewReader("b\n"))}
	if _, err := s.Merge(t.Context(), rows.LinesTo(&out), src...); err != nil || out.String() != "a\nb\nc\nd\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	src[0] = rows.Delimited(0, strings.NewReader(""))
	if _, err := s.Merge(t.Context(), rows.LinesTo(&out), src...); err == nil {
		t.Error("rows that end differently were merged")
	}
}

func TestFailures(t *testing.T) {
	s, _ := rows.New()
	broken := errors.New("broken")
	var failing iter.Seq2[[]byte, error] = func(yield func([]byte, error) bool) { _ = yield([]byte("a"), nil) && yield(nil, broken) }
	if _, err := s.Sort(t.Context(), rows.Seq(failing), rows.LinesTo(io.Discard)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := s.Sort(t.Context(), rows.Source{}, rows.LinesTo(io.Discard)); err == nil {
		t.Error("the zero source was sorted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Sort(ctx, rows.Lines(strings.NewReader("a\n")), rows.LinesTo(io.Discard)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

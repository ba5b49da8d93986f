package csvkey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// reference reads text byte by byte: where its rows end, and their fields. A row that is
// wrong has no fields. open is whether a quote is left open.
func reference(text string, separator byte) (ends []uint32, rows [][]string, open bool) {
	const (
		start = iota
		plain
		inside
		closed
	)
	state, wrong := start, false
	var field strings.Builder
	var row []string
	end := func(i int) {
		row = append(row, field.String())
		field.Reset()
		if wrong {
			row = nil
		}
		ends, rows = append(ends, uint32(i)), append(rows, row)
		row, wrong, state = nil, false, start
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		crlf := c == '\r' && i+1 < len(text) && text[i+1] == '\n' && state != inside || c == '\r' && i+1 == len(text)
		switch {
		case state == inside && c == '"':
			state = closed
		case state == inside:
			field.WriteByte(c)
		case state == closed && c == '"':
			field.WriteByte(c)
			state = inside
		case c == '\n':
			end(i + 1)
		case crlf:
		case c == separator:
			row = append(row, field.String())
			field.Reset()
			state = start
		case state == start && c == '"':
			state = inside
		case state == closed:
			wrong = true
			state = plain
		default:
			field.WriteByte(c)
			state = plain
		}
	}
	if state == inside {
		return ends, rows, true
	}
	if len(text) > 0 && (len(ends) == 0 || ends[len(ends)-1] < uint32(len(text))) {
		end(len(text))
	}
	return ends, rows, false
}

func randomText(r *rand.Rand, n int, parts ...string) string {
	var b strings.Builder
	for range n {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

// TestRows compares ends of rows and their fields with the reference.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40000 {
		parts := []string{`"`, ",", "\n", "a", "\r\n", "\"\"", `"b`, `c"`, ",", "\n", ";"}
		if i%3 == 0 {
			parts = []string{`"x,""y"""`, ",", "\n", "a", "\r\n", `""`, "\"l\n\r\nm\"", ",", ",", "\n"}
		}
		text := randomText(r, r.IntN(16), parts...)
		ends, rows, open := reference(text, ',')
		f := &Format{separator: ',', newline: []byte("\n"), longest: 1 << 20}
		whole, err := f.Cut([]byte(text))
		more, row, endErr := f.End([]byte(text))
		n := 0 // of text, the rows that end with a newline
		for _, e := range ends {
			if text[e-1] == '\n' {
				n = int(e)
			}
		}
		if whole != n || err != nil || (endErr != nil) != open || open && int(row) != len(ends) || !open && (len(more) > 0) != (n < len(text)) {
			t.Fatalf("%q: cut at %d of %d, %v; more %q, row %d, %v, open %v", text, whole, n, err, more, row, endErr, open)
		}
		if open {
			continue
		}
		if got := f.Split([]byte(text), nil); !slices.Equal(got, ends) {
			t.Fatalf("%q: rows end at %v, want %v", text, got, ends)
		}
		from := uint32(0)
		for k, end := range ends {
			line := strings.TrimSuffix(strings.TrimSuffix(text[from:end], "\n"), "\r")
			from = end
			var got []string
			for at := 0; at <= len(line); {
				text, next, err := field([]byte(line), at, ',')
				if err != nil {
					got = nil
					break
				}
				e := encoder{Format: f}
				if len(text) > 0 && text[0] == quote {
					text = e.unquote(text[1 : len(text)-1])
				}
				got, at = append(got, string(text)), next
			}
			if !reflect.DeepEqual(got, rows[k]) {
				t.Fatalf("%q: fields %q, want %q", line, got, rows[k])
			}
		}
	}
}

// quoted writes a field, in quotes if it must be, and sometimes if not.
func quoted(r *rand.Rand, s string) string {
	if strings.ContainsAny(s, ",\"\r\n") || r.IntN(4) == 0 {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// TestLikePython compares the fields of random tables with those of Python's csv.
func TestLikePython(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for range 3000 {
		var row []string
		for range 1 + r.IntN(5) {
			row = append(row, quoted(r, randomText(r, r.IntN(6), "a", ",", `"`, "\n", " ", "é", "\t", "1", "\r\n")))
		}
		text.WriteString(strings.Join(row, ",") + []string{"\n", "\r\n"}[r.IntN(2)])
	}
	c := exec.Command("python3", "-c", "import csv, sys, io, json\n"+
		"print(json.dumps(list(csv.reader(io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline=''), strict=True))))")
	c.Stdin = strings.NewReader(text.String())
	out, err := c.Output()
	if err != nil {
		absent.Skip(t, "python3", "%v", err)
	}
	var want [][]string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	d := read([]byte(text.String()), ',', true, -1)
	if len(d.rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(d.rows), len(want))
	}
	for i, row := range d.rows {
		var got []string
		for _, f := range row {
			got = append(got, string(f))
		}
		if len(want[i]) == 0 {
			want[i] = []string{""} // an empty line
		}
		if !slices.Equal(got, want[i]) {
			t.Errorf("row %d: %q, want %q", i+1, got, want[i])
		}
	}
}

func inputs(texts ...string) (all []run.Input) {
	for _, text := range texts {
		all = append(all, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
	}
	return all
}

// options are those for keys, with nothing else known.
func options(t *testing.T, keys string) Options {
	t.Helper()
	k, err := by.Parse(keys, by.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Keys: k, Heading: -1, Name: func(i int) string { return fmt.Sprintf("file %d", i+1) }}
}

// sorted opens and sorts.
func sorted(t *testing.T, o Options, texts ...string) (string, *Table, error) {
	t.Helper()
	table, err := Open(inputs(texts...), o)
	if err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	out.Write(table.First)
	_, err = run.Sort(t.Context(), run.Options{Format: table.Format}, table.Inputs, -1, &out)
	return out.String(), table, err
}

func TestSort(t *testing.T) {
	for _, c := range []struct{ keys, in, want string }{
		{"n", "n,s\n10,a\n9,b\n,c\n-1,d\n", "n,s\n-1,d\n9,b\n10,a\n,c\n"},
		{"n:desc:first", "n,s\n10,a\n9,b\n,c\n-1,d\n", "n,s\n,c\n10,a\n9,b\n-1,d\n"},
		{"n:text", "n,s\n10,a\n9,b\n", "n,s\n10,a\n9,b\n"},
		{"s,n:desc", "n,s\n1,b\n1,a\n2,b\n2,a\n", "n,s\n2,a\n1,a\n2,b\n1,b\n"},
		{"n,n:desc,1", "n,s\n1,b\n0,a", "n,s\n0,a\n1,b\n"},
		{"s", "n,s\r\n1,\"b\"\"\r\n\"\r\n2,\"a,\"", "n,s\r\n2,\"a,\"\r\n1,\"b\"\"\r\n\"\r\n"},
		{"s", "\ufeffs\tn\nb\t1\na\t2\n", "\ufeffs\tn\na\t2\nb\t1\n"},
		{"2", "3;b;\n1;a;x\n", "1;a;x\n3;b;\n"},
		{"2", "\ufeff3|b|\n1|a|x\n", "\ufeff1|a|x\n3|b|\n"},
		{"b", "a,b\n1,2\n\n3,1\n", "a,b\n3,1\n1,2\n\n"},
		{"x", "x\n2\n1\n", "x\n1\n2\n"},
		{`"x,1"`, "\"x,1\",y\n2,\n1,\n", "\"x,1\",y\n1,\n2,\n"},
		{"d", "d,n\n2026-01-02,\n2025-12-31,\n", "d,n\n2025-12-31,\n2026-01-02,\n"},
		{"a", "a,b", "a,b\n"},
		{"a", "", ""},
	} {
		if got, _, err := sorted(t, options(t, c.keys), c.in); err != nil || got != c.want {
			t.Errorf("%s of %q: %q, %v, want %q", c.keys, c.in, got, err, c.want)
		}
	}
	// A guess meets what does not fit.
	var b strings.Builder
	b.WriteString("n,s\n")
	for range 20000 {
		b.WriteString("7,seventeen bytes\n")
	}
	rows := b.String()
	got, table, err := sorted(t, options(t, "n"), rows+"n/a,1\n8,2\n")
	if odd, any := table.Columns[0].Odd(); err != nil || got != rows+"8,2\nn/a,1\n" || odd != "n/a" || !any {
		t.Errorf("%v: …%q, odd: %q", err, got[len(got)-20:], odd)
	}
}

// TestInputs: all inputs have the heading, which is written once.
func TestInputs(t *testing.T) {
	o := options(t, "n")
	got, _, err := sorted(t, o, "", "n,s\n3,a\n", "\ufeffn,s\r\n1,b\r\n", "n,s", "", "n,s\n2,c")
	if want := "n,s\n1,b\r\n2,c\n3,a\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	o.Heading = 2
	got, _, err = sorted(t, o, "n,s\nunit,\n3,a\n", "n,s\nunit,\n1,b\n")
	if want := "n,s\nunit,\n1,b\n3,a\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	long := strings.Repeat("x", 6000)
	got, _, err = sorted(t, options(t, "n"), "n,"+long+"\n2,\n", "n,"+long+"\n1,\n")
	if want := "n," + long + "\n1,\n2,\n"; err != nil || got != want {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestErrors(t *testing.T) {
	sure := func(keys string) Options {
		o := options(t, keys)
		o.Sure = true
		return o
	}
	none := options(t, "n")
	none.Heading = 0
	for _, c := range []struct {
		o    Options
		in   []string
		want string
	}{
		{options(t, "prise"), []string{"city,price\na,1\n"}, `file 1: there is no column "prise" (is it "price"?): there are city, price`},
		{options(t, "3"), []string{"city,price\na,1\n"}, `there is no column 3: there are 2: city, price`},
		{none, []string{"n,m\n1,2\n"}, `there is no heading (--header 0) to find column "n" in`},
		{options(t, "n"), []string{"some text\nwithout form\n"}, "this does not look like a table"},
		{sure("n"), []string{"some text\nwithout form\n"}, `there is no column "n"`},
		{options(t, "n"), []string{"n,s\n1,a\n2,\"b\n"}, `input 1, row 2: no quote closes "\"b\n"`},
		{options(t, "n"), []string{"n,s\n1,a\n", "n,s\n2,\"b\"x\n"}, ``},
		{options(t, "s"), []string{"n,s\n1,a\n", "n,s\n2,\"b\"x\n"}, `input 2, row 1: field 2: behind the closing quote of "\"b\"" comes 'x'`},
		{options(t, "n"), []string{"n,s\n1,\"b\n2,\"c\n"}, `field 2: behind the closing quote of`},
		{options(t, "s"), []string{"n,s\n1,a\n2\n"}, "input 1, row 2: its last field is number 1, and column s is number 2"},
		{options(t, "n:i64"), []string{"n,s\n1,a\n2.5,b\n"}, `input 1, row 2: column n: "2.5" is no i64`},
		{options(t, "n"), []string{"n,s\n1,a\n", "n,t\n"}, `file 2: it begins with "n,t", and the first input with "n,s"`},
		{options(t, "n"), []string{"\xff\xfen\x00,\x00s\x00\n\x00"}, "it is written in UTF-16"},
		{options(t, "n"), []string{"n,s\r1,a\r"}, "its rows end with CR alone"},
		{sure("n"), []string{`"` + strings.Repeat("x", 17<<20)}, "first row is not whole within 16384 KiB"},
	} {
		_, _, err := sorted(t, c.o, c.in...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %s", c.in[0][:min(len(c.in[0]), 40)], err, c.want)
		}
	}
	// A quote that takes in more than is bearable.
	o := options(t, "n")
	o.Longest = 1 << 20
	_, _, err := sorted(t, o, "n,s\n1,a\n2,\"b\n"+strings.Repeat("1,a\n", 1<<20))
	if want := `input 1, row 2: no quote closes "\"b\n1,a`; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "within 1 MiB") {
		t.Error(err)
	}
}

// TestLongRows: a heading and a first row of any length up to the longest are read, and tell columns and kinds.
func TestLongRows(t *testing.T) {
	long := strings.Repeat("x", 700<<10)
	quoted := `"` + strings.Repeat("x\n", 200<<10) + `"`
	for _, c := range []struct{ in, want string }{
		{"n," + long + "\n10,a\n9,b\n", "n," + long + "\n9,b\n10,a\n"},
		{"n,s\n10," + long + "\n9,b\n", "n,s\n9,b\n10," + long + "\n"},
		{"n;s\n10;" + quoted + "\n9;b\n", "n;s\n9;b\n10;" + quoted + "\n"},
		{"\ufeffn," + quoted + "\n10," + long, "\ufeffn," + quoted + "\n10," + long + "\n"},
	} {
		got, table, err := sorted(t, options(t, "n"), c.in)
		if err != nil || table.Columns[0].Kind != by.Number || got != c.want {
			t.Errorf("%.40q: %.40q, %v", c.in, got, err)
		}
		if _, _, err := sorted(t, options(t, "n"), c.in, c.in); err != nil {
			t.Errorf("%.40q twice: %v", c.in, err)
		}
	}
	o := options(t, "n")
	o.Most = run.SampleBytes
	if _, _, err := sorted(t, o, "n,"+long+"\n1,\n"); err == nil || !strings.Contains(err.Error(), "not whole within 256 KiB") {
		t.Errorf("%v", err)
	}
}

// TestDialect: what is guessed, and whether the first row is a heading.
func TestDialect(t *testing.T) {
	for _, c := range []struct {
		keys, in  string
		separator byte
		heading   int
		kinds     string
	}{
		{"1", "a,b\n1,2\n", ',', 1, "number"},
		{"1", "a,1\nb,2\n", ',', 0, "text"},
		{"1", "a,\nb,2\n", ',', 0, "text"},
		{"1", "a,a\nb,c\n", ',', 0, "text"},
		{"2", ",a,b\n0,1,2\n1,0,1\n", ',', 1, "number"},
		{"2", "a,a\n2,1\n,2\n", ',', 1, "number"},
		{"1", "a,2020,a\nb,1,2\n", ',', 0, "text"},
		{"2", "a,\nb,2026-01-31\n", ',', 0, "date"},
		{"3", ",when,when\nb,2026-01-31,x\n", ',', 1, "text"},
		{"1,2", "a;b\n1,5;x\n2,5;y\n", ';', 1, "text,text"},
		{"b", "a;b,c\n1;2,3\n", ';', 1, ""}, // is a;b or b,c the column?
		{"a", "a;x,b\n1;2,3\n1;2\n", ';', 1, "number"},
		{"a", "a;b,c\n1,5;2\n", ';', 1, "text"},
		{"t,f,e", "t\tf\te\n2026-01-01 10:00\ttrue\t\n2026-01-01\tfalse\t\n", '\t', 1, "time,bool,text"},
	} {
		table, err := Open(inputs(c.in), options(t, c.keys))
		if c.kinds == "" {
			if err == nil {
				t.Errorf("%q: no error", c.in)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var kinds []string
		for _, k := range table.Columns {
			kinds = append(kinds, k.Kind.String())
		}
		if got := strings.Join(kinds, ","); table.Separator != c.separator || table.Heading != c.heading || got != c.kinds {
			t.Errorf("%q: %q, heading %d, %s", c.in, table.Separator, table.Heading, got)
		}
	}
}

// FuzzRows: parts of a text that end where Cut says have the rows of the whole.
func FuzzRows(f *testing.F) {
	f.Add("a,b\n\"c\nd\",e\r\n\"f\"\"g\",", uint(5))
	f.Fuzz(func(t *testing.T, text string, size uint) {
		ends, _, open := reference(text, ',')
		if open {
			return
		}
		format := &Format{separator: ',', newline: []byte("\n"), longest: 1 << 30}
		var got []uint32
		for at, to := 0, 0; at < len(text); {
			if to += int(size%64) + 1; to >= len(text) {
				for _, e := range format.Split([]byte(text[at:]), nil) {
					got = append(got, uint32(at)+e)
				}
				break
			}
			n, _ := format.Cut([]byte(text[at:to]))
			for _, e := range format.Split([]byte(text[at:at+n]), nil) {
				got = append(got, uint32(at)+e)
			}
			at += n
		}
		if !slices.Equal(got, ends) {
			t.Errorf("%q by %d: %v, want %v", text, size%64+1, got, ends)
		}
	})
}

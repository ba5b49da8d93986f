package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/key/linekey"
)

// orders are those of lines: with keys and without, in both directions.
func orders(t *testing.T) map[string]linekey.Spec {
	t.Helper()
	key := func(s string) []linekey.Key {
		k, err := linekey.ParseKey(s)
		if err != nil {
			t.Fatal(err)
		}
		return []linekey.Key{k}
	}
	var reverse linekey.Options
	reverse.Set('r')
	return map[string]linekey.Spec{
		"lines":         {Separator: -1},
		"lines -r":      {Separator: -1, Global: reverse},
		"lines -u":      {Separator: -1, Unique: true},
		"numbers":       {Separator: -1, Keys: key("1n")},
		"numbers -s":    {Separator: -1, Keys: key("1n"), Stable: true},
		"numbers -s -r": {Separator: -1, Keys: key("1nr"), Stable: true, Global: reverse},
		"numbers -u":    {Separator: -1, Keys: key("1n"), Unique: true},
		"second -r":     {Separator: -1, Keys: key("2,2r")},
	}
}

func optionsOf(s linekey.Spec) Options {
	l := linekey.Lines{Schema: s.Compile(), Delim: '\n'}
	return Options{Format: l, Tail: l.Tail(), Desc: l.Desc(), Unique: s.Unique, Workers: 3, block: 16 << 10}
}

// expected sorts lines by their keys with the standard library.
func expected(o Options, text string) string {
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1]
	key := func(line string) []byte {
		row := []byte(line[:len(line)-1])
		if e := o.Format.Encoder(); e != nil {
			key, _ := e(nil, row)
			if o.Tail {
				key = append(key, row...)
			}
			return key
		}
		return row
	}
	keys := map[string][]byte{}
	for _, line := range lines {
		keys[line] = key(line)
	}
	compare := func(a, b string) int {
		c := bytes.Compare(keys[a], keys[b])
		if o.Desc {
			c = -c
		}
		return c
	}
	slices.SortStableFunc(lines, compare)
	if o.Unique {
		lines = slices.CompactFunc(lines, func(a, b string) bool { return compare(a, b) == 0 })
	}
	return strings.Join(lines, "")
}

func input(text string) Input {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// someLines is text of n lines, many of which tie.
func someLines(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%d %c%s\n", r.IntN(n/4+1), 'a'+r.IntN(4), strings.Repeat("x", r.IntN(12)*r.IntN(12)))
	}
	return b.String()
}

// TestSort sorts in memory, in runs, and in runs that are merged in several passes.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := someLines(r, 10000)
	take := soak.Share(t, 2, 1)
	for name, spec := range orders(t) {
		for _, c := range []struct {
			room  uint64
			fanIn int
		}{{}, {1 << 19, 0}, {1 << 17, 2}, {1 << 17, 3}, {1 << 16, 0}} {
			if !take() {
				continue
			}
			o := optionsOf(spec)
			o.room, o.FanIn, o.Temp = c.room, c.fanIn, []string{t.TempDir(), t.TempDir()}
			if o.Unique {
				o.room /= 4 // many of the rows take none: how many, goroutines settle
			}
			var out bytes.Buffer
			st, err := Sort(t.Context(), o, []Input{input(text[:1000]), input(""), input(text[1000:])}, -1, &out)
			want := text[:1000] + "\n" + text[1000:]
			if text[999] == '\n' {
				want = text
			}
			if want := expected(o, want); err != nil || out.String() != want {
				t.Errorf("%s in %+v: %v; %d bytes, want %d", name, c, err, out.Len(), len(want))
			}
			lines := int64(strings.Count(out.String(), "\n"))
			if st.Rows != int64(strings.Count(want, "\n")) || st.RowsOut != lines || st.Bytes != int64(len(text)) {
				t.Errorf("%s in %+v: %+v", name, c, st)
			}
			passes := map[int]int{0: 1, 2: 3, 3: 2}[c.fanIn]
			if o.Unique { // as many as the runs need, of which goroutines settle how many there are
				passes = 1
				for n := st.Runs; c.fanIn > 0 && n > c.fanIn; n = (n + c.fanIn - 1) / c.fanIn {
					passes++
				}
			}
			if (c.room > 0) != (st.Runs > 1) || c.room > 0 && (st.Passes < passes || st.Spilled < int64(out.Len())) {
				t.Errorf("%s in %+v: %+v", name, c, st)
			}
			if most := int64(len(text)) * int64(st.Passes) * 105 / 100; st.Spilled > most {
				t.Errorf("%s in %+v: %d bytes in temporary files, %d at most", name, c, st.Spilled, most)
			}
			for _, dir := range o.Temp {
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("left over: %v", left)
				}
			}
		}
	}
}

// TestMerge merges sorted inputs at once and in passes.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	take := soak.Share(t, 2, 1)
	for name, spec := range orders(t) {
		for _, fanIn := range []int{0, 2, 3} {
			if !take() {
				continue
			}
			o := optionsOf(spec)
			o.FanIn, o.Temp = fanIn, []string{t.TempDir()}
			var all string
			var inputs [][]Input
			for n := range 8 {
				part := someLines(r, n*n*n*10)
				all += part
				inputs = append(inputs, []Input{input(expected(o, part))})
			}
			var out bytes.Buffer
			st, err := Merge(t.Context(), o, inputs, &out)
			if err != nil || out.String() != expected(o, all) {
				t.Errorf("%s by %d: %v", name, fanIn, err)
			}
			if (st.Passes > 1) != (fanIn > 0) {
				t.Errorf("%s by %d: %d passes", name, fanIn, st.Passes)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, spec := range orders(t) {
		o := optionsOf(spec)
		text := expected(o, someLines(r, 30000))
		if n, row, err := Check(t.Context(), o, input(text)); n != 0 || err != nil {
			t.Errorf("%s: row %d %q: %v", name, n, row, err)
		}
		lines := strings.SplitAfter(text, "\n")
		at := len(lines) - 100
		lines[at], lines[at-20] = lines[at-20], lines[at]
		n, row, err := Check(t.Context(), o, input(strings.Join(lines, "")))
		if err != nil || n < int64(at-20) || n > int64(at+2) || string(row) != lines[n-1] {
			t.Errorf("%s: row %d %q: %v; %d and %d were exchanged", name, n, row, err, at-19, at+1)
		}
		twice := lines[0] + lines[0]
		if n, _, _ := Check(t.Context(), o, input(twice)); (n == 2) != o.Unique {
			t.Errorf("%s: two equal rows: %d", name, n)
		}
	}
}

// TestFailures: whatever fails ends the sort with its error, and leaves nothing.
func TestFailures(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(7, 8)), 50000)
	broken := errors.New("broken")
	good := func(t *testing.T) Options {
		o := optionsOf(orders(t)["numbers"])
		o.room, o.Temp = 1<<18, []string{t.TempDir()}
		return o
	}
	t.Run("write", func(t *testing.T) {
		for _, room := range []uint64{0, 1 << 18} {
			o := good(t)
			o.room = room
			if _, err := Sort(t.Context(), o, []Input{input(text)}, -1, failing{broken}); err != broken {
				t.Error(err)
			}
		}
	})
	t.Run("read", func(t *testing.T) {
		in := func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(text), failing{broken})), nil
		}
		if _, err := Sort(t.Context(), good(t), []Input{in}, -1, io.Discard); err != broken {
			t.Error(err)
		}
		if _, err := Merge(t.Context(), good(t), [][]Input{{input(text)}, {input(""), in}}, io.Discard); err != broken {
			t.Error(err)
		}
		none := func() (io.ReadCloser, error) { return nil, broken }
		if _, err := Sort(t.Context(), good(t), []Input{input(text), none}, -1, io.Discard); err != broken {
			t.Error(err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		o := good(t)
		o.Temp = []string{filepath.Join(t.TempDir(), "gone")}
		if _, err := Sort(t.Context(), o, []Input{input(text)}, -1, io.Discard); err == nil || !strings.Contains(err.Error(), "no temporary file can be made in "+o.Temp[0]) {
			t.Error(err)
		}
	})
	t.Run("filter", func(t *testing.T) {
		if _, err := exec.LookPath("gzip"); err != nil {
			absent.Skip(t, "gzip", "%v", err)
		}
		for program, want := range map[string]string{"gzip": "", "false": "false (--compress-program): exit status 1", "no-such-program": "no-such-program (--compress-program): "} {
			o := good(t)
			o.Filter, o.FanIn = program, 4
			var out bytes.Buffer
			_, err := Sort(t.Context(), o, []Input{input(text)}, -1, &out)
			if want == "" && (err != nil || out.String() != expected(o, text)) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v", program, err)
			}
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in := func() (io.ReadCloser, error) { cancel(); return io.NopCloser(strings.NewReader(text)), nil }
		if _, err := Sort(ctx, good(t), []Input{in}, -1, io.Discard); err != context.Canceled {
			t.Error(err)
		}
	})
	t.Run("disk", func(t *testing.T) {
		o := good(t).complete()
		for name, harm := range map[string]func(*spill){
			"a byte":   func(s *spill) { s.f.WriteAt([]byte{1}, s.bytes/2) },
			"a length": func(s *spill) { s.f.WriteAt([]byte{0xff, 0xff, 0xff, 0xff}, 0) },
			"the end":  func(s *spill) { s.f.Truncate(s.bytes - 1) },
			"all":      func(s *spill) { s.f.Truncate(0) },
		} {
			f, err := newFormer(t.Context(), o, -1)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.form([]Input{input(text)}); err != nil || len(f.runs) < 3 {
				t.Fatal(err, len(f.runs))
			}
			harm(f.runs[1])
			if err := f.merge(io.Discard); err == nil || !strings.Contains(err.Error(), "reading a temporary file in "+o.Temp[0]) {
				t.Errorf("%s: %v", name, err)
			}
			f.close()
		}
	})
}

// failing fails to read and write.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Read([]byte) (int, error)  { return 0, f.err }

// strict is lines among which one may be wrong: "wrong" as a key, "open" wherever it is cut.
type strict struct{ linekey.Lines }

var errWrong = errors.New("wrong row")

func (s strict) Cut(b []byte) (int, error) {
	n, _ := s.Lines.Cut(b)
	if i := bytes.Index(b[:n], []byte("\nopen")); i >= 0 {
		n = i + 1
	}
	if bytes.HasPrefix(b, []byte("open")) {
		return 0, errWrong
	}
	return n, nil
}

func (s strict) End(b []byte) (more []byte, row int64, err error) {
	if i := bytes.Index(b, []byte("open")); i >= 0 {
		return nil, int64(bytes.Count(b[:i], []byte("\n"))), errWrong
	}
	return s.Lines.End(b)
}

func (s strict) Encoder() func(dst, row []byte) ([]byte, error) {
	return func(dst, row []byte) ([]byte, error) {
		if string(row) == "wrong" {
			return dst, errWrong
		}
		return append(dst, row...), nil
	}
}

// TestWrongRows: an error says which row of which input it is about, wherever blocks end.
func TestWrongRows(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%07d\n", i) }
	var first, other strings.Builder
	for i := range 10000 {
		first.WriteString(row(i))
	}
	for _, word := range []string{"wrong", "open"} {
		for _, at := range []int{1, 2, 8000, 40000} {
			other.Reset()
			for i := 1; i <= 40000; i++ {
				if i == at {
					other.WriteString(word + "\n")
				} else {
					other.WriteString(row(i))
				}
			}
			o := optionsOf(linekey.Spec{Separator: -1})
			o.Format = strict{o.Format.(linekey.Lines)}
			inputs := []Input{input(first.String()), input(""), input(other.String()), input("open")}
			said := fmt.Sprintf("input 3, row %d: wrong row", at)
			if _, err := Sort(t.Context(), o, inputs, -1, io.Discard); err == nil || err.Error() != said || !errors.Is(err, errWrong) {
				t.Errorf("sort, %s: %v, want %s", word, err, said)
			}
			for want, sources := range map[string][][]Input{said: {inputs[:1], inputs[1:3]}, strings.Replace(said, "3", "4", 1): {inputs[1:2], inputs[:3]}} {
				if _, err := Merge(t.Context(), o, sources, io.Discard); err == nil || err.Error() != want {
					t.Errorf("merge, %s: %v, want %s", word, err, want)
				}
			}
			said = fmt.Sprintf("input 1, row %d: wrong row", at)
			if _, _, err := Check(t.Context(), o, inputs[2]); err == nil || err.Error() != said {
				t.Errorf("check, %s: %v, want %s", word, err, said)
			}
		}
	}
}

// TestPeek: an input whose beginning was read is whole, and one without bytes is closed.
func TestPeek(t *testing.T) {
	for _, text := range []string{"", "a", "abcd", "abcdef"} {
		open := 0
		in := func() (io.ReadCloser, error) {
			open++
			return struct {
				io.Reader
				io.Closer
			}{strings.NewReader(text), closing(func() { open-- })}, nil
		}
		head, again, err := Peek(in, 4)
		if err != nil || string(head) != text[:min(4, len(text))] || open != min(1, len(text)) {
			t.Fatalf("%q: %q, %v, %d are open", text, head, err, open)
		}
		r, err := again()
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(r)
		if r.Close(); err != nil || string(all) != text || open != 0 {
			t.Errorf("%q: %q, %v, %d are open", text, all, err, open)
		}
	}
}

// closing is called when something is closed.
type closing func()

func (c closing) Close() error {
	c()
	return nil
}

// TestRuns: the estimate is that of a sort, about.
func TestRuns(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(9, 10)), 10000)
	for _, name := range []string{"lines", "numbers"} {
		o := optionsOf(orders(t)[name])
		if n := o.Runs(int64(len(text)), []byte(text)); n != 1 {
			t.Errorf("%s: %d runs", name, n)
		}
		if n := o.Runs(1<<40, nil); n != 1 {
			t.Errorf("%s without a sample: %d runs", name, n)
		}
		o.Temp = []string{t.TempDir()}
		var inputs []Input
		for range 80 {
			inputs = append(inputs, input(text))
		}
		st, err := Sort(t.Context(), o, inputs, -1, io.Discard)
		if n := o.Runs(80*int64(len(text)), []byte(text)); err != nil || st.Runs < 2 || n < int64(st.Runs)-1 || n > int64(st.Runs)+1 {
			t.Errorf("%s: %d runs, estimated %d, %v", name, st.Runs, n, err)
		}
	}
}

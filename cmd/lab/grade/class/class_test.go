package class

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// source is a C function that is no template's.
const source = `int partition(int *x, int lo, int hi) {
  int pivot = x[(lo + hi) / 2], i = lo - 1, j = hi + 1;
  for (;;) {
    do { i++; } while (x[i] < pivot);
    do { j--; } while (x[j] > pivot);
    if (i >= j) return j;
    int t = x[i]; x[i] = x[j]; x[j] = t;
  }
}
void sort(int *x, int lo, int hi) {
  while (lo < hi) {
    int p = partition(x, lo, hi);
    if (p - lo < hi - p) { sort(x, lo, p); lo = p + 1; } else { sort(x, p + 1, hi); hi = p; }
  }
}
`

const other = `void merge(int *a, int *b, int n, int m, int *to) {
  while (n && m) { if (*b < *a) { *to++ = *b++; m--; } else { *to++ = *a++; n--; } }
  for (; n; n--) *to++ = *a++;
  for (; m; m--) *to++ = *b++;
}
void halves(int *x, int n, int *room) {
  if (n < 2) return;
  halves(x, n / 2, room); halves(x + n / 2, n - n / 2, room);
  merge(x, x + n / 2, n / 2, n - n / 2, room);
  for (int i = 0; i < n; i++) x[i] = room[i];
}
`

func TestAlike(t *testing.T) {
	template, err := grade.Template(grade.CL)
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.NewReplacer("pivot", "middle", "partition", "cut", "lo", "first", "hi", "last", "  ", "\t", "x", "keys", "for (;;)", "for (;;) /* for ever */").Replace(source)
	got := alike(map[string]string{
		"ann.cl": source, "bob.cl": other + renamed, "cid.cl": other, "dot.cl": template, "eve.cl": template + "\n", "lib.so": "\x7fELF\x00" + source,
	})
	var pairs []string
	for _, p := range got {
		pairs = append(pairs, p.A+" "+p.B)
	}
	if want := []string{"bob.cl cid.cl", "ann.cl bob.cl"}; !reflect.DeepEqual(pairs, want) {
		t.Errorf("%+v, want %v", got, want)
	}
	for _, p := range got {
		if p.Share < 0.6 || p.Share > 1 {
			t.Errorf("%+v", p)
		}
	}
}

// TestAlikeHidden: what compilers read as the same source is alike, however it is written.
func TestAlikeHidden(t *testing.T) {
	const open = "#if 0\nit's \" closed by nobody\n#endif\n"
	for name, copied := range map[string]string{
		"a byte that is no character": "// \xff\n" + source,
		"quotes in skipped lines":     open + source + open,
		"foreign letters":             strings.NewReplacer("while", "while", "pivot", "pivöt", "lo", "ло", "hi", "h\\u00ed").Replace(source),
		"broken lines":                strings.NewReplacer("pivot", "piv\\\not", "while", "wh\\ \nile", "return", "re\\\r\nturn").Replace(source),
		"other brackets":              strings.NewReplacer("[", "<:", "]", ":>", "{", "<%", "}", "??>").Replace(source),
	} {
		got := alike(map[string]string{"ann.cl": source, "bob.cl": copied, "cid.cl": other})
		if len(got) != 1 || got[0].A != "ann.cl" || got[0].B != "bob.cl" || got[0].Share < 0.9 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestWordsOfTwoSpellings: a word is the same word with underscores around it and without.
func TestWordsOfTwoSpellings(t *testing.T) {
	const long = "__kernel void f(__global uint *x, __local uint *y) { y[0] = x[0]; barrier(1); x[1] = y[0] + 2; }"
	if a, b := prints(long), prints(strings.ReplaceAll(long, "__", "")); len(a) < 2 || !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

// TestAlikeGraded: what is compared is what was graded, however long, whatever became of the file.
func TestAlikeGraded(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "ann.cl"), filepath.Join(dir, "bob.cl")}
	for _, p := range paths {
		if err := os.WriteFile(p, []byte("int another;"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := source + "/*" + strings.Repeat("x", 300<<10) + "*/"
	g := func(context.Context, string) (grade.Report, error) { return grade.Report{Source: long}, nil }
	c, err := Run(t.Context(), paths, g, func(Row) error { return nil })
	if err != nil || len(c.Alike) != 1 || c.Alike[0].Share != 1 {
		t.Errorf("%v, %+v", err, c.Alike)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"s/ann.cl", "s/bob.cl"}, []string{"ann.cl", "bob.cl"}},
		{[]string{"s/ann/sort.cl", "s/bob/sort.cl"}, []string{"ann/sort.cl", "bob/sort.cl"}},
		{[]string{"./a.cl"}, []string{"a.cl"}},
		{[]string{"/x/y/a.cl", "/x/b.cl"}, []string{"y/a.cl", "b.cl"}},
	} {
		if got := shorten(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
	if a, b := fileName("a/b.cl"), fileName("a_b.cl"); a == b || strings.ContainsAny(a, "/.") && !strings.Contains(a, "b.cl") {
		t.Errorf("%q and %q", a, b)
	}
	if n := fileName("../../etc/passwd"); strings.Contains(n, "/") || strings.Contains(n, "..") {
		t.Errorf("%q", n)
	}
}

// TestLinks: a link is nobody's own work.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "ann"), 0o700); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "ann", "sort.cl")
	if err := os.WriteFile(own, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("ann", filepath.Join(dir, "bob")), os.Symlink(own, filepath.Join(dir, "cid.cl"))); err != nil {
		absent.Skip(t, "symlinks", "%v", err)
	}
	all := func(context.Context, string) (grade.Report, error) { return grade.Report{Score: 1, Max: 1}, nil }
	c, err := Run(t.Context(), []string{own, filepath.Join(dir, "bob", "sort.cl"), filepath.Join(dir, "cid.cl")}, all, func(Row) error { return nil })
	if err != nil || c.Rows[0].Name != "ann/sort.cl" || c.Rows[0].Err != "" || !strings.Contains(c.Rows[1].Err, "is a link") || !strings.Contains(c.Rows[2].Err, "is a link") {
		t.Errorf("%v, %+v", err, c.Rows)
	}
}

// TestRun: one that cannot be graded does not stop the others, and what would
// not repeat is graded again.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"=cmd.cl", "bad.cl", "good.cl", "shaky.cl", "tie.cl"} {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	tries := map[string]int{}
	g := func(_ context.Context, path string) (grade.Report, error) {
		name := filepath.Base(path)
		tries[name]++
		r := grade.Report{Title: "Lab", Submission: name, Source: source, Max: 10, Items: []grade.Item{{Name: "sorts", Points: 4, Max: 5}, {Name: "speed", Max: 5}}}
		switch name {
		case "bad.cl":
			return r, errors.New("no device")
		case "good.cl", "tie.cl":
			r.Score = 10
		case "shaky.cl":
			r.Unstable, r.Items[1].Noise, r.Score = true, 0.3, 5
			if tries[name] == 2 {
				r.Unstable, r.Items[1].Noise, r.Score = false, 0.01, 6
			}
		case "=cmd.cl":
			r.Refused = "no\npoints"
		}
		return r, nil
	}
	told := 0
	c, err := Run(t.Context(), paths, g, func(Row) error { told++; return nil })
	if err != nil || told != 5 {
		t.Fatalf("%v, told %d rows", err, told)
	}
	var order []string
	for _, r := range c.Rows {
		order = append(order, r.Name)
	}
	if want := []string{"good.cl", "tie.cl", "shaky.cl", "=cmd.cl", "bad.cl"}; !reflect.DeepEqual(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	if c.Rows[0].Rank != 1 || c.Rows[1].Rank != 1 || c.Rows[2].Rank != 3 || c.Rows[2].Reruns != 1 || c.Rows[2].Report.Score != 6 || c.Ungraded() != 1 {
		t.Errorf("%+v", c.Rows)
	}
	d := c.Distribution()
	if len(d) != 10 || d[9].Grades != 2 || d[6].Grades != 1 || d[0].Grades != 1 || d[9].To != 10 {
		t.Errorf("%+v", d)
	}
	var b bytes.Buffer
	if err := c.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 6 || lines[1][1] != "good.cl" || lines[4][1] != "'=cmd.cl" || lines[4][6] != "no points: no" ||
		lines[0][9] != "sorts" || lines[1][9] != "4" || !strings.HasPrefix(lines[5][6], "not graded: no device") {
		t.Errorf("%v, %q", err, lines)
	}
	if len(c.Alike) != 6 || c.Alike[0].Share != 1 {
		t.Errorf("%+v", c.Alike)
	}
}

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/rows"
)

// sortCase is inputs of a format, and the same sort by package rows alone.
type sortCase struct {
	name    string
	order   Order
	ext     string
	heading string
	row     func(r *rand.Rand, n int) string
	source  func(...io.Reader) rows.Source
	options []rows.Option
}

var sortCases = []sortCase{
	{"lines", Order{Header: -1}, ".txt", "", func(r *rand.Rand, n int) string { return fmt.Sprintf("%x line\n", r.Uint32()) }, rows.Lines, nil},
	{"keys of lines", Order{Header: -1, Keys: []string{"2,2n"}, Letters: "r", Stable: true}, ".log", "", func(r *rand.Rand, n int) string { return fmt.Sprintf("%d %d\n", n, r.IntN(300)) },
		rows.Lines, []rows.Option{rows.By("2,2n"), rows.With("r"), rows.Stable()}},
	{"csv", Order{Header: -1, By: "b:desc,a"}, ".csv", "a,b,n\n", func(r *rand.Rand, n int) string { return fmt.Sprintf("\"x\ny%d\",%d,%d\n", r.IntN(9), r.IntN(100), n) },
		rows.CSV, []rows.Option{rows.ByColumns("b:desc,a")}},
	{"jsonl", Order{Header: -1, By: "v.k"}, ".jsonl", "", func(r *rand.Rand, n int) string { return fmt.Sprintf("{\"n\":%d,\"v\":{\"k\":%d}}\n", n, r.IntN(500)) },
		rows.JSONLines, []rows.Option{rows.ByColumns("v.k")}},
	{"records", Order{Header: -1, Record: 20, Keys: []string{"0:4"}}, ".bin", "", func(r *rand.Rand, n int) string { return fmt.Sprintf("%04d%016d", r.IntN(1000), n) },
		rows.Records, []rows.Option{rows.RecordSize(20), rows.ByBytes("0:4")}},
	// One key has half of all rows.
	{"heavy", Order{Header: -1, Record: 20, Keys: []string{"0:4"}}, ".bin", "", func(r *rand.Rand, n int) string { return fmt.Sprintf("%04d%016d", max(500, r.IntN(1000)), n) },
		rows.Records, []rows.Option{rows.RecordSize(20), rows.ByBytes("0:4")}},
}

// put writes an object.
func put(t *testing.T, h *Host, url, text string) {
	t.Helper()
	l, err := h.stores.Locate(t.Context(), url)
	if err == nil {
		err = l.Put(t.Context(), l.Key, []byte(text), false)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// get reads an object.
func get(t *testing.T, h *Host, url string) []byte {
	t.Helper()
	l, err := h.stores.Locate(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	n, err := l.Size(t.Context(), l.Key)
	if err != nil {
		t.Fatal(err)
	}
	b, err := fetch(t.Context(), l, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// inputs writes files of n rows in all.
func (c sortCase) inputs(t *testing.T, h *Host, folder string, n int) (files []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 3 {
		var b strings.Builder
		b.WriteString(c.heading)
		for k := range n / 3 * (i + 1) / 2 {
			b.WriteString(c.row(r, i*n+k))
		}
		files = append(files, b.String())
		put(t, h, fmt.Sprintf("%sin/%d%s", folder, i, c.ext), b.String())
	}
	return files
}

// sorted is what one process writes.
func (c sortCase) sorted(t *testing.T, files []string) []byte {
	t.Helper()
	s, err := rows.New(c.options...)
	if err != nil {
		t.Fatal(err)
	}
	var readers []io.Reader
	for _, f := range files {
		readers = append(readers, strings.NewReader(f))
	}
	var b bytes.Buffer
	if _, err := s.Sort(t.Context(), c.source(readers...), rows.LinesTo(&b)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tasks runs all tasks below a folder, in a process each as it were, and returns the last error.
func tasks(ctx context.Context, host func() *Host, folder, ext string, o Order, of, ranges int) (*Output, error) {
	work, out := folder+"work/", folder+"out/"
	if _, err := host().Sample(ctx, SampleOptions{URLs: []string{folder + "in/*" + ext}, Order: o, Samples: 50_000}, work+"sample.json"); err != nil {
		return nil, err
	}
	if _, err := host().Cut(ctx, CutOptions{Samples: []string{work + "sample.json"}, Ranges: ranges}, work+"splitters.json"); err != nil {
		return nil, err
	}
	for i := range of {
		if _, _, _, err := host().Split(ctx, SplitOptions{work + "splitters.json", i, of}, work); err != nil {
			return nil, err
		}
	}
	for i := range ranges {
		if _, _, _, err := host().Merge(ctx, MergeOptions{work + "splitters.json", i, of}, work, out); err != nil {
			return nil, err
		}
	}
	m, _, err := host().Finish(ctx, MergeOptions{work + "splitters.json", 0, of}, work, out)
	return m, err
}

// joined is all objects of an output with one heading.
func (c sortCase) joined(t *testing.T, h *Host, folder string, m *Output) []byte {
	t.Helper()
	all := []byte(c.heading)
	for _, o := range m.Objects {
		b, ok := bytes.CutPrefix(get(t, h, folder+"out/"+o.Object), []byte(c.heading))
		if !ok {
			t.Errorf("%s has no heading", o.Object)
		}
		all = append(all, b...)
	}
	return all
}

func small() *Host { return &Host{Memory: 64 << 20, Workers: 2} }

// TestSort: for each format, the objects are what one process writes, in files and in a bucket.
func TestSort(t *testing.T) {
	for _, c := range sortCases {
		for _, folder := range []string{"file://" + t.TempDir() + "/", "mem://sort/" + c.name + "/"} {
			t.Run(c.name+" "+folder[:4], func(t *testing.T) {
				h := small()
				want := c.sorted(t, c.inputs(t, h, folder, 6000))
				m, err := tasks(t.Context(), small, folder, c.ext, c.order, 4, 5)
				if err != nil {
					t.Fatal(err)
				}
				if got := c.joined(t, h, folder, m); !bytes.Equal(got, want) {
					t.Fatalf("got %d bytes, want %d:\n%.300q\n%.300q", len(got), len(want), got, want)
				}
				c.balanced(t, m)
				v, err := h.Verify(t.Context(), folder+"out/manifest.json")
				if err != nil || v.Wrong != "" || v.Rows != m.Rows {
					t.Errorf("verified: %+v, %v", v, err)
				}
				last := m.Objects[4]
				damaged := get(t, h, folder+"out/"+last.Object)
				put(t, h, folder+"out/"+last.Object, string(append(damaged, "x\n"...)))
				if v, err := h.Verify(t.Context(), folder+"out/manifest.json"); err != nil || !strings.Contains(v.Wrong, "the manifest says") {
					t.Errorf("a longer object: %+v, %v", v, err)
				}
				damaged[last.Size-2] ^= 1
				put(t, h, folder+"out/"+last.Object, string(damaged[:last.Size]))
				if v, err := h.Verify(t.Context(), folder+"out/manifest.json"); err == nil && v.Wrong == "" {
					t.Error("a damaged object passes")
				}
				if _, err := h.Clean(t.Context(), folder+"work", folder+"out/"); err != nil {
					t.Fatal(err)
				}
				if _, all, err := h.stores.Find(t.Context(), folder+"work/"); err == nil {
					t.Errorf("clean leaves %v", all)
				}
				if _, all, err := h.stores.Find(t.Context(), folder+"out/"); err != nil || len(all) != 6 {
					t.Errorf("%v in the output, %v", all, err)
				}
			})
		}
	}
}

// balanced: no range is much larger than the mean.
func (c sortCase) balanced(t *testing.T, m *Output) {
	t.Helper()
	most := int64(0)
	for i, o := range m.Objects {
		most = max(most, o.Rows)
		if want := fmt.Sprintf("part-%05d%s", i, c.ext); o.Object != want || path.Ext(o.Object) != c.ext {
			t.Errorf("object %s, want %s", o.Object, want)
		}
	}
	if mean := float64(m.Rows) / float64(len(m.Objects)); float64(most) > 1.1*mean {
		t.Errorf("the largest range has %d rows, the mean is %.0f", most, mean)
	}
}

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gpusort/gpusort/cluster/internal/store"
)

var errFault = errors.New("the store does not answer")

// faulty is a store some of whose calls fail: reads and writes of data among them, and half of the
// puts and commits after they were done.
type faulty struct {
	store.Store
	fail func() bool
}

func (f *faulty) err() error {
	if f.fail() {
		return errFault
	}
	return nil
}

func (f *faulty) List(ctx context.Context, prefix string, g func(store.Object) error) error {
	return errors.Join(f.err(), f.Store.List(ctx, prefix, g))
}

func (f *faulty) Size(ctx context.Context, key string) (int64, error) {
	if err := f.err(); err != nil {
		return 0, err
	}
	return f.Store.Size(ctx, key)
}

func (f *faulty) Open(ctx context.Context, key string, at, n int64) (io.ReadCloser, error) {
	if err := f.err(); err != nil {
		return nil, err
	}
	r, err := f.Store.Open(ctx, key, at, n)
	return &faultyReader{r, f}, err
}

type faultyReader struct {
	io.ReadCloser
	f *faulty
}

func (r *faultyReader) Read(b []byte) (int, error) {
	if err := r.f.err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(b)
}

func (f *faulty) Create(ctx context.Context, key string, size int64, room uint64) (store.Writer, error) {
	if err := f.err(); err != nil {
		return nil, err
	}
	w, err := f.Store.Create(ctx, key, size, room)
	return &faultyWriter{w, f}, err
}

type faultyWriter struct {
	store.Writer
	f *faulty
}

func (w *faultyWriter) Write(b []byte) (int, error) {
	if err := w.f.err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(b)
}

func (w *faultyWriter) Commit() error {
	if err := w.f.err(); err != nil {
		w.Writer.Abort()
		return err
	}
	return errors.Join(w.Writer.Commit(), w.f.err())
}

func (f *faulty) Put(ctx context.Context, key string, data []byte, fresh bool) error {
	if err := f.err(); err != nil {
		return err
	}
	return errors.Join(f.Store.Put(ctx, key, data, fresh), f.err())
}

func (f *faulty) Delete(ctx context.Context, key string) error {
	return errors.Join(f.err(), f.Store.Delete(ctx, key))
}

// hostWith is a host whose stores' calls fail as fail says.
func hostWith(fail func() bool) *Host {
	h := small()
	h.stores.Wrap = func(s store.Store) store.Store { return &faulty{s, fail} }
	return h
}

// left are the names below a folder.
func left(t *testing.T, folder string) (names []string) {
	t.Helper()
	l, err := small().folder(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	err = l.List(t.Context(), l.Key, func(o store.Object) error {
		names = append(names, o.Key[len(l.Key):])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var faultCase = sortCases[4] // records

// runWith runs a whole sort on a host.
func runWith(ctx context.Context, h *Host, folder string) (*Output, error) {
	m, _, err := h.Run(ctx, RunOptions{
		SampleOptions: SampleOptions{URLs: []string{folder + "in/*" + faultCase.ext}, Order: faultCase.order, Samples: 1000}, Ranges: 3, Tasks: 3, Parallel: 2,
	}, folder+"out/")
	return m, err
}

// TestUnreliable: with a store that fails one call of twenty, the same bytes come out, and nothing
// is left behind.
func TestUnreliable(t *testing.T) {
	store.Fast()
	for i, folder := range []string{"file://" + t.TempDir() + "/", "mem://unreliable/"} {
		want := faultCase.sorted(t, faultCase.inputs(t, small(), folder, 900))
		r := rand.New(rand.NewPCG(uint64(i), 5))
		var n atomic.Int64
		var m *Output
		err := errFault
		for tries := 0; err != nil && tries < 20; tries++ { // as an engine would
			seed := r.Uint64()
			m, err = runWith(t.Context(), hostWith(func() bool {
				return rand.New(rand.NewPCG(seed, uint64(n.Add(1)))).IntN(20) == 0
			}), folder)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := faultCase.joined(t, small(), folder, m); !bytes.Equal(got, want) {
			t.Error(folder, "has other bytes")
		}
		if _, err := small().Clean(t.Context(), folder+"out/_work/", folder+"out/"); err != nil {
			t.Error(err)
		}
		if names := left(t, folder+"out/"); len(names) != 4 {
			t.Errorf("%s: %v is left", folder, names)
		}
	}
}

// TestEachCall: whichever call fails for good, the sort fails or goes on, and the next try ends with
// the same bytes.
func TestEachCall(t *testing.T) {
	store.Fast()
	folder := "mem://eachcall/"
	want := faultCase.sorted(t, faultCase.inputs(t, small(), folder, 90))
	step := 1
	if testing.Short() {
		step = 7
	}
	failed := 0
	for k := int64(1); ; k += int64(step) {
		var n atomic.Int64
		_, err := runWith(t.Context(), hostWith(func() bool { return n.Add(1) >= k }), folder)
		if err == nil && n.Load() < k {
			break
		}
		if err != nil {
			failed++
			if !strings.Contains(err.Error(), errFault.Error()) {
				t.Errorf("call %d: %v", k, err)
			}
		}
		m, err := runWith(t.Context(), small(), folder)
		if err != nil {
			t.Fatalf("after call %d: %v", k, err)
		}
		if got := faultCase.joined(t, small(), folder, m); !bytes.Equal(got, want) {
			t.Fatalf("after call %d: other bytes", k)
		}
		if names := left(t, folder+"out/"); len(names) != 4 {
			t.Fatalf("after call %d: %v is left", k, names)
		}
		h := small()
		for _, name := range left(t, folder+"out/") {
			l, _ := h.folder(t.Context(), folder+"out/")
			l.Delete(t.Context(), l.Key+name)
		}
	}
	if failed < 5 {
		t.Errorf("only %d calls made it fail", failed)
	}
}

// TestTwice: tasks that run twice, one after the other or at once, change nothing.
func TestTwice(t *testing.T) {
	folder := "file://" + t.TempDir() + "/"
	want := faultCase.sorted(t, faultCase.inputs(t, small(), folder, 900))
	work, out := folder+"work/", folder+"out/"
	at := work + "splitters.json"
	if _, err := tasks(t.Context(), small, folder, faultCase.ext, faultCase.order, 3, 3); err != nil {
		t.Fatal(err)
	}
	before := left(t, work)
	err := each(t.Context(), 12, 12, func(ctx context.Context, i int) error {
		if _, _, done, err := small().Split(ctx, SplitOptions{at, i % 3, 3}, work); err != nil || !done {
			return fmt.Errorf("split: %v, %w", done, err)
		}
		_, _, _, err := small().Merge(ctx, MergeOptions{at, i % 3, 3}, work, out)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := left(t, work); len(after) != len(before) {
		t.Errorf("%v is left, and before %v", after, before)
	}
	l, _ := small().folder(t.Context(), work)
	for i := range 3 {
		l.Delete(t.Context(), l.Key+splitName(i))
	}
	// At once, each writes a run; one of them counts.
	if err := each(t.Context(), 9, 9, func(ctx context.Context, i int) error {
		_, _, _, err := small().Split(ctx, SplitOptions{at, i % 3, 3}, work)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	m, _, err := small().Finish(t.Context(), MergeOptions{at, 0, 3}, work, out)
	if err != nil {
		t.Fatal(err)
	}
	if got := faultCase.joined(t, small(), folder, m); !bytes.Equal(got, want) {
		t.Error("other bytes")
	}
	if names := left(t, work); len(names) != len(before)+3 { // the runs whose manifests went
		t.Errorf("%v is left", names)
	}
}

// TestBadInput: one clear message for each.
func TestBadInput(t *testing.T) {
	folder := "mem://bad/"
	h := small()
	put(t, h, folder+"in/a.csv", "a,b\n1,2\n")
	put(t, h, folder+"in/b.csv", "a,c\n1,2\n")
	put(t, h, folder+"rec/a.bin", "12345")
	put(t, h, folder+"gz/a.csv.gz", "x")
	whole := gzipped(t, "a\n"+strings.Repeat("1\n", 1<<20))
	put(t, h, folder+"cut/a.csv.gz", whole[:len(whole)-9])
	put(t, h, folder+"wrong/a.csv.gz", whole[:len(whole)-8]+"checksum")
	put(t, h, folder+"tables/a.parquet.gz", "x")
	put(t, h, folder+"zip/a.csv.zip", "x")
	put(t, h, folder+"short/a.bin.gz", gzipped(t, "12345"))
	put(t, h, folder+"pq/a.parquet", string(parquetOf(t, []pair{{1, 2}}, 1, "k")))
	put(t, h, folder+"pq/b.parquet", string(parquetOf(t, []pair{{1, 2}}, 1, "q")))
	put(t, h, folder+"no/a.parquet", "no Parquet at all")
	for _, c := range []struct {
		url   string
		order Order
		want  string
	}{
		{"none/*.csv", Order{By: "a"}, "none/*.csv: no object has such a name"},
		{"in/none.csv", Order{By: "a"}, "in/none.csv: file does not exist"},
		{"in/*.csv", Order{By: "a", Header: -1}, `b.csv: it begins with "a,c", and the first input with "a,b"`},
		{"in/a.csv", Order{By: "z", Header: -1}, `there is no column "z": there are a, b`},
		{"in/a.csv", Order{Format: "csv"}, "say by --by"},
		{"in/a.csv", Order{Keys: []string{"x"}}, `key "x"`},
		{"rec/*", Order{Record: 4}, "a.bin has 5 bytes, no multiple of the record's 4"},
		{"gz/*", Order{By: "a"}, "gz/a.csv.gz: its name says that it is compressed, and it begins like no data of gzip"},
		{"cut/*", Order{By: "a", Header: -1}, "cut/a.csv.gz: the gzip data end too early: the file is cut off"},
		{"wrong/*", Order{By: "a", Header: -1}, "wrong/a.csv.gz: the gzip data are damaged"},
		{"tables/*", Order{By: "k"}, "a.parquet.gz is compressed as a whole: unpack it first"},
		{"zip/*", Order{By: "a"}, "a.csv.zip is an archive: unpack it first"},
		{"short/*", Order{Record: 4}, "short/a.bin.gz has 5 bytes, no multiple of the record's 4"},
		{"pq/*", Order{By: "k"}, "a.parquet and mem://bad/pq/b.parquet cannot be sorted together: column 1 of the first is k, and of the second q"},
		{"no/*", Order{By: "k"}, "this is no Parquet file"},
		{"in/[*.csv", Order{By: "a"}, "is a [ without its ]"},
	} {
		_, _, err := h.Run(t.Context(), RunOptions{SampleOptions: SampleOptions{URLs: []string{folder + c.url}, Order: c.order}, Ranges: 2, Tasks: 2}, folder+"out/")
		if err == nil || !strings.Contains(err.Error(), c.want) || !Final(err) {
			t.Errorf("%s: %v (final: %v), want %s", c.url, err, Final(err), c.want)
			continue
		}
		if strings.Count(err.Error(), "\n") > 0 || strings.Count(err.Error(), folder) > 1 && strings.Contains(c.want, ".gz") {
			t.Errorf("more than one message: %v", err)
		}
		if _, all, err := h.stores.Find(t.Context(), folder+"out/*"); err == nil {
			t.Errorf("%s: %v is left", c.url, all)
		}
		small().Clean(t.Context(), folder+"out/_work/", folder+"out/")
	}
	if _, err := h.stores.Locate(t.Context(), "ftp://x/y"); err == nil || !strings.Contains(err.Error(), "s3://, gs://, azblob:// and file://") {
		t.Error(err)
	}
}

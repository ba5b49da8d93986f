package cluster

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// pair is a row of a table: its key and its number.
type pair struct{ k, n int64 }

// parquetOf is a Parquet file of pairs in row groups of some rows.
func parquetOf(t *testing.T, pairs []pair, group int, name string) []byte {
	t.Helper()
	var fields schema.FieldList
	for _, n := range []string{name, "n"} {
		fields = append(fields, schema.NewInt64Node(n, parquet.Repetitions.Required, -1))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDictionaryDefault(false))))
	for some := range slices.Chunk(pairs, group) {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, get := range []func(pair) int64{func(p pair) int64 { return p.k }, func(p pair) int64 { return p.n }} {
			c, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			var values []int64
			for _, p := range some {
				values = append(values, get(p))
			}
			c.(*file.Int64ColumnChunkWriter).WriteBatch(values, nil, nil)
			c.Close()
		}
		g.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fromParquet reads the pairs of a file.
func fromParquet(t *testing.T, b []byte) (pairs []pair) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for g := range r.NumRowGroups() {
		rg := r.RowGroup(g)
		var values [2][]int64
		for i := range values {
			c, err := rg.Column(i)
			if err != nil {
				t.Fatal(err)
			}
			values[i] = make([]int64, rg.NumRows())
			if _, n, err := c.(*file.Int64ColumnChunkReader).ReadBatch(rg.NumRows(), values[i], nil, nil); err != nil || n != int(rg.NumRows()) {
				t.Fatal(n, err)
			}
		}
		for i := range values[0] {
			pairs = append(pairs, pair{values[0][i], values[1][i]})
		}
	}
	return pairs
}

var arrowSchema = arrow.NewSchema([]arrow.Field{
	{Name: "k", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int64},
}, nil)

// arrowOf is an Arrow file of pairs, whose keys are in a dictionary.
func arrowOf(t *testing.T, pairs []pair, group int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(arrowSchema))
	if err != nil {
		t.Fatal(err)
	}
	words := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 100 {
		words.Append(fmt.Sprintf("%02d", i))
	}
	dict := words.NewArray()
	for some := range slices.Chunk(pairs, group) {
		k, n := array.NewInt8Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
		for _, p := range some {
			k.Append(int8(p.k))
			n.Append(p.n)
		}
		codes := array.NewDictionaryArray(arrowSchema.Field(0).Type, k.NewArray(), dict)
		if err := w.Write(array.NewRecordBatch(arrowSchema, []arrow.Array{codes, n.NewArray()}, int64(len(some)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fromArrow reads the pairs of a file whose keys are in no dictionary.
func fromArrow(t *testing.T, b []byte) (pairs []pair) {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.NumRecords() {
		batch, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		k, n := batch.Column(0).(*array.String), batch.Column(1).(*array.Int64)
		for i := range k.Len() {
			var p pair
			fmt.Sscan(k.Value(i), &p.k)
			p.n = n.Value(i)
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// TestTables: Parquet and Arrow files come out in order, and rows that tie keep theirs.
func TestTables(t *testing.T) {
	for ext, c := range map[string]struct {
		write func([]pair) []byte
		read  func(*testing.T, []byte) []pair
	}{
		".parquet": {func(p []pair) []byte { return parquetOf(t, p, 700, "k") }, fromParquet},
		".arrow":   {func(p []pair) []byte { return arrowOf(t, p, 700) }, fromArrow},
	} {
		for _, folder := range []string{"file://" + t.TempDir() + "/", "mem://tables/" + ext + "/"} {
			t.Run(ext+" "+folder[:4], func(t *testing.T) {
				h, r := small(), rand.New(rand.NewPCG(3, 4))
				var all []pair
				for i := range 3 {
					var some []pair
					for range 1000 * (i + 1) {
						some = append(some, pair{int64(max(50, r.IntN(100))), int64(len(all) + len(some))})
					}
					all = append(all, some...)
					put(t, h, fmt.Sprintf("%sin/%d%s", folder, i, ext), string(c.write(some)))
				}
				m, err := tasks(t.Context(), small, folder, ext, Order{By: "k:desc", Header: -1}, 4, 5)
				if err != nil {
					t.Fatal(err)
				}
				var got []pair
				for _, o := range m.Objects {
					got = append(got, c.read(t, get(t, h, folder+"out/"+o.Object))...)
				}
				slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.k, a.k) })
				if !slices.Equal(got, all) {
					t.Errorf("%d rows in another order than %d of one stable sort", len(got), len(all))
				}
				sortCase{ext: ext}.balanced(t, m)
				v, err := h.Verify(t.Context(), folder+"out/manifest.json")
				if err != nil || v.Wrong != "" || v.Rows != m.Rows {
					t.Errorf("verified: %+v, %v", v, err)
				}
			})
		}
	}
}

// streamOf is an Arrow stream of pairs.
func streamOf(t *testing.T, pairs []pair) []byte {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(s))
	for some := range slices.Chunk(pairs, 300) {
		k, n := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
		for _, p := range some {
			k.Append(p.k)
			n.Append(p.n)
		}
		if err := w.Write(array.NewRecordBatch(s, []arrow.Array{k.NewArray(), n.NewArray()}, int64(len(some)))); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.Bytes()
}

// fromStream reads the pairs of a stream, and its third column if there is one.
func fromStream(t *testing.T, b []byte) (pairs []pair, third []int32) {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		batch := r.RecordBatch()
		k, n := batch.Column(0).(*array.Int64), batch.Column(1).(*array.Int64)
		for i := range k.Len() {
			pairs = append(pairs, pair{k.Value(i), n.Value(i)})
			if batch.NumCols() > 2 {
				third = append(third, batch.Column(2).(*array.Int32).Value(i))
			}
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return pairs, third
}

// TestStreams: partitions of a data frame get ranges, which sorted one after another are in order.
func TestStreams(t *testing.T) {
	h, r, ctx := small(), rand.New(rand.NewPCG(5, 6)), t.Context()
	o := Order{By: "k:desc"}
	var partitions [][]pair
	var all []pair
	var samples []string
	for p := range 3 {
		var some []pair
		for range 2000 {
			some = append(some, pair{int64(max(50, r.IntN(100))), int64(len(all) + len(some))})
		}
		partitions, all = append(partitions, some), append(all, some...)
		var b bytes.Buffer
		if err := h.StreamSample(ctx, o, p, 1500, bytes.NewReader(streamOf(t, some)), &b); err != nil {
			t.Fatal(err)
		}
		samples = append(samples, fmt.Sprintf("mem://streams/%d.json", p))
		put(t, h, samples[p], b.String())
	}
	const ranges = 4
	if _, err := h.Cut(ctx, CutOptions{Samples: samples, Ranges: ranges}, "mem://streams/splitters.json"); err != nil {
		t.Fatal(err)
	}
	of := make([][]pair, ranges)
	for p, some := range partitions {
		var b bytes.Buffer
		if err := h.StreamRange(ctx, o, "mem://streams/splitters.json", p, "range", bytes.NewReader(streamOf(t, some)), &b); err != nil {
			t.Fatal(err)
		}
		pairs, rng := fromStream(t, b.Bytes())
		if !slices.Equal(pairs, some) {
			t.Fatal("other rows come out")
		}
		for i, p := range pairs {
			of[rng[i]] = append(of[rng[i]], p)
		}
	}
	var got []pair
	for i, some := range of {
		if mean := len(all) / ranges; len(some)*10 > 11*mean {
			t.Errorf("range %d has %d rows, the mean is %d", i, len(some), mean)
		}
		var b bytes.Buffer
		if err := h.StreamSort(ctx, o, bytes.NewReader(streamOf(t, some)), &b); err != nil {
			t.Fatal(err)
		}
		pairs, _ := fromStream(t, b.Bytes())
		got = append(got, pairs...)
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.k, a.k) })
	if !slices.Equal(got, all) {
		t.Error("the rows are in another order")
	}
	var b bytes.Buffer
	if err := h.StreamSort(ctx, Order{By: "q"}, bytes.NewReader(streamOf(t, all)), &b); err == nil || !Final(err) {
		t.Errorf("a column that is not there: %v", err)
	}
	if err := h.StreamSort(ctx, o, bytes.NewReader([]byte("no stream")), &b); err == nil || !Final(err) {
		t.Errorf("no stream: %v", err)
	}
}

// TestEndedOpening: a task that is ended while it opens a table may be tried again.
func TestEndedOpening(t *testing.T) {
	b := parquetOf(t, []pair{{1, 2}}, 1, "k")
	put(t, small(), "mem://ended/a.parquet", string(b))
	p := Plan{Order: Order{Format: "parquet", By: "k"}, Files: []File{{URL: "mem://ended/a.parquet", Size: int64(len(b))}}}
	ctx, cancel := context.WithCancel(t.Context())
	h := hostWith(func() bool { cancel(); return true })
	if _, err := h.layout(ctx, p); err == nil || Final(err) {
		t.Errorf("%v (final: %v)", err, Final(err))
	}
}

// TestTails: of many tables not all ends are kept.
func TestTails(t *testing.T) {
	b := parquetOf(t, []pair{{1, 2}}, 1, "k")
	p := Plan{Order: Order{Format: "parquet", By: "k"}}
	for i := range mostTails + 5 {
		url := fmt.Sprintf("mem://tails/%d.parquet", i)
		put(t, small(), url, string(b))
		p.Files = append(p.Files, File{URL: url, Size: int64(len(b))})
	}
	l, err := small().layout(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Files {
		if all, _, err := l.sample(t.Context(), i, 0, 1); err != nil || len(all) != 1 {
			t.Fatalf("file %d: %v, %v", i, all, err)
		}
	}
	if n := len(l.(*tableLayout).tails); n > mostTails {
		t.Errorf("%d ends are kept", n)
	}
}

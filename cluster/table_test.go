package cluster

import (
	"bytes"
	"cmp"
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
		g := w.AppendRowGroup()
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

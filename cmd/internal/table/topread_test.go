package table

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// plain is a source that cannot tell which rows can be among the first.
type plain struct{ source }

// writeLists makes a file with a key, and lists of numbers, some of them empty.
func writeLists(t *testing.T, name string, rows, groupRows int) {
	t.Helper()
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{
		schema.NewInt32Node("list", parquet.Repetitions.Repeated, -1),
		schema.NewInt32Node("key", parquet.Repetitions.Required, -1),
	}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	r := rand.New(rand.NewPCG(9, uint64(rows)))
	for done := 0; done < rows; done += groupRows {
		rg, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		var keys, values []int32
		var defs, reps []int16
		for i := range min(groupRows, rows-done) {
			keys = append(keys, int32(r.IntN(1<<20)))
			n := r.IntN(4)
			for j := range max(n, 1) {
				defs, reps = append(defs, int16(min(n, 1))), append(reps, int16(min(j, 1)))
			}
			for range n {
				values = append(values, int32(done+i))
			}
		}
		c, err := rg.NextColumn()
		if err == nil {
			_, err = c.(*file.Int32ColumnChunkWriter).WriteBatch(values, defs, reps)
		}
		if err == nil {
			if c, err = rg.NextColumn(); err == nil {
				_, err = c.(*file.Int32ColumnChunkWriter).WriteBatch(keys, nil, nil)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// firstOf sorts files, and is the bytes of the output; if whole, all rows are read whole.
func firstOf(t *testing.T, names []string, keys []by.Key, r run.Options, whole bool) (string, run.Stats) {
	t.Helper()
	tab, err := Open(names)
	if err != nil {
		t.Fatal(err)
	}
	if whole {
		tab.source = plain{tab.source}
	}
	o := Options{By: keys}
	o.Options = r
	o.Budget, o.Workers = 256<<20, cmp.Or(r.Workers, 2)
	var out bytes.Buffer
	st, err := tab.Sort(context.Background(), o, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), st
}

// TestFirst: the first rows are the same, to the byte, whether only those that can be among
// them are read whole or all.
func TestFirst(t *testing.T) {
	dir := t.TempDir()
	a, b, lists := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet"), filepath.Join(dir, "lists.parquet")
	writeParquet(t, a, 20_000, 3000, 3)
	writeParquet(t, b, 9000, 2048, 1)
	writeLists(t, lists, 40_000, 20_000)
	take := soak.Share(t, 3, 1)
	for _, c := range []struct {
		keys  string
		files []string
	}{
		{"key", []string{a, b}}, {"key:desc", []string{b, a}}, {"text,key", []string{a}}, {"text:desc", []string{a, b}},
		{"row", []string{a}}, {"row:desc", []string{a}}, {"key", []string{lists}},
	} {
		for _, top := range []int64{1, 100, 2500, 40_000} {
			for _, desc := range []bool{false, true} {
				if !take() {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%t", c.keys, top, desc), func(t *testing.T) {
					keys, o := mustParse(t, c.keys, by.Key{}), run.Options{Top: top, Desc: desc}
					want, all := firstOf(t, c.files, keys, o, true)
					got, st := firstOf(t, c.files, keys, o, false)
					if got != want {
						t.Error("the files differ")
					}
					if st.Rows != all.Rows || st.RowsOut != all.RowsOut {
						t.Errorf("%d of %d rows, want %d of %d", st.RowsOut, st.Rows, all.RowsOut, all.Rows)
					}
				})
			}
		}
	}
}

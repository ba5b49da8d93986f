package table

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// manyTypes are the columns of writeMany, all but the last of which may be missing.
var manyTypes = []arrow.Field{
	{Name: "i32", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "u32", Type: arrow.PrimitiveTypes.Uint32, Nullable: true},
	{Name: "i64", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "u64", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	{Name: "f32", Type: arrow.PrimitiveTypes.Float32, Nullable: true}, {Name: "f64", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "bool", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, {Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "full", Type: arrow.PrimitiveTypes.Float64}, {Name: "row", Type: arrow.PrimitiveTypes.Int64},
}

// writeMany writes rows of all types, few of whose values differ. About every nulls-th is
// missing, about every nans-th float is NaN, and values rise with the rows' numbers if they
// are to. Files of 700 rows and of every tenth value missing have no statistics.
func writeMany(t *testing.T, name string, rows, groupRows, nulls, nans int, rise bool) {
	t.Helper()
	schema := arrow.NewSchema(manyTypes, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	r := rand.New(rand.NewPCG(uint64(rows), uint64(nulls)))
	for i := range rows {
		for c, f := range manyTypes {
			v := r.IntN(40) - 20
			if rise {
				v = i/16 - rows/32
			}
			if f.Nullable && r.IntN(nulls) == 0 {
				b.Field(c).AppendNull()
				continue
			}
			float := float64(v) / 2
			if r.IntN(nans) == 0 {
				float = math.Copysign(math.NaN(), float)
			} else if v == 0 && i%2 == 0 {
				float = math.Copysign(0, -1)
			}
			switch b := b.Field(c).(type) {
			case *array.Int32Builder:
				b.Append(int32(v))
			case *array.Uint32Builder:
				b.Append(uint32(v))
			case *array.Int64Builder:
				b.Append(int64(v) << 40)
			case *array.Uint64Builder:
				b.Append(uint64(v) << 40)
			case *array.Float32Builder:
				b.Append(float32(float))
			case *array.Float64Builder:
				b.Append(float)
			case *array.BooleanBuilder:
				b.Append(v > 0)
			case *array.StringBuilder:
				b.Append(fmt.Sprintf("%+04d", v)[:1+(v+rows)%4])
			}
		}
	}
	record := b.NewRecordBatch()
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{record})
	var out bytes.Buffer
	props := parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(int64(groupRows)), parquet.WithDataPageSize(1000), parquet.WithStats(rows%1000 == 0 && nulls != 10))
	if err := pqarrow.WriteTable(table, &out, int64(groupRows), props, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestNarrow: by keys of all types, with nulls and NaN in all places, the first rows are
// the same, whether only those that can be among them are read whole or all.
func TestNarrow(t *testing.T) {
	dir := t.TempDir()
	var files [][]string
	for i, f := range []struct {
		rows, groupRows, nulls, nans int
		rise                         bool
	}{{3000, 250, 10, 10, false}, {3000, 97, 1 << 30, 1 << 30, true}, {2000, 2000, 1 << 30, 300, true}, {3000, 100, 300, 300, true}, {700, 50, 1, 1, false}} {
		name := filepath.Join(dir, fmt.Sprint(i))
		writeMany(t, name, f.rows, f.groupRows, f.nulls, f.nans, f.rise)
		files = append(files, []string{name})
	}
	files = append(files, []string{files[3][0], files[1][0], files[4][0]}, []string{files[4][0], files[0][0]})
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"", ":desc", ":first", ":desc:first", ",i32", ":desc:first,text"}
	take := soak.Share(t, 3, 1)
	for range 150 {
		if !take() {
			continue
		}
		names, text := files[r.IntN(len(files))], manyTypes[r.IntN(len(manyTypes))].Name+words[r.IntN(len(words))]
		last, desc, top := r.IntN(2) == 0, r.IntN(3) == 0, []int64{1, 2, 70, 260}[r.IntN(4)]
		keys, o := mustParse(t, text, by.Key{NaNLast: last}), run.Options{Top: top, Desc: desc}
		got, _ := firstOf(t, names, keys, o, false)
		if want, _ := firstOf(t, names, keys, o, true); got != want {
			t.Errorf("%v by %s, NaN last %v, desc %v, top %d: the files differ", names, text, last, desc, top)
		}
	}
}

// TestNarrowTies: rows of a group that ties with a later one, which is read before as it has
// the first row, come before those that tie there.
func TestNarrowTies(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i64", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: arrow.BinaryTypes.String}, {Name: "row", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	const groupRows = 200
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 2 * groupRows {
		v := int64(5)
		if i == groupRows {
			v = 1
		}
		b.Field(0).(*array.Int64Builder).Append(v)
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(v))
		b.Field(2).(*array.Int64Builder).Append(int64(i))
	}
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{b.NewRecordBatch()})
	var file bytes.Buffer
	props := parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(groupRows))
	if err := pqarrow.WriteTable(table, &file, groupRows, props, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"i64", "text"} {
		keys, o := mustParse(t, text, by.Key{}), run.Options{Top: 3, Workers: 1}
		got, _ := firstOf(t, []string{name}, keys, o, false)
		if want, _ := firstOf(t, []string{name}, keys, o, true); got != want {
			t.Errorf("by %s: the files differ", text)
		}
	}
}

// TestNarrowSkips: row groups that have none of the first rows, as their statistics say, are
// not read.
func TestNarrowSkips(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	writeMany(t, name, 3000, 100, 1<<30, 1<<30, true)
	for keys, most := range map[string]int{"i64": 2, "i64:desc": 2, "i32,f32": 2, "text:desc": 12, "f64:desc": 2} {
		tab, err := Open([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		var read []int64
		p := tab.source.(*parquetTable)
		open := p.files[0].open
		p.files[0].open = func(name string, from, to int64) (Reader, error) {
			read = append(read, from)
			return open(name, from, to)
		}
		o := Options{By: mustParse(t, keys, by.Key{})}
		o.Options = run.Options{Top: 5, Budget: 256 << 20, Workers: 1}
		if _, err := tab.Sort(context.Background(), o, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(read)
		if n := len(slices.Compact(read)); n > most {
			t.Errorf("%s: %d row groups were read, want at most %d", keys, n, most)
		}
	}
}

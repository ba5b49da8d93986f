package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/key/by"
)

// writeColumn makes an Arrow file of column id, from first on, and a column v of JSON values.
func writeColumn(t *testing.T, name string, first int32, v arrow.Field, values string) {
	t.Helper()
	v.Name = "v"
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int32}, v}, nil)
	a, _, err := array.FromJSON(memory.DefaultAllocator, v.Type, strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	ids := array.NewInt32Builder(memory.DefaultAllocator)
	for i := range a.Len() {
		ids.Append(first + int32(i))
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err == nil {
		err = w.Write(array.NewRecordBatch(schema, []arrow.Array{ids.NewArray(), a}, int64(a.Len())))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestNullable: a column may have missing values in the output if it may in any input.
func TestNullable(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a.arrow"), filepath.Join(dir, "b.arrow"), filepath.Join(dir, "out")
	writeColumn(t, a, 0, arrow.Field{Type: arrow.PrimitiveTypes.Int64}, "[1, 2]")
	writeColumn(t, b, 2, arrow.Field{Type: arrow.PrimitiveTypes.Int64, Nullable: true}, "[3, null]")
	for _, names := range [][]string{{a, b}, {b, a}, {a, a}} {
		want := names[0] != names[1]
		if err := sortTo(t, out, "id", Options{}, names...); err != nil {
			t.Fatal(err)
		}
		tab, err := Open([]string{out})
		if err != nil {
			t.Fatal(err)
		}
		if f := tab.source.(*arrowTable).schema.Field(1); f.Nullable != want {
			t.Errorf("%v: %v", names, f)
		}
		// Parquet says of each value whether it may be missing.
		if err := sortTo(t, out, "id", Options{As: Parquet}, names...); err != nil {
			t.Errorf("%v: %v", names, err)
		}
	}
	// Processes that share a sort write the schema of the first file.
	keys := mustParse(t, "id", by.Key{})
	first, err := OpenBy(Arrow, a, keys, openFile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.With(b); err == nil || !strings.Contains(err.Error(), "column v may have missing values in the second alone") {
		t.Errorf("%v", err)
	}
	if first, err = OpenBy(Arrow, b, keys, openFile); err == nil {
		_, err = first.With(a)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestRefusedTypes: what a format cannot have is said with the column's name, before rows are read.
func TestRefusedTypes(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "in.arrow")
	for _, c := range []struct {
		typ    arrow.DataType
		values string
		as     Kind
		want   string
	}{
		{&arrow.Decimal128Type{Precision: 5, Scale: -2}, "[]", Parquet, "column v: decimals of precision 5 and scale -2 are written as Arrow or text only: name the output .arrow"},
		{&arrow.Decimal256Type{Precision: 5, Scale: 6}, "[]", Parquet, "column v: decimals of precision 5 and scale 6"},
		{&arrow.FixedSizeBinaryType{}, "[]", columns.CSV, "column v: columns of type fixed_size_binary[0] cannot be carried along"},
	} {
		writeColumn(t, name, 0, arrow.Field{Type: c.typ}, c.values)
		if err := sortTo(t, filepath.Join(dir, "out"), "id", Options{As: c.as}, name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.typ, err, c.want)
		}
	}
}

package table

import (
	"compress/gzip"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/run"
)

// TestText writes Parquet and Arrow files of all types as text, which DuckDB reads as the
// same values, and as Arrow, which pyarrow does.
func TestText(t *testing.T) {
	dir := t.TempDir()
	rows := "3000"
	if testing.Short() {
		rows = "400"
	}
	python(t, "text.py", "write", dir, rows)
	for _, in := range []string{"in.parquet", "old.parquet", "duck.parquet", "in.arrow"} {
		name := strings.TrimSuffix(in, filepath.Ext(in))
		if in == "in.arrow" {
			name = "arrow"
		}
		for _, ending := range []string{".csv", ".tsv", ".jsonl", ".feather"} {
			out := filepath.Join(dir, name+ending)
			if err := sortTo(t, out, "id:desc", Options{As: columns.ByOutput(out), Options: run.Options{Budget: 1}}, filepath.Join(dir, in)); err != nil {
				t.Errorf("%s to %s: %v", in, ending, err)
			}
		}
		if in == "in.arrow" {
			if err := sortTo(t, filepath.Join(dir, "arrow.parquet"), "id:desc", Options{As: Parquet, GroupRows: 150}, filepath.Join(dir, in)); err != nil {
				t.Error(err)
			}
			if err := sortTo(t, filepath.Join(dir, "none.parquet"), "id", Options{As: Parquet}, filepath.Join(dir, "none.arrow")); err != nil {
				t.Error(err)
			}
		}
		text, _ := os.ReadFile(filepath.Join(dir, name+".csv"))
		f, err := os.Create(filepath.Join(dir, name+".csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		z.Write(text)
		z.Close()
		f.Close()
	}
	if out := python(t, "text.py", "compare", dir); len(out) > 0 {
		t.Errorf("%s", out)
	}
}

// TestJSONNames: members are the columns in their order, though two have one name, and
// decimals have all their digits.
func TestJSONNames(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "z", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "a<", Type: &arrow.Decimal128Type{Precision: 9, Scale: 2}, Nullable: true}, {Name: "z", Type: arrow.BinaryTypes.String},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int32Builder).AppendValues([]int32{1, 2}, []bool{true, false})
	for _, n := range []int64{-1230, 0} {
		b.Field(1).(*array.Decimal128Builder).Append(decimal128.FromI64(n))
	}
	b.Field(2).(*array.StringBuilder).AppendValues([]string{"<&>", ""}, nil)
	batch := b.NewRecordBatch()
	defer batch.Release()
	var out strings.Builder
	w, err := newJSONWriter(&out, schema)
	if err == nil {
		err = w.Write(batch)
	}
	if err == nil {
		err = w.Close()
	}
	want := `{"z":1,"a<":"-12.30","z":"<&>"}` + "\n" + `{"z":null,"a<":"0.00","z":""}` + "\n"
	if err != nil || out.String() != want {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestDecimalText(t *testing.T) {
	for _, c := range []struct {
		n     int64
		scale int32
		want  string
	}{{0, 0, "0"}, {5, 3, "0.005"}, {-12345, 3, "-12.345"}, {-7, -2, "-700"}, {0, -2, "0"}, {100, 2, "1.00"}} {
		if got := decimalText(big.NewInt(c.n), &arrow.Decimal128Type{Precision: 20, Scale: c.scale}); got != c.want {
			t.Errorf("%d of scale %d: %s, want %s", c.n, c.scale, got, c.want)
		}
	}
}

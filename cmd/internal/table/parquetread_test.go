package table

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/gpusort/gpusort/internal/run"
)

// TestEmptyPages reads a file that pyarrow 26 wrote with a page of no values before each
// other one: three row groups of a row.
func TestEmptyPages(t *testing.T) {
	for _, top := range []int64{0, 1} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		if err := sortTo(t, out, "k", Options{Options: run.Options{Top: top}}, filepath.Join("testdata", "emptypages.parquet")); err != nil {
			t.Error(err)
		}
	}
}

// TestLargePages: a page may be longer than 64 MiB, and a damaged one claims no more than its column has.
func TestLargePages(t *testing.T) {
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{
		schema.NewByteArrayNode("text", parquet.Repetitions.Required, -1),
	}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDataPageSize(1<<30), parquet.WithDictionaryDefault(false), parquet.WithStats(false))))
	rg, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	c, err := rg.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("x"), 1<<20)
	for range 65 {
		if _, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch([]parquet.ByteArray{text}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "in.parquet")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := sortTo(t, name+".out", "text", Options{}, name); err != nil {
		t.Fatal(err)
	}
	p, err := openParquet(name, openFile)
	if err != nil {
		t.Fatal(err)
	}
	c0 := p.meta.RowGroups[0].Columns[0].MetaData
	for total, want := range map[int64]int64{c0.TotalUncompressedSize: parquet.DefaultMaxUncompressedPageSize, 1 << 30: 1 << 30} {
		c0.TotalUncompressedSize = total
		if props := p.readProps(0); props.MaxUncompressedPageSize != want || props.MaxCompressedPageSize != int64(b.Len()) {
			t.Errorf("%d bytes: pages of %d and %d", total, props.MaxUncompressedPageSize, props.MaxCompressedPageSize)
		}
	}
}

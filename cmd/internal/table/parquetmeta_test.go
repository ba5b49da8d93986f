package table

import (
	"bytes"
	"encoding/base64"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// TestWideIndices: of the Arrow schema in a Parquet file's metadata dictionaries alone change, and only
// those with narrow indices.
func TestWideIndices(t *testing.T) {
	dictionary := func(index arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String, Ordered: true}
	}
	schema := func(narrow, sign arrow.DataType) string {
		meta := arrow.MetadataFrom(map[string]string{"k": "v"})
		s := arrow.NewSchema([]arrow.Field{
			{Name: "number", Type: arrow.PrimitiveTypes.Int8}, {Name: "narrow", Type: dictionary(narrow), Nullable: true, Metadata: meta},
			{Name: "list", Type: arrow.ListOf(dictionary(sign))}, {Name: "wide", Type: dictionary(arrow.PrimitiveTypes.Int64)},
		}, &meta)
		var b bytes.Buffer
		if err := ipc.NewWriter(&b, ipc.WithSchema(s)).Close(); err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	want := schema(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32)
	if got, ok := wideIndices(schema(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16)); !ok || got != want {
		t.Errorf("%v: %s, want %s", ok, got, want)
	}
	for _, text := range []string{want, "", "AAAA", "no base64", want[:40], base64.RawStdEncoding.EncodeToString(make([]byte, 100))} {
		if got, ok := wideIndices(text); ok {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestJoinedDictionaries: pyarrow reads what became of Parquet files whose metadata have dictionaries of few
// entries each.
func TestJoinedDictionaries(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	python(t, "dictionaries.py", "write", dir)
	for out, names := range map[string][]string{"two.parquet": {in("a.parquet"), in("b.parquet")}, "groups.parquet": {in("groups.parquet")}, "one.parquet": {in("a.parquet")}} {
		if err := sortTo(t, in("out-"+out), "id", Options{}, names...); err != nil {
			t.Fatal(err)
		}
	}
	if out := python(t, "dictionaries.py", "compare", dir); len(out) > 0 {
		t.Errorf("%s", out)
	}
}

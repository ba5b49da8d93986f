package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// writeParquet makes a file with a key, a text of so many bytes, and the rows' numbers.
func writeParquet(t testing.TB, name string, rows, groupRows, textBytes int) {
	t.Helper()
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{
		schema.NewInt32Node("key", parquet.Repetitions.Required, -1),
		schema.NewByteArrayNode("text", parquet.Repetitions.Optional, -1),
		schema.NewInt64Node("row", parquet.Repetitions.Required, -1),
	}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))))
	r := rand.New(rand.NewPCG(7, 8))
	for done := 0; done < rows; done += groupRows {
		rg, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		n := min(groupRows, rows-done)
		keys, texts, numbers, defs := make([]int32, n), []parquet.ByteArray{}, make([]int64, n), make([]int16, n)
		for i := range n {
			keys[i], numbers[i] = int32(r.IntN(rows/3+1)), int64(done+i)
			if defs[i] = int16(r.IntN(8)); defs[i] > 0 {
				defs[i] = 1
				text := make([]byte, textBytes)
				for k := range text {
					text[k] = byte(r.Uint32())
				}
				texts = append(texts, text)
			}
		}
		for c := range 3 {
			cw, err := rg.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			switch cw := cw.(type) {
			case *file.Int32ColumnChunkWriter:
				_, err = cw.WriteBatch(keys, nil, nil)
			case *file.ByteArrayColumnChunkWriter:
				_, err = cw.WriteBatch(texts, defs, nil)
			case *file.Int64ColumnChunkWriter:
				_, err = cw.WriteBatch(numbers, nil, nil)
			}
			if err != nil {
				t.Fatal(c, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// isSorted reads a file that writeParquet made and that was sorted by key.
func isSorted(t *testing.T, name string, rows int) {
	t.Helper()
	p, err := openParquet(name, openFile)
	if err != nil {
		t.Fatal(err)
	}
	lastKey, lastRow, n := int32(-1), int64(-1), 0
	err = p.with(0, true, func(r *file.Reader) error {
		for g := range r.NumRowGroups() {
			read := func(i int) *chunk {
				c, err := r.RowGroup(g).Column(i)
				if err != nil {
					t.Fatal(err)
				}
				ch := &chunk{column: column{field: parquetField(c.Descriptor())}, r: c}
				if err := ch.fill(int(r.RowGroup(g).NumRows())); err != nil {
					t.Fatal(err)
				}
				return ch
			}
			keys, numbers := view[int32](read(0).fixed), view[int64](read(2).fixed)
			for i, k := range keys {
				if k < lastKey || k == lastKey && numbers[i] < lastRow {
					t.Fatalf("row %d: %d of input row %d is behind %d of row %d", n, k, numbers[i], lastKey, lastRow)
				}
				lastKey, lastRow = k, numbers[i]
				n++
			}
		}
		return nil
	})
	if err != nil || n != rows {
		t.Fatalf("%d rows of %d, %v", n, rows, err)
	}
}

// TestRuns: what does not fit memory is sorted in runs; several files, row groups of any size.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	rows := 30_000
	if !testing.Short() {
		rows = 120_000
	}
	a, b, out := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet"), filepath.Join(dir, "out")
	writeParquet(t, a, rows, 7000, 1500)
	writeParquet(t, b, 10, 3, 0)
	if err := sortTo(t, out, "key", Options{Options: run.Options{Budget: 1, Workers: 3, Temp: []string{dir}}}, a, b); err != nil {
		t.Fatal(err)
	}
	p, err := openParquet(out, openFile)
	if err != nil || p.meta.NumRows != int64(rows)+10 {
		t.Fatalf("%v", err)
	}
	if err := sortTo(t, out, "key", Options{Options: run.Options{Budget: 1}}, a); err != nil {
		t.Fatal(err)
	}
	isSorted(t, out, rows)
	if err := sortTo(t, out, "key", Options{Options: run.Options{Budget: 1, Top: 100}}, a); err != nil {
		t.Fatal(err)
	}
	isSorted(t, out, 100)
	files, _ := os.ReadDir(dir)
	if len(files) != 3 {
		t.Errorf("%v are left", files)
	}
}

// writeArrow makes a file with a key, a text, a list and a dictionary.
func writeArrow(t testing.TB, name string, rows int) {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "row", Type: arrow.BinaryTypes.String},
		{Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.LargeString)},
		{Name: "code", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range rows {
		b.Field(0).(*array.Int32Builder).Append(int32(r.IntN(rows)))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(i))
		l := b.Field(2).(*array.ListBuilder)
		l.Append(true)
		l.ValueBuilder().(*array.LargeStringBuilder).Append("x")
		b.Field(3).(*array.BinaryDictionaryBuilder).AppendString(string(rune('a' + i%3)))
	}
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(s))
	if err == nil {
		err = w.Write(b.NewRecordBatch())
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(name, out.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCut: a file that ends too early is refused, wherever it ends.
func TestCut(t *testing.T) {
	for _, ext := range []string{"parquet", "arrow"} {
		testCut(t, ext)
	}
}

func testCut(t *testing.T, ext string) {
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole."+ext), filepath.Join(dir, "cut."+ext)
	if ext == "arrow" {
		writeArrow(t, whole, 100)
	} else {
		writeParquet(t, whole, 100, 30, 5)
	}
	b, _ := os.ReadFile(whole)
	for n := 0; n < len(b); n += 13 {
		os.WriteFile(cut, b[:n], 0o666)
		err := sortTo(t, filepath.Join(dir, "out"), "key", Options{}, cut)
		if err == nil || !strings.Contains(err.Error(), "cut."+ext+": ") {
			t.Fatalf("%d bytes of %d: %v", n, len(b), err)
		}
	}
}

// TestDamaged: bytes that are not what was written give an error, or other rows, and never
// a crash or a loop.
func TestDamaged(t *testing.T) {
	for _, ext := range []string{"parquet", "arrow"} {
		testDamaged(t, ext)
	}
}

func testDamaged(t *testing.T, ext string) {
	dir := t.TempDir()
	whole, bad := filepath.Join(dir, "whole."+ext), filepath.Join(dir, "bad."+ext)
	if ext == "arrow" {
		writeArrow(t, whole, 200)
	} else {
		writeParquet(t, whole, 200, 70, 20)
	}
	b, _ := os.ReadFile(whole)
	r := rand.New(rand.NewPCG(9, 10))
	errs := 0
	times := 300
	if testing.Short() {
		times = 60
	}
	for range times {
		c := bytes.Clone(b)
		for range 1 + r.IntN(3) {
			c[r.IntN(len(c))] ^= byte(1 + r.IntN(255))
		}
		os.WriteFile(bad, c, 0o666)
		if err := sortTo(t, filepath.Join(dir, "out"), "key,row", Options{Options: run.Options{Workers: 2}}, bad); err != nil {
			errs++
		}
	}
	if errs < times/10 {
		t.Errorf("%d errors of %d", errs, times)
	}
}

// failing is an output that takes so many bytes.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestFails: an output that fails and a context that ends give their errors.
func TestFails(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	writeParquet(t, in, 3000, 500, 100)
	o := Options{By: []by.Key{{Name: "key"}}, Options: run.Options{Budget: 64 << 20}, GroupRows: 100}
	for left := 0; left < 250_000; left += 20_000 {
		tab, err := Open([]string{in})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tab.Sort(t.Context(), o, &failing{left}); !errors.Is(err, errFull) {
			t.Errorf("behind %d bytes: %v", left, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tab, _ := Open([]string{in})
	if _, err := tab.Sort(ctx, o, io.Discard); err == nil {
		t.Error("no error behind the end of the context")
	}
}

// TestRefused: what cannot be sorted is said with its name.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		os.WriteFile(name, []byte(content), 0o666)
		return name
	}
	a := filepath.Join(dir, "a.parquet")
	writeParquet(t, a, 10, 5, 3)
	empty := filepath.Join(dir, "empty")
	os.Mkdir(empty, 0o777)
	for want, names := range map[string][]string{
		"x.parquet: the Parquet file is encrypted":               {file("x.parquet", "PARE............PARE")},
		"y.parquet: the Parquet file has no end":                 {file("y.parquet", "PAR1............")},
		"z.parquet: this is neither a Parquet nor an Arrow file": {file("z.parquet", "city,ts\n")},
		"no file in this folder is named .parquet":               {empty},
		"no such file":           {filepath.Join(dir, "none.parquet")},
		"sort files of one kind": {a, file("s.arrow", "ARROW1\x00\x00")},
	} {
		if err := sortTo(t, filepath.Join(dir, "out"), "key", Options{}, names...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", names, err, want)
		}
	}
	for keys, want := range map[string]string{
		"keys": `there is no column "keys" (is it "key"?)`, "4": "there is no column 4", "key:text": `leave out "text"`,
	} {
		if err := sortTo(t, filepath.Join(dir, "out"), keys, Options{}, a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("by %s: %v, want %s", keys, err, want)
		}
	}
}

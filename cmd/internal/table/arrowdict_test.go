package table

import (
	"encoding/csv"
	"fmt"
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

// writeCodes makes a file of batches that share a dictionary of the texts v0, v1 and so on from first;
// of row n, n from first too, the text is vn.
func writeCodes(t *testing.T, name string, index arrow.DataType, first, entries, batches int) {
	t.Helper()
	typ := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int32}, {Name: "v", Type: typ, Nullable: true}}, nil)
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range entries {
		texts.Append(fmt.Sprint("v", first+i))
	}
	dict := texts.NewArray()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	for b := 0; b < batches && err == nil; b++ {
		ids := array.NewInt32Builder(memory.DefaultAllocator)
		var numbers []byte
		for i := b * entries / batches; i < (b+1)*entries/batches; i++ {
			ids.Append(int32(first + i))
			numbers = append(numbers, byte(i), byte(i>>8), 0, 0)
		}
		data := array.NewData(index, ids.Len(), []*memory.Buffer{nil, memory.NewBufferBytes(indices(numbers, indexBytes(index)))}, nil, 0, 0)
		codes := array.NewDictionaryArray(typ, array.MakeFromData(data), dict)
		err = w.Write(array.NewRecordBatch(schema, []arrow.Array{ids.NewArray(), codes}, int64(codes.Len())))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readCodes returns the values of column v of an Arrow file, and its type.
func readCodes(t *testing.T, name string) (all []string, typ arrow.DataType) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.NumRecords() {
		b, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		for k := range int(b.NumRows()) {
			all = append(all, b.Column(1).ValueStr(k))
		}
	}
	return all, r.Schema().Field(1).Type
}

// TestIndices: joined dictionaries keep the type of their indices if it numbers all entries, and
// get a wider one if not.
func TestIndices(t *testing.T) {
	for _, c := range []struct {
		index, want arrow.DataType
		entries     int
	}{
		{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int8, 64}, {arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, 65},
		{arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint8, 128}, {arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, 200},
		{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, 16385}, {arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, 32769},
		{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32, 300}, {arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint32, 300},
		{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, 300}, {arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Uint64, 300},
	} {
		dir := t.TempDir()
		a, b, out := filepath.Join(dir, "a.arrow"), filepath.Join(dir, "b.arrow"), filepath.Join(dir, "out")
		writeCodes(t, a, c.index, 0, c.entries, 3)
		writeCodes(t, b, c.index, c.entries, c.entries, 1)
		if err := sortTo(t, out, "id", Options{GroupRows: 100}, b, a); err != nil {
			t.Errorf("%v: %v", c.index, err)
			continue
		}
		got, typ := readCodes(t, out)
		if want := c.want; !arrow.TypeEqual(typ.(*arrow.DictionaryType).IndexType, want) || len(got) != 2*c.entries {
			t.Errorf("%v, %d entries twice: %v and %d rows, want %v", c.index, c.entries, typ, len(got), want)
		}
		for i, v := range got {
			if v != fmt.Sprint("v", i) {
				t.Fatalf("%v: row %d is %s", c.index, i, v)
			}
		}
		if err := sortTo(t, out, "v", Options{As: columns.CSV}, b, a); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(out)
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil || len(rows) != 2*c.entries+1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for i, r := range rows[1:] {
			if r[1] != "v"+r[0] || i > 0 && r[1] < rows[i][1] {
				t.Fatalf("%v: row %d of the text is %v", c.index, i, r)
			}
		}
	}
}

// TestNegativeIndex: an index below 0 is no entry's.
func TestNegativeIndex(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		ones := memory.NewBufferBytes([]byte{255, 255, 255, 255, 255, 255, 255, 255})
		d := array.NewData(&arrow.DictionaryType{IndexType: typ, ValueType: arrow.BinaryTypes.String}, 1, []*memory.Buffer{nil, ones}, nil, 0, 0)
		if got := index(d, 0); got != -1 {
			t.Errorf("%v: %d", typ, got)
		}
	}
}

// TestNumbersOnce: entries are looked up once for all batches that have the same dictionary.
func TestNumbersOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in.arrow")
	writeCodes(t, name, arrow.PrimitiveTypes.Int32, 0, 5000, 50)
	tab, err := Open([]string{name})
	if err == nil {
		err = tab.orderBy(mustParse(t, "id", by.Key{}))
	}
	if err != nil {
		t.Fatal(err)
	}
	a := tab.source.(*arrowTable)
	f, err := openFile(name, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := &arrowRows{t: a, emit: func(b []byte) ([]byte, error) { return b[:0], nil }}
	seen := map[*uint32]bool{}
	err = a.batches(f, 0, 50, func(b arrow.RecordBatch) error {
		err := r.add(b)
		seen[&r.last[1].all[0]] = true
		return err
	})
	if err != nil || len(seen) != 1 {
		t.Errorf("%d lists of numbers, %v", len(seen), err)
	}
}

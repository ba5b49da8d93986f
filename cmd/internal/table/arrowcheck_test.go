package table

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// metadataWords calls f with the places of words of a file or stream that are no data of columns.
func metadataWords(b []byte, stream bool, f func(at int)) {
	words := func(from, to int) {
		for at := (from + 3) / 4 * 4; at+4 <= to; at += 4 {
			f(at)
		}
	}
	at := 8
	if stream {
		at = 0
	}
	for at+8 <= len(b) && binary.LittleEndian.Uint32(b[at:]) == continuation {
		n := int(binary.LittleEndian.Uint32(b[at+4:]))
		words(at+4, at+8+n)
		body := 0
		if n > 0 {
			m := rootTable(b[at+8:])
			if place := member(m, 3); place != 0 {
				body = int(m.GetInt64(m.Pos + place))
			}
		}
		at += 8 + n + body
	}
	words(at, len(b))
}

// writeKinds makes a file or stream of columns of many forms.
func writeKinds(t *testing.T, stream bool, options ...ipc.Option) []byte {
	t.Helper()
	meta := arrow.MetadataFrom(map[string]string{"a": "b"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int32}, {Name: "row", Type: arrow.BinaryTypes.StringView, Metadata: meta},
		{Name: "code", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "list", Type: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}))},
	}, &meta)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	rows := `{"key": 1, "row": "a text of more than twelve bytes", "code": "a", "list": [{"x": 1}]}
{"key": 2, "row": "b", "code": "b", "list": []}`
	for range 2 {
		if err := b.UnmarshalJSON([]byte(strings.SplitN(rows, "\n", 2)[0])); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	options = append(options, ipc.WithSchema(schema))
	batch := b.NewRecordBatch()
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&out, options...)
	if !stream {
		w, _ = ipc.NewFileWriter(&out, options...)
	}
	for range 2 {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCounts: no word of an Arrow file's metadata has the program ask for much memory, follow tables
// without end or tell where its code failed. Errors name the file.
func TestCounts(t *testing.T) {
	dir := t.TempDir()
	for _, stream := range []bool{false, true} {
		name, what := filepath.Join(dir, "bad.arrow"), "bad.arrow: the Arrow "
		if stream {
			name, what = filepath.Join(dir, "bad.arrows"), "bad.arrows: the Arrow "
		}
		whole := writeKinds(t, stream)
		tried, refused := 0, 0
		metadataWords(whole, stream, func(at int) {
			was := binary.LittleEndian.Uint32(whole[at:])
			values := []uint32{1 << 28, was + 4, was - 4, 0, 1<<31 - 1, 1<<32 - 4, uint32(-at)}
			if testing.Short() {
				values = values[:3]
			}
			for _, v := range values {
				bad := bytes.Clone(whole)
				binary.LittleEndian.PutUint32(bad[at:], v)
				os.WriteFile(name, bad, 0o666)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := sortTo(t, filepath.Join(dir, "out"), "key", Options{}, name)
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
					t.Errorf("%#x at %d of %s: %d MiB", v, at, name, n>>20)
				}
				if tried++; err == nil {
					continue
				}
				refused++
				if text := err.Error(); strings.Contains(text, "runtime error") || strings.Contains(text, "arrow/") ||
					!strings.Contains(text, what) && !strings.Contains(text, "column") && !strings.Contains(text, "neither") {
					t.Errorf("%#x at %d of %s: %v", v, at, name, err)
				}
			}
		})
		if refused < tried/4 {
			t.Errorf("%d errors of %d", refused, tried)
		}
	}
}

// TestSizes: a compressed buffer that claims to be huge is refused, not made.
func TestSizes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bad.arrow")
	whole := writeKinds(t, false, ipc.WithZstd())
	data := make([]bool, len(whole)/8)
	for i := range data {
		data[i] = true
	}
	metadataWords(whole, false, func(at int) { data[at/8] = false })
	refused := 0
	for i := range data {
		if n := binary.LittleEndian.Uint64(whole[8*i:]); !data[i] || n == 0 || n > 1000 {
			continue
		}
		bad := bytes.Clone(whole)
		binary.LittleEndian.PutUint64(bad[8*i:], 1<<40)
		os.WriteFile(name, bad, 0o666)
		err := sortTo(t, name+".out", "key", Options{}, name)
		if err == nil { // validity of columns that have all values, which is not read
			continue
		}
		if refused++; !strings.Contains(err.Error(), "bad.arrow: the Arrow file is damaged: ") || !strings.Contains(err.Error(), "buffer of 1099511627776 bytes") {
			t.Errorf("at %d: %v", 8*i, err)
		}
	}
	if refused < 10 {
		t.Errorf("%d buffers", refused)
	}
}

// TestUnknownType: a type that is not known is no damage.
func TestUnknownType(t *testing.T) {
	for _, stream := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "in.arrow")
		b := writeKinds(t, stream)
		patch := func(schema flatbuffers.Table) {
			eachField(schema, func(field flatbuffers.Table) error {
				if typ, ok := tableIn(field, 3); ok && int32At(typ, 0) == 64 {
					typ.MutateInt32(typ.Pos+member(typ, 0), 128)
				}
				return nil
			})
		}
		if stream {
			schema, _ := tableIn(rootTable(b[8:]), 2)
			patch(schema)
		} else {
			n := binary.LittleEndian.Uint32(b[len(b)-10:])
			schema, _ := tableIn(rootTable(b[len(b)-10-int(n):]), 1)
			patch(schema)
		}
		os.WriteFile(name, b, 0o666)
		err := sortTo(t, name+".out", "key", Options{}, name)
		if want := "in.arrow: column x has integers of 128 bits, which are not known here: write it as another type first"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

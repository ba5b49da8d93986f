package recordkey

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func field(t *testing.T, s string) Field {
	t.Helper()
	f, err := ParseField(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestOrder sorts records by their keys, and beside it by comparing the fields.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	le, be := binary.LittleEndian, binary.BigEndian
	for text, compare := range map[string]func(a, b []byte) int{
		"0:10":           func(a, b []byte) int { return bytes.Compare(a[:10], b[:10]) },
		"0:10:bytes":     func(a, b []byte) int { return bytes.Compare(a[:10], b[:10]) },
		"3:5:desc":       func(a, b []byte) int { return bytes.Compare(b[3:5], a[3:5]) },
		"4:8:u32le":      func(a, b []byte) int { return cmp.Compare(le.Uint32(a[4:]), le.Uint32(b[4:])) },
		"4:8:i32be:desc": func(a, b []byte) int { return cmp.Compare(int32(be.Uint32(b[4:])), int32(be.Uint32(a[4:]))) },
		"1:9:f64le":      func(a, b []byte) int { return compareFloats(le.Uint64(a[1:]), le.Uint64(b[1:])) },
		"1:9:u64be":      func(a, b []byte) int { return cmp.Compare(be.Uint64(a[1:]), be.Uint64(b[1:])) },
		"7:8:i8":         func(a, b []byte) int { return cmp.Compare(int8(a[7]), int8(b[7])) },
		"6:8:u16le 0:1": func(a, b []byte) int {
			return cmp.Or(cmp.Compare(le.Uint16(a[6:]), le.Uint16(b[6:])), cmp.Compare(a[0], b[0]))
		},
		"0:1:i8:desc 2:4": func(a, b []byte) int {
			return cmp.Or(cmp.Compare(int8(b[0]), int8(a[0])), bytes.Compare(a[2:4], b[2:4]))
		},
		"11:12 0:12": func(a, b []byte) int { return cmp.Or(cmp.Compare(a[11], b[11]), bytes.Compare(a, b)) },
	} {
		rec := Records{Size: 12}
		for _, s := range strings.Fields(text) {
			rec.Fields = append(rec.Fields, field(t, s))
		}
		var rows [][]byte
		for range 500 {
			row := make([]byte, 12)
			for i := range row {
				row[i] = byte(r.IntN(256)) * byte(r.IntN(2))
			}
			if r.IntN(4) == 0 {
				copy(row[1:], []byte{0, 0, 0, 0, 0, 0, 0xf0 + byte(r.IntN(16)), 0x7f | byte(r.IntN(2)<<7)})
			}
			rows = append(rows, row)
		}
		encode := rec.Encoder()
		key := func(row []byte) []byte {
			b, err := encode(nil, row)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		for range 20000 {
			a, b := rows[r.IntN(len(rows))], rows[r.IntN(len(rows))]
			if got, want := bytes.Compare(key(a), key(b)), compare(a, b); got != want {
				t.Fatalf("%s: %x and %x: %d, want %d", text, a, b, got, want)
			}
		}
	}
}

// compareFloats is the house's order: NaNs first, by their bits, then by value, −0 before
// +0.
func compareFloats(a, b uint64) int {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	switch {
	case x != x && y != y:
		return cmp.Compare(a, b)
	case x != x || y != y || x != y:
		return cmp.Compare(x, y)
	}
	return cmp.Compare(int64(a), int64(b))
}

func TestFormat(t *testing.T) {
	r := Records{Size: 7}
	b := make([]byte, 30)
	if n, err := r.Cut(b); err != nil || n != 28 || !slices.Equal(r.Split(b[:n], nil), []uint32{7, 14, 21, 28}) {
		t.Errorf("%d, %v", n, r.Split(b[:n], nil))
	}
	if more, _, err := r.End(b); r.Encoder() != nil || r.Delimiter() != 0 || more != nil || err != nil {
		t.Error("records without keys are their own keys, and end without more")
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":             "FROM and TO are missing",
		"5":            "FROM and TO are missing",
		"a:5":          `"a" is no number of bytes`,
		"-1:5":         `"-1" is no number`,
		"5:5":          "the key is empty",
		"0:4:u32":      "which byte comes first",
		"0:4:double":   "which byte comes first",
		"0:4:u64le":    "u64 has 8 bytes, not 4",
		"0:4:u31le":    "unknown key type",
		"0:4:desc:u32": `is too much`,
		"0:4:asc":      "unknown key type",
	} {
		if _, err := ParseField(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "FROM:TO[:TYPE][:desc]") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, r := range []Records{{}, {Size: -1}, {Size: MostSize + 1}, {Size: 9, Fields: []Field{field(t, "0:10")}}} {
		if r.Check() == nil {
			t.Errorf("%+v passes", r)
		}
	}
	if err := (Records{Size: 10, Fields: []Field{field(t, "0:10")}}).Check(); err != nil {
		t.Error(err)
	}
}

// TestReader: what ends within a record is an error that counts.
func TestReader(t *testing.T) {
	for n, want := range map[int]string{0: "", 100: "", 300: "", 250: "in.bin has 250 bytes, no multiple of the record's 100: 50 are left over"} {
		r := &Reader{ReadCloser: io.NopCloser(bytes.NewReader(make([]byte, n))), Name: "in.bin", Size: 100}
		b, err := io.ReadAll(r)
		if len(b) != n || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %d, %v", n, len(b), err)
		}
	}
}

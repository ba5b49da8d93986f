package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// TestHalf takes every float16 to float32 and back, and compares with the format's definition.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := widen(uint16(h))
		if got := narrow(f); got != uint16(h) {
			t.Fatalf("%#x: back as %#x", h, got)
		}
		exp, man := h>>10&31, float64(h&1023)
		want := man / (1 << 24)
		switch {
		case exp == 31 && man == 0:
			want = math.Inf(1)
		case exp == 31:
			want = math.NaN()
		case exp > 0:
			want = (1 + man/1024) * math.Pow(2, float64(exp-15))
		}
		got := float64(math.Float32frombits(f))
		if h>>15 == 1 {
			got = -got
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(float64(math.Float32frombits(f))) != (h>>15 == 1) {
			t.Fatalf("%#x: %g, want %g", h, got, want)
		}
	}
}

// TestCodedNPY reads what is not the memory's form, at once and in parts, and writes it as it was.
func TestCodedNPY(t *testing.T) {
	const n = 3*codeItems + 5 // some parts of a decoder
	for _, c := range []struct {
		descr string
		width int
		t     key.Type
	}{
		{">u2", 2, key.U16}, {">i4", 4, key.I32}, {">u8", 8, key.U64}, {">f4", 4, key.F32}, {">f8", 8, key.F64},
		{"|b1", 1, key.U8}, {"<f2", 2, key.F32}, {">f2", 2, key.F32}, {"<u4", 4, key.U32},
	} {
		data := make([]byte, n*c.width)
		for i := range data {
			data[i] = byte(i * 7 / 3)
		}
		file := npy(1, dict("'"+c.descr+"'", "False", fmt.Sprintf("(%d,)", n)), data)
		open := func() *Source {
			s, err := Open(ctx, "-", Spec{Kind: NPY, Stdin: bytes.NewReader(file)})
			if err != nil {
				t.Fatalf("%s: %v", c.descr, err)
			}
			return s
		}
		col, err := open().Load(ctx, nil)
		if err != nil || col.Type != c.t || col.Len() != n {
			t.Fatalf("%s: %v, %v", c.descr, col.Item, err)
		}
		if c.descr == ">i4" && View[uint32](col)[5] != binary.BigEndian.Uint32(data[20:]) {
			t.Errorf("%s: %#x", c.descr, View[uint32](col)[5])
		}
		if c.descr == ">f2" && View[uint32](col)[5] != widen(binary.BigEndian.Uint16(data[10:])) {
			t.Errorf("%s: %#x", c.descr, View[uint32](col)[5])
		}
		parts, err := io.ReadAll(open().Reader())
		if err != nil || !bytes.Equal(parts, col.Data) {
			t.Errorf("%s: in parts %d bytes, %v, want %d", c.descr, len(parts), err, len(col.Data))
		}
		var out bytes.Buffer
		if err := Encode(ctx, &out, NPY, col, nil); err != nil {
			t.Fatal(err)
		}
		if b := out.Bytes(); !bytes.Equal(b[len(b)-len(data):], data) || !strings.Contains(string(b[:80]), c.descr) {
			t.Errorf("%s: not written as it was read: %q", c.descr, b[:80])
		}
	}
}

// TestArrays reads and writes forms, and finds the sequences along their axes.
func TestArrays(t *testing.T) {
	for _, c := range []struct {
		fortran, shape string
		axis           int
		want           Lanes
	}{
		{"False", "(2, 3)", 0, Lanes{1, 2, 3}}, {"False", "(2, 3)", -1, Lanes{2, 3, 1}}, {"True", "(2, 3)", 0, Lanes{3, 2, 1}},
		{"True", "(2, 3)", 1, Lanes{1, 3, 2}}, {"False", "(1, 2, 3)", 1, Lanes{1, 2, 3}}, {"False", "(3, 0, 2)", 2, Lanes{0, 2, 1}},
	} {
		d := dict("'<u1'", c.fortran, c.shape)
		data := make([]byte, c.want.Outer*c.want.Items*c.want.Inner)
		s, err := Open(ctx, "-", Spec{Kind: NPY, Arrays: true, Stdin: bytes.NewReader(npy(1, d, data))})
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		if got, err := s.Item.Array.Lanes(c.axis); got != c.want || err != nil {
			t.Errorf("%s, axis %d: %v, %v, want %v", d, c.axis, got, err, c.want)
		}
		for _, axis := range []int{-len(s.Item.Array.Shape) - 1, len(s.Item.Array.Shape)} {
			if l, err := s.Item.Array.Lanes(axis); err == nil {
				t.Errorf("%s, axis %d: %v", d, axis, l)
			}
		}
		h := string(appendNPYHeader(nil, s.Item, uint64(len(data))))
		if !strings.Contains(h, "'fortran_order': "+c.fortran+", 'shape': "+c.shape) {
			t.Errorf("%s: header %q", d, h)
		}
		for _, kind := range []Kind{Raw, Text} {
			if _, err := NewEncoder(io.Discard, kind, s.Item, 0, nil); err == nil {
				t.Errorf("%s as %v: no error", d, kind)
			}
		}
	}
}

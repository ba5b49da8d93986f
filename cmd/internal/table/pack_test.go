package table

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// randomColumn makes a column of so many rows.
func randomColumn(r *rand.Rand, f field, rows int) *column {
	c := &column{field: f}
	value := func() {
		if f.width == 0 {
			c.addText(bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(9)))
			return
		}
		for range f.width {
			c.fixed = append(c.fixed, byte(r.Uint32()))
		}
	}
	for range rows {
		n := 1
		if f.rep > 0 {
			n += r.IntN(4)
		}
		for i := range n {
			d := f.def
			if f.def > 0 {
				d = uint8(r.IntN(int(f.def) + 1))
				c.defs = append(c.defs, int16(d))
			}
			if f.rep > 0 {
				c.reps = append(c.reps, int16(min(i, 1+r.IntN(int(f.rep)))))
			}
			if d == f.def {
				value()
			}
		}
	}
	return c
}

func clone(c *column) *column {
	return &column{c.field, slices.Clone(c.defs), slices.Clone(c.reps), slices.Clone(c.fixed), slices.Clone(c.text), slices.Clone(c.ends)}
}

// TestPack: columns become rows and columns again, in parts, too.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var fields []field
	for _, width := range []int{0, 1, 3, 4, 8, 12, 16} {
		fields = append(fields, field{width, 0, 0}, field{width, 1, 0}, field{width, 3, 0}, field{width, 3, 2}, field{width, 1, 1})
	}
	for _, rows := range []int{0, 1, 100} {
		var want, got, from []*column
		for _, f := range fields {
			c := randomColumn(r, f, rows)
			want, from, got = append(want, c), append(from, clone(c)), append(got, &column{field: f})
		}
		var p packer
		var u unpacker
		var f format
		total := 0
		for left := rows; left > 0; {
			n := min(left, 1+r.IntN(40))
			b := p.pack(nil, from, n)
			if cut, err := f.Cut(append(slices.Clone(b), b[:len(b)-1]...)); cut < len(b) || cut >= 2*len(b) || err != nil {
				t.Fatalf("%d bytes of %d are whole rows, %v", cut, 2*len(b)-1, err)
			}
			if ends := f.Split(b, nil); len(ends) != n || int(ends[n-1]) != len(b) {
				t.Fatalf("%d rows end at %v", n, ends)
			}
			total += u.unpack(b, got)
			left -= n
		}
		if total != rows {
			t.Errorf("%d rows of %d", total, rows)
		}
		for i := range want {
			w, g := want[i], got[i]
			if !slices.Equal(w.defs, g.defs) || !slices.Equal(w.reps, g.reps) || !bytes.Equal(w.fixed, g.fixed) || !bytes.Equal(w.text, g.text) || !slices.Equal(w.ends, g.ends) {
				t.Errorf("%+v: %d rows: %+v, want %+v", w.field, rows, g, w)
			}
			if from[i].places()+from[i].values() != 0 {
				t.Errorf("%+v: %d levels are left", w.field, from[i].places())
			}
		}
	}
}

// TestCutWrong: bytes that are no rows are an error, not a loop.
func TestCutWrong(t *testing.T) {
	if n, err := (format{}).Cut(make([]byte, 8)); err == nil {
		t.Errorf("%d bytes", n)
	}
}

// keyOf is the key of one value.
func keyOf(k kind, f field, value []byte, b by.Key) []byte {
	return newKey(f, k, b).append(nil, value)
}

// TestIntegerKeys compares keys of decimals with their values.
func TestIntegerKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var values []*big.Int
	for range 300 {
		v := new(big.Int).SetUint64(r.Uint64())
		v.Rsh(v.Lsh(v, uint(r.IntN(56))), uint(r.IntN(64)))
		values = append(values, v, new(big.Int).Neg(v))
	}
	// twos is v in n bytes.
	twos := func(v *big.Int, n int) []byte {
		b := make([]byte, n)
		return new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n))).FillBytes(b)
	}
	for _, desc := range []bool{false, true} {
		for i, v := range values {
			w := values[r.IntN(len(values))]
			if i%7 == 0 {
				w = v
			}
			want := v.Cmp(w)
			if desc {
				want = -want
			}
			o := by.Key{Desc: desc}
			little := func(v *big.Int) []byte {
				b := twos(v, 16)
				slices.Reverse(b)
				return b
			}
			for name, keys := range map[string][2][]byte{
				"any": {keyOf(kind{other: anyInteger}, field{}, twos(v, v.BitLen()/8+1+r.IntN(3)), o), keyOf(kind{other: anyInteger}, field{}, twos(w, w.BitLen()/8+1), o)},
				"big": {keyOf(kind{other: bigEndian}, field{width: 17}, twos(v, 17), o), keyOf(kind{other: bigEndian}, field{width: 17}, twos(w, 17), o)},
				"low": {keyOf(kind{other: littleEnd}, field{width: 16}, little(v), o), keyOf(kind{other: littleEnd}, field{width: 16}, little(w), o)},
			} {
				if got := bytes.Compare(keys[0], keys[1]); got != want {
					t.Fatalf("%s, descending %v: %v and %v: %d", name, desc, v, w, got)
				}
			}
		}
	}
	if b := appendInteger(nil, nil); !reflect.DeepEqual(b, appendInteger(nil, []byte{0})) {
		t.Errorf("no bytes are %x", b)
	}
}

// TestHalfKeys: of halves both zeros tie, and all NaNs, as of wider floats.
func TestHalfKeys(t *testing.T) {
	half := func(u uint16) []byte {
		return keyOf(kind{Kind: schema.Float16, typ: key.U8}, field{width: 2}, binary.LittleEndian.AppendUint16(nil, u), by.Key{})
	}
	ascending := [][]uint16{{0x7c01, 0x7e00, 0xffff}, {0xfc00}, {0x8001}, {0, 0x8000}, {1}, {0x7c00}}
	for i, ties := range ascending {
		for _, u := range ties {
			if !bytes.Equal(half(u), half(ties[0])) {
				t.Errorf("%#x and %#x do not tie", u, ties[0])
			}
			if i > 0 && bytes.Compare(half(ascending[i-1][0]), half(u)) >= 0 {
				t.Errorf("%#x is not before %#x", ascending[i-1][0], u)
			}
		}
	}
}

// TestNullKeys: missing values have their place in either direction.
func TestNullKeys(t *testing.T) {
	row := func(value ...byte) []byte {
		return append([]byte{byte(headBytes + 1 + len(value)), 0, 0, 0, byte(min(1, len(value)))}, value...)
	}
	for _, o := range []by.Key{{}, {Desc: true}, {NullsFirst: true}, {Desc: true, NullsFirst: true}} {
		k := newKey(field{width: 4, def: 1}, number(0), o)
		e := format{[]*fieldKey{k}}.Encoder()
		null, _ := e(nil, row())
		for _, v := range []byte{0, 255} {
			value, _ := e(nil, row(v, v, v, v))
			if got := bytes.Compare(null, value) < 0; got != o.NullsFirst {
				t.Errorf("%+v: a missing value before %d: %v", o, v, got)
			}
		}
	}
}

// TestLevels: a level that a column cannot have, of a damaged file, is no missing value.
func TestLevels(t *testing.T) {
	for _, f := range []field{{width: 4, def: 1}, {width: 4, def: 1, rep: 1}} {
		c := &column{field: f, defs: []int16{5}}
		if f.rep > 0 {
			c.reps = []int16{0}
		}
		err := reading(inParquet, func() error {
			var p packer
			p.pack(nil, []*column{c}, 1)
			return nil
		})
		if err == nil || err.Error() != "the Parquet file is damaged: a value has a level that its column has not" {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

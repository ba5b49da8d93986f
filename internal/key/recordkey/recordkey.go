// Package recordkey makes normalised keys of records of a fixed length: byte strings
// whose plain order is the order of the fields that were asked for.
package recordkey

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// Field is a part of a record and how it is compared.
type Field struct {
	From, To int // bytes [From, To)
	Number   bool
	Type     key.Type // of a Number, which is To − From bytes long
	Big      bool     // a Number has its highest byte first
	Desc     bool
	Order    key.Order // of a Number, whose Desc reverses it once more
}

// ParseField reads FROM:TO[:TYPE][:desc], with bytes counted from 0 and TO behind the
// last one. TYPE is bytes, or a type of numbers with le or be, as in u32le.
func ParseField(s string) (Field, error) {
	var f Field
	parts := strings.Split(s, ":")
	err := errors.New("FROM and TO are missing")
	if len(parts) >= 2 {
		if f.From, err = place(parts[0]); err == nil {
			f.To, err = place(parts[1])
		}
		parts = parts[2:]
	}
	if err == nil && f.From >= f.To {
		err = errors.New("the key is empty: TO is behind its last byte")
	}
	if n := len(parts); err == nil && n > 0 && parts[n-1] == "desc" {
		f.Desc, parts = true, parts[:n-1]
	}
	switch {
	case err != nil:
	case len(parts) > 1:
		err = fmt.Errorf("%q is too much", strings.Join(parts[1:], ":"))
	case len(parts) == 1 && parts[0] != "bytes":
		err = f.number(parts[0])
	}
	if err != nil {
		return f, fmt.Errorf("key %q: %w; write a key of records as FROM:TO[:TYPE][:desc], such as 0:10 or 16:20:u32le", s, err)
	}
	return f, nil
}

// place reads a number of bytes.
func place(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of bytes", s)
	}
	return int(n), nil
}

// number sets the type that a name such as u32le says.
func (f *Field) number(name string) (err error) {
	if f.Type, err = key.Parse(name); err != nil {
		base, little := strings.CutSuffix(name, "le")
		if !little {
			base, f.Big = strings.CutSuffix(name, "be")
		}
		f.Type, err = key.Parse(base)
	} else if f.Type.Bytes() > 1 {
		err = errors.New("say which byte comes first, by le or be behind it")
	}
	if err != nil {
		return fmt.Errorf("type %q: %w", name, err)
	}
	f.Number = true
	if n := f.To - f.From; n != f.Type.Bytes() {
		return fmt.Errorf("%v has %d bytes, not %d", f.Type, f.Type.Bytes(), n)
	}
	return nil
}

// Records are rows of Size bytes, ordered by fields, compared one after another; without
// any, by all of their bytes. Any number of goroutines may use it.
type Records struct {
	Size   int
	Fields []Field
}

// MostSize is the longest record.
const MostSize = 1 << 26

// Check says what makes r no order of records.
func (r Records) Check() error {
	if r.Size < 1 || r.Size > MostSize {
		return fmt.Errorf("a record has from 1 to %d bytes, not %d", MostSize, r.Size)
	}
	for _, f := range r.Fields {
		if f.To > r.Size {
			return fmt.Errorf("key %d:%d goes beyond the record, which has %d bytes", f.From, f.To, r.Size)
		}
	}
	return nil
}

// Cut returns how many bytes of b are whole records.
func (r Records) Cut(b []byte) (int, error) { return len(b) / r.Size * r.Size, nil }

// Split appends where each record of b ends.
func (r Records) Split(b []byte, ends []uint32) []uint32 {
	ends = slices.Grow(ends, len(b)/r.Size)
	for at := r.Size; at <= len(b); at += r.Size {
		ends = append(ends, uint32(at))
	}
	return ends
}

// End returns nothing: that an input ends within a record finds a Reader.
func (r Records) End([]byte) (more []byte, row int64, err error) { return nil, 0, nil }

// Delimiter is 0: records have none.
func (r Records) Delimiter() int { return 0 }

// Encoder returns what makes keys; it is nil if records are compared whole.
func (r Records) Encoder() func(dst, row []byte) ([]byte, error) {
	if len(r.Fields) == 0 {
		return nil
	}
	return func(dst, row []byte) ([]byte, error) {
		for i := range r.Fields {
			dst = r.Fields[i].append(dst, row)
		}
		return dst, nil
	}
}

// append appends the field's bytes as they are compared.
func (f *Field) append(dst, row []byte) []byte {
	part := row[f.From:f.To]
	if !f.Number {
		at := len(dst)
		if dst = append(dst, part...); f.Desc {
			for i := range dst[at:] {
				dst[at+i] ^= 0xff
			}
		}
		return dst
	}
	var b [8]byte
	copy(b[8-len(part):], part)
	if !f.Big {
		slices.Reverse(b[8-len(part):])
	}
	w := binary.BigEndian.Uint64(b[:])
	o := f.Order
	o.Desc = o.Desc != f.Desc
	c := key.CodecOf(f.Type, o)
	switch len(part) {
	case 1:
		return append(dst, key.Encode(c, uint8(w)))
	case 2:
		return binary.BigEndian.AppendUint16(dst, key.Encode(c, uint16(w)))
	case 4:
		return binary.BigEndian.AppendUint32(dst, key.Encode(c, uint32(w)))
	}
	return binary.BigEndian.AppendUint64(dst, key.Encode(c, w))
}

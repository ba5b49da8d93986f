package cli

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/internal/key"
)

// records are keys with their values or positions, one after another.
func (l *largeSort) records(ctx context.Context) io.Reader {
	z := &zipped{l: l, keys: l.f.keys.Stream(ctx), width: l.f.keys.Item.Bytes}
	if l.f.values != nil {
		z.values = l.f.values.Stream(ctx)
	}
	return z
}

// zipped are records of two streams, or of one and positions, or of encoded keys alone.
type zipped struct {
	l            *largeSort
	keys, values io.Reader
	width        int // of a key
	block, rest  []byte
	from, beside []byte // of keys, and of values
	done         uint64
}

// zipItems is how many records are made at a time.
const zipItems = 1 << 14

func (z *zipped) Read(p []byte) (int, error) {
	if len(z.rest) == 0 {
		if err := z.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, z.rest)
	z.rest = z.rest[n:]
	return n, nil
}

func (z *zipped) next() error {
	kw, vw := z.width, z.l.width-z.width
	if z.from == nil {
		z.from, z.beside, z.block = make([]byte, zipItems*kw), make([]byte, zipItems*vw), make([]byte, zipItems*(kw+vw))
	}
	n, err := io.ReadFull(z.keys, z.from)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	items := n / kw
	switch {
	case vw == 0:
		z.l.encode(z.from[:n], z.from[:n])
	case z.values == nil:
		for i := range items {
			at := z.done + uint64(i)
			if vw == 4 {
				binary.LittleEndian.PutUint32(z.beside[4*i:], uint32(at))
			} else {
				binary.LittleEndian.PutUint64(z.beside[8*i:], at)
			}
		}
	default:
		if err := z.pair(items); err != nil {
			return err
		}
	}
	z.l.bytes += uint64(items * (kw + vw))
	if z.done += uint64(items); vw == 4 && z.values == nil && z.done > 1<<32 {
		return errors.New("positions of more than 2^32 keys do not fit u32: give --index u64")
	}
	if items == 0 {
		return io.EOF
	}
	if z.rest = z.from[:n]; vw == 0 {
		return nil
	}
	for i := range items {
		at := z.block[i*(kw+vw):]
		copy(at[:kw], z.from[i*kw:])
		copy(at[kw:kw+vw], z.beside[i*vw:])
	}
	z.rest = z.block[:items*(kw+vw)]
	return nil
}

// pair reads the values of so many keys; behind the last key there must be no value.
func (z *zipped) pair(items int) error {
	vw := z.l.width - z.width
	want := z.beside[:items*vw]
	if items < zipItems {
		want = z.beside[:items*vw+1]
	}
	n, err := io.ReadFull(z.values, want)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if n != items*vw {
		return fmt.Errorf("%s and %s: there must be one value per key; is --value-type right?", z.l.f.keys.Name, z.l.f.values.Name)
	}
	return nil
}

// unzipped writes sorted records: keys, or keys and values, or positions.
type unzipped struct {
	ctx          context.Context
	l            *largeSort
	first, after *format.Encoder
	a, b         []byte
}

// begin writes the headers, once all records were read and so counted.
func (u *unzipped) begin() (err error) {
	if u.first != nil {
		return nil
	}
	l, f := u.l, u.l.f
	n := l.bytes / uint64(l.width)
	it := f.keys.Item
	if l.argsort {
		it = f.index
	}
	if u.first, err = format.NewEncoder(f.out, f.outKind, it, n, nil); err == nil && f.values != nil {
		u.after, err = format.NewEncoder(f.valuesOut, f.valueKind, f.values.Item, n, nil)
	}
	return err
}

// Write takes whole records.
func (u *unzipped) Write(p []byte) (int, error) {
	if err := u.begin(); err != nil {
		return 0, err
	}
	kw, w := u.l.f.keys.Item.Bytes, u.l.width
	u.a, u.b = u.a[:0], u.b[:0]
	if kw == w {
		u.a = slices.Grow(u.a, len(p))[:len(p)]
		u.l.decode(u.a, p)
		return len(p), u.first.Write(u.ctx, u.a)
	}
	for at := 0; at < len(p); at += w {
		u.a, u.b = append(u.a, p[at:at+kw]...), append(u.b, p[at+kw:at+w]...)
	}
	if u.l.argsort {
		return len(p), u.first.Write(u.ctx, u.b)
	}
	if err := u.first.Write(u.ctx, u.a); err != nil {
		return 0, err
	}
	return len(p), u.after.Write(u.ctx, u.b)
}

// encode writes keys so that the order of their bytes is the one that was asked for. dst
// may be src.
func (l *largeSort) encode(dst, src []byte) {
	key.ByWidth(l.width, encodeKeys[uint8], encodeKeys[uint16], encodeKeys[uint32], encodeKeys[uint64])(dst, src, l.codec())
}

// decode undoes encode.
func (l *largeSort) decode(dst, src []byte) {
	key.ByWidth(l.width, decodeKeys[uint8], decodeKeys[uint16], decodeKeys[uint32], decodeKeys[uint64])(dst, src, l.codec())
}

// codec is that of keys alone: of them, ties of different bits have one order.
func (l *largeSort) codec() key.Codec {
	o := l.order()
	o.EqualZeros = false
	return key.CodecOf(l.f.keys.Item.Type, o)
}

func encodeKeys[U key.Word](dst, src []byte, c key.Codec) {
	w := int(unsafe.Sizeof(U(0)))
	for i := 0; i < len(src); i += w {
		u := uint64(0)
		for k := w - 1; k >= 0; k-- {
			u = u<<8 | uint64(src[i+k])
		}
		u = uint64(key.Encode(c, U(u)))
		for k := w - 1; k >= 0; k-- {
			dst[i+k], u = byte(u), u>>8
		}
	}
}

func decodeKeys[U key.Word](dst, src []byte, c key.Codec) {
	w := int(unsafe.Sizeof(U(0)))
	for i := 0; i < len(src); i += w {
		u := uint64(0)
		for k := range w {
			u = u<<8 | uint64(src[i+k])
		}
		u = uint64(key.Decode(c, U(u)))
		for k := range w {
			dst[i+k], u = byte(u), u>>8
		}
	}
}

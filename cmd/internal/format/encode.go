package format

import (
	"context"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/key"
)

// Encoder writes a column in parts.
type Encoder struct {
	w     io.Writer
	kind  Kind
	it    Item
	left  uint64 // items still to come
	moved func(bytes int64)
	buf   []byte // of coded
}

// writeBytes is the size of one write: large enough that the call costs
// nothing, small enough that a cancelled context is noticed at once.
const writeBytes = 4 << 20

// NewEncoder writes the header, if the format has one, for n items. moved, if
// not nil, is told the bytes of data that each write took from the column.
// Opaque items cannot be written as text, arrays of several dimensions only as .npy.
func NewEncoder(w io.Writer, kind Kind, it Item, n uint64, moved func(int64)) (*Encoder, error) {
	if kind == Text && it.Opaque {
		return nil, fmt.Errorf("%v cannot be written as text: use raw or npy", it)
	}
	if kind != NPY && it.Array != nil {
		return nil, fmt.Errorf("an array of %v cannot be written as %v: use npy", it.Array, kind)
	}
	if moved == nil {
		moved = func(int64) {}
	}
	if kind == NPY {
		if _, err := w.Write(appendNPYHeader(nil, it, n)); err != nil {
			return nil, err
		}
	}
	return &Encoder{w: w, kind: kind, it: it, left: n, moved: moved}, nil
}

// Write writes the next items. data is a whole number of them.
func (e *Encoder) Write(ctx context.Context, data []byte) error {
	n := uint64(len(data) / e.it.Bytes)
	if n > e.left {
		panic("format: more items than announced")
	}
	e.left -= n
	if e.kind == Text {
		return e.text(ctx, data)
	}
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := data[:min(writeBytes, len(data))]
		if _, err := e.w.Write(e.coded(part)); err != nil {
			return err
		}
		e.moved(int64(len(part)))
		data = data[len(part):]
	}
	return nil
}

// coded returns a part as the file holds it; what it returned before is then invalid.
func (e *Encoder) coded(part []byte) []byte {
	if e.kind != NPY || !e.it.coded() {
		return part
	}
	if e.buf == nil {
		e.buf = make([]byte, writeBytes)
	}
	out := e.buf[:len(part)/e.it.Bytes*e.it.fileBytes()]
	e.it.encode(out, part)
	return out
}

// textItems is how many numbers one goroutine writes at a time, and textGroup
// how many such parts are in memory at once.
const (
	textItems = 1 << 15
	textGroup = 16
)

func (e *Encoder) text(ctx context.Context, data []byte) error {
	bufs := make([][]byte, textGroup)
	for w := textItems * e.it.Bytes; len(data) > 0; {
		var parts [][]byte
		for len(data) > 0 && len(parts) < textGroup {
			n := min(w, len(data))
			parts, data = append(parts, data[:n]), data[n:]
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		each(len(parts), func(i int) error {
			bufs[i] = appendLines(bufs[i][:0], &Column{e.it, parts[i]})
			return nil
		})
		for i, p := range parts {
			if _, err := e.w.Write(bufs[i]); err != nil {
				return err
			}
			e.moved(int64(len(p)))
		}
	}
	return nil
}

func appendLines(b []byte, c *Column) []byte {
	return key.ByWidth(c.Bytes, lines[uint8], lines[uint16], lines[uint32], lines[uint64])(b, c)
}

func lines[U key.Word](b []byte, c *Column) []byte {
	for _, u := range View[U](c) {
		b = append(appendNumber(b, c.Type, uint64(u)), '\n')
	}
	return b
}

// Encode writes a whole column.
func Encode(ctx context.Context, w io.Writer, kind Kind, c *Column, moved func(int64)) error {
	e, err := NewEncoder(w, kind, c.Item, uint64(c.Len()), moved)
	if err != nil {
		return err
	}
	return e.Write(ctx, c.Data)
}

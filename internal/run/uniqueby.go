package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/gpusort/gpusort/internal/key/schema"
)

// A frame is a row behind its length and its place in the input, so that rows that were
// sorted by one order can be told apart, and have their places, in another.
const frameHead = 4 + 8

// framed is the Format of frames, whose keys are made of those of their rows.
type framed struct {
	Options
	first bool // by the keys that are to be unique, then by the order; else by the order
}

// Cut implements Format.
func (f framed) Cut(b []byte) (int, error) {
	at := 0
	for at+frameHead <= len(b) {
		next := at + frameHead + int(binary.LittleEndian.Uint32(b[at:]))
		if next > len(b) {
			break
		}
		at = next
	}
	return at, nil
}

// Split implements Format.
func (f framed) Split(b []byte, ends []uint32) []uint32 {
	for at := 0; at < len(b); {
		at += frameHead + int(binary.LittleEndian.Uint32(b[at:]))
		ends = append(ends, uint32(at))
	}
	return ends
}

// End implements Format.
func (f framed) End([]byte) (more []byte, row int64, err error) { return nil, 0, nil }

// Delimiter implements Format.
func (f framed) Delimiter() int { return 0 }

// Encoder implements Format. Both parts of a key are escaped, so that none is the beginning
// of another one.
func (f framed) Encoder() func(dst, frame []byte) ([]byte, error) {
	order, unique := f.orderOf(), f.UniqueBy()
	var buf []byte
	return func(dst, frame []byte) (_ []byte, err error) {
		row := f.rowOf(frame)
		if f.first {
			if buf, err = keyOf(unique, buf[:0], row); err != nil {
				return dst, err
			}
			dst = schema.AppendEscaped(dst, buf)
		}
		if buf, err = order(buf[:0], row); err != nil {
			return dst, err
		}
		at := len(dst)
		dst = schema.AppendEscaped(dst, buf)
		for i := at; f.Desc && i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
		return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(frame[4:])), nil
	}
}

// rowOf is the row in a frame, without its delimiter.
func (f framed) rowOf(frame []byte) []byte {
	return frame[frameHead : len(frame)-f.Format.Delimiter()]
}

// orderOf returns what appends all that rows are ordered by.
func (f framed) orderOf() func(dst, row []byte) ([]byte, error) {
	keys := f.Format.Encoder()
	return func(dst, row []byte) (_ []byte, err error) {
		if dst, err = keyOf(keys, dst, row); err == nil && keys != nil && f.Tail {
			dst = append(dst, row...)
		}
		return dst, err
	}
}

// keyOf appends the key of a row, which may be the row.
func keyOf(keys func(dst, row []byte) ([]byte, error), dst, row []byte) ([]byte, error) {
	if keys == nil {
		return append(dst, row...), nil
	}
	return keys(dst, row)
}

// framer makes frames of the rows of inputs.
type framer struct {
	reader
	buf, frames []byte
	at          int
	ends        []uint32
	rows        uint64
}

// Read implements io.Reader.
func (f *framer) Read(b []byte) (int, error) {
	for f.at == len(f.frames) {
		if cap(f.buf) == 0 || cap(f.buf) > 8*blockBytes {
			f.buf = make([]byte, blockBytes)
		}
		rows, whole, err := f.next(f.buf)
		f.buf = whole
		if err != nil {
			return 0, err
		}
		f.ends = f.format.Split(rows, f.ends[:0])
		f.frames, f.at = f.frames[:0], 0
		from := uint32(0)
		for _, end := range f.ends {
			f.frames = binary.LittleEndian.AppendUint32(f.frames, end-from)
			f.frames = binary.LittleEndian.AppendUint64(f.frames, f.rows)
			f.frames = append(f.frames, rows[from:end]...)
			from = end
			f.rows++
		}
	}
	n := copy(b, f.frames[f.at:])
	f.at += n
	return n, nil
}

// Close implements io.Closer.
func (f *framer) Close() error { return f.close() }

// distinct hands on the first of the frames that have the same key.
type distinct struct {
	framed
	keys      func(dst, row []byte) ([]byte, error)
	w         io.Writer
	last, key []byte
	any       bool
	ends      []uint32
	kept      []byte
}

// WriteRows implements RowWriter.
func (d *distinct) WriteRows(b []byte, _ int) (err error) {
	d.ends, d.kept = d.Split(b, d.ends[:0]), d.kept[:0]
	from := uint32(0)
	for _, end := range d.ends {
		frame := b[from:end]
		from = end
		if d.key, err = keyOf(d.keys, d.key[:0], d.rowOf(frame)); err != nil {
			return err
		}
		if d.any && bytes.Equal(d.key, d.last) {
			continue
		}
		d.last, d.key, d.any = d.key, d.last, true
		d.kept = append(d.kept, frame...)
	}
	if len(d.kept) == 0 {
		return nil // a pipe would hand on a read of nothing
	}
	_, err = d.Write(d.kept)
	return err
}

// Write implements io.Writer.
func (d *distinct) Write(b []byte) (int, error) { return d.w.Write(b) }

// unframed writes the rows of frames.
type unframed struct {
	framed
	out  *output
	ends []uint32
	rows []byte
}

// WriteRows implements RowWriter.
func (u *unframed) WriteRows(b []byte, n int) error {
	u.ends, u.rows = u.Split(b, u.ends[:0]), u.rows[:0]
	from := uint32(0)
	for _, end := range u.ends {
		u.rows = append(u.rows, b[from+frameHead:end]...)
		from = end
	}
	return u.out.write(u.rows, n)
}

// Write implements io.Writer.
func (u *unframed) Write(b []byte) (int, error) { return len(b), u.WriteRows(b, 0) }

// sortUnique sorts twice, each time with half of the memory and files: by the keys that are to be
// unique and the order, of which the first rows of each key go on, and then by the order.
func sortUnique(ctx context.Context, o Options, inputs []Input, w io.Writer) (Stats, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := o
	first.Budget, first.UniqueBy, first.Desc, first.Tail, first.Unique, first.Top = o.Budget/2, nil, false, false, false, 0
	first.half = true
	second := first
	first.Format, second.Format, second.Top = framed{o, true}, framed{o, false}, o.Top
	first.Phase = func(name string, n int64) func(int64) {
		if name == "writing" || name == "merging" {
			name = "passing on"
		}
		return o.Phase(name, n)
	}
	// It reads while the other one works, whose phases those are.
	second.Phase = func(name string, n int64) func(int64) {
		if name == "writing" || name == "merging" {
			return o.Phase(name, n)
		}
		return func(int64) {}
	}
	second.Heap = func(int64) int64 { return 0 }
	in := &framer{reader: newReader(ctx, o, 0, inputs)}
	r, pipe := io.Pipe()
	var a, st Stats // of both sorts
	var failed, err error
	end := func() {
		r.Close()
		cancel()
	}
	team := crew{stop: func() {
		pipe.CloseWithError(errEarlyEnd)
		end()
	}}
	team.begin(func() {
		d := &distinct{framed: framed{o, true}, keys: o.UniqueBy(), w: pipe}
		a, failed = Sort(ctx, first, []Input{func() (io.ReadCloser, error) { return in, nil }}, -1, d)
		pipe.CloseWithError(failed)
	})
	out := &output{w: w, format: o.Format, moved: func(int64) {}}
	team.lead(func() {
		st, err = Sort(ctx, second, []Input{func() (io.ReadCloser, error) { return r, nil }}, -1, &unframed{framed: framed{o, false}, out: out})
	}, end)
	if err == nil {
		err = failed
	}
	st.Rows, st.Bytes, st.Budget = a.Rows, in.bytes, o.Budget
	st.Runs, st.Spilled, st.Passes = st.Runs+a.Runs, st.Spilled+a.Spilled, st.Passes+a.Passes
	st.Read, st.Written = a.Read, st.Written+a.Written
	if st.Phases == nil {
		st.Phases = map[string]float64{}
	}
	for name, s := range a.Phases {
		st.Phases[name] += s
	}
	return st, err
}

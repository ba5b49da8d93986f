package run

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// Mappable is an input that may be taken as memory: its rows need not be copied.
type Mappable interface {
	// Map returns the bytes that are still to be read, behind so many of those that were read
	// last. It returns mem.ErrUnmapped if they are to be read instead.
	Map(before int) (*mem.Mapped, error)
}

// mapRest is Map of whatever is read.
func mapRest(r io.Reader, before int) (*mem.Mapped, error) {
	if m, ok := r.(Mappable); ok {
		return m.Map(before)
	}
	return nil, mem.ErrUnmapped
}

// File is an input that may be a regular file.
type File struct {
	*os.File
	Keep bool // Close leaves it open

	least int64 // bytes from which it is mapped; 0: mapFrom
}

// Close implements io.Closer.
func (f File) Close() error {
	if f.Keep {
		return nil
	}
	return f.File.Close()
}

const (
	// mapFrom is the size from which a file is mapped: below, reading takes no longer.
	mapFrom = 1 << 20
	// mapTo is the size up to which it is: places have 32 bits.
	mapTo = math.MaxUint32 - mostEnd
	// mostEnd is how many bytes End may add.
	mostEnd = 16
)

// Map implements Mappable.
func (f File) Map(before int) (*mem.Mapped, error) {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, mem.ErrUnmapped
	}
	at, err := f.Seek(0, io.SeekCurrent)
	at -= int64(before)
	rest, least := st.Size()-at, f.least
	if least == 0 {
		least = mapFrom
	}
	if err != nil || at < 0 || rest < least || rest > mapTo {
		return nil, mem.ErrUnmapped
	}
	m, err := mem.MapFile(f.File, at, st.Size())
	if err != nil {
		return nil, err
	}
	if cap(m.Text)-len(m.Text) < mostEnd {
		m.Release() // there is no room for the end that the last row may lack
		return nil, mem.ErrUnmapped
	}
	return m, nil
}

// mapInput opens the input and has the table's rows lie in it, if it is one that can be mapped
// and all of its rows are kept.
func (f *former) mapInput(r *reader) error {
	if len(r.inputs) != 1 || f.Unique || f.selecting() || f.Observe != nil {
		return nil
	}
	if err := r.openNext(); err != nil {
		return err
	}
	m, err := mapRest(r.open, 0)
	if err != nil {
		return nil // it is read
	}
	numbers, err := f.areNumbers(m)
	if err != nil || numbers {
		m.Release()
		return err
	}
	r.file = m
	f.t.lieIn(m)
	// Pages of rows to come are there beside those of the table: 1 to 3 MiB were measured.
	f.t.room -= min(f.t.room/8, uint64(f.readAhead()*f.block))
	return m.Taken()
}

// areNumbers reports whether the first rows of a file are but numbers, which need no rows. If
// not, none of the rows counts as a number.
func (f *former) areNumbers(m *mem.Mapped) (yes bool, err error) {
	if f.numbered == nil {
		return false, nil
	}
	err = m.Guard(func() error {
		first := m.Text[:min(len(m.Text), firstBytes)]
		cut, _ := f.Format.Cut(first)
		_, yes = f.numbered.Numbers(first[:cut], nil)
		return nil
	})
	f.t.numbers.Store(yes)
	return yes, err
}

// lieIn has rows lie in a file.
func (t *table) lieIn(m *mem.Mapped) {
	t.file, t.fileText = m, m.Text[:cap(m.Text)]
	if t.keyed {
		t.until, t.less, t.to = 2, 0, 3
	}
	t.point()
}

// end is where the last entry ends.
func (t *table) end() uint64 {
	switch {
	case t.file == nil:
		return t.used
	case t.keyed:
		return t.keyBytes
	}
	return uint64(t.fileEnd)
}

// guard does what reads rows, which may fail if they lie in a file.
func (t *table) guard(work func() error) error {
	if t.file == nil {
		return work()
	}
	return t.file.Guard(work)
}

// nextOfFile returns the next rows of the file, whole ones of so many bytes, or one that is longer.
func (r *reader) nextOfFile(size int) ([]byte, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	text := r.file.Text
	r.at = r.after
	from := int(r.at)
	if from == len(text) {
		return nil, io.EOF
	}
	for ; ; size *= 2 {
		to := min(from+size, len(text))
		if err := r.file.Load(from, to); err != nil {
			return nil, err
		}
		end, err := r.cutFile(from, to)
		if err != nil {
			return nil, err
		}
		if end > from {
			r.after = int64(end)
			r.bytes += int64(min(end, len(text)) - from)
			return r.file.Text[from:end], nil
		}
	}
}

// cutFile returns where the last whole row ends that begins and ends at bytes [from, to) of the
// file. The last row of the file gets the end that it lacks.
func (r *reader) cutFile(from, to int) (end int, err error) {
	text := r.file.Text
	if to < len(text) {
		var cut int
		var wrong error
		err := r.file.Guard(func() error {
			cut, wrong = r.format.Cut(text[from:to])
			return nil
		})
		if err == nil && cut == 0 && wrong != nil {
			err = &RowError{r.input(), 1, wrong}
		}
		return from + cut, err
	}
	var more []byte
	var row int64
	var wrong error
	err = r.file.Guard(func() error {
		more, row, wrong = r.format.End(text[from:])
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case wrong != nil:
		return 0, &RowError{r.input(), row + 1, wrong}
	case len(more) > mostEnd:
		return 0, fmt.Errorf("the last row lacks %d bytes, more than %d", len(more), mostEnd)
	}
	r.file.Text = append(text, more...) // in place
	return len(r.file.Text), nil
}

// takeFile is take of rows that lie in a file: the room for their keys.
func (p *parser) takeFile(base uint32) span {
	t := p.t
	s := span{t.rows, t.keyBytes}
	t.take(p.count, p.bytes())
	t.keyBytes += uint64(len(p.entries))
	t.fileEnd = base + uint32(len(p.kept))
	return s
}

// storePlaces copies keys to their room, and notes where rows lie, the first at base.
func (p *parser) storePlaces(s span, base uint32) {
	t := p.t
	if p.keys == nil {
		place := t.place.All[s.row : s.row+p.count]
		if len(place) > 0 {
			place[0] = base
			for i, e := range p.ends[:len(place)-1] {
				place[i+1] = base + e
			}
		}
		return
	}
	copy(t.data.All[s.at:], p.entries)
	place := t.place.All[2*s.row : 2*(s.row+p.count)]
	for i, b := range p.begins {
		place[2*i], place[2*i+1] = uint32(s.at)+b, base+p.texts[i]
	}
}

// argsortFile is argsort of rows that lie in a file.
func (f *former) argsortFile(o bytekeys.Options) error {
	t := f.t
	if t.keyed {
		t.place.All[2*t.rows+1] = t.fileEnd
	}
	if t.keyed && f.Tail {
		o.Tail = fileRows{t, uint32(f.Format.Delimiter())}
	}
	var failed atomic.Pointer[error]
	o.Guard = func(work func()) {
		if err := t.file.Guard(func() error { work(); return nil }); err != nil {
			failed.Store(&err)
		}
	}
	err := bytekeys.Argsort(f.ctx, t.index.All[:t.rows], t, o)
	if e := failed.Load(); e != nil {
		return *e
	}
	return err
}

// fileRows is the rows of a file, without their delimiters, as a bytekeys.Source.
type fileRows struct {
	*table
	cut uint32
}

// Bytes implements bytekeys.Source.
func (f fileRows) Bytes(i uint32) []byte {
	place := f.place.All[2*int(i) : 2*int(i)+4]
	return f.texts[place[1] : place[3]-f.cut]
}

// Touch implements bytekeys.Toucher.
func (f fileRows) Touch(rows []uint32, depth, n int) byte {
	var from [bytekeys.TouchRows]uint64
	rows = rows[:min(len(rows), len(from))]
	places(&from, rows, f.place.All[1:], 2)
	return touch(from[:len(rows)], f.texts[:f.fileEnd], depth, n)
}

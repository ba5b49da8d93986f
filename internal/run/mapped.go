package run

import (
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// mapInput opens the input and has the table's rows lie in it, if it is one that can be mapped
// and all of its rows are kept.
func (f *former) mapInput(r *reader) error {
	if len(r.inputs) != 1 || f.Unique || f.selecting() || f.Observe != nil {
		return nil
	}
	if err := r.openNext(); err != nil {
		return err
	}
	m, err := MapRest(r.open, 0)
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
	t.file, t.texts = m, m.Text[:cap(m.Text)]
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
	lookUp(&from, rows, f.place.All[1:], 2)
	return bring(from[:len(rows)], f.texts[:f.fileEnd], depth, n)
}

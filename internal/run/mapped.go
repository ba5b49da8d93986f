package run

import (
	"context"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// mapInput opens the input and has the table's rows lie in it, if it is one that can be mapped
// and all of its rows are kept.
func (f *former) mapInput(r *reader) error {
	if len(r.inputs) != 1 || !f.keepsAll() {
		return nil
	}
	if err := r.openNext(); err != nil {
		return err
	}
	m, err := MapRest(r.open, 0)
	if err != nil {
		return nil // it is read
	}
	defer func() {
		if r.file == nil {
			m.Release()
		}
	}()
	if numbers, err := f.areNumbers(m); err != nil || numbers {
		return err
	}
	r.file = m
	f.t.file, f.t.texts = m, m.Text[:cap(m.Text)]
	f.t.point()
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

// guard does what reads rows, which may fail if they lie in a file.
func (t *table) guard(work func() error) error {
	if t.file == nil {
		return work()
	}
	return t.file.Guard(work)
}

// argsort sorts the index. If rows lie in a file that cannot be read, it returns that error.
func (t *table) argsort(ctx context.Context, o bytekeys.Options) error {
	index := t.index.All[:t.rows]
	if t.file == nil {
		return bytekeys.Argsort(ctx, index, t, o)
	}
	var failed atomic.Pointer[error]
	o.Guard = func(work func()) {
		if err := t.file.Guard(func() error { work(); return nil }); err != nil {
			failed.Store(&err)
		}
	}
	err := bytekeys.Argsort(ctx, index, t, o)
	if e := failed.Load(); e != nil {
		return *e
	}
	return err
}

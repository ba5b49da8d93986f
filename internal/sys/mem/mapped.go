package mem

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Mapped is the rest of a file as memory: pages of the system's cache of files, none of the
// process's own. The file is not written. If another program makes it shorter, the memory
// cannot be read any more, so what reads it is work of Guard.
type Mapped struct {
	Text  []byte // the rest; append may find room behind it
	file  *os.File
	pages []byte // that Text lies in
	skip  int    // bytes of pages before Text
	asked int    // bytes of pages that the disk has been asked for
}

// ErrUnmapped is that of files which cannot be mapped, and are to be read.
var ErrUnmapped = errors.New("the file is not mapped to memory")

// readAhead is how far ahead of Load the disk is asked for pages: some milliseconds of its work.
const readAhead = 4 << 20

// MapFile maps f from a byte on, of so many in all.
func MapFile(f *os.File, from, size int64) (*Mapped, error) {
	skip := from % int64(os.Getpagesize())
	pages, err := mapFile(f, from-skip, int(size-from+skip))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrUnmapped, err)
	}
	return &Mapped{Text: pages[skip:], file: f, pages: pages[:cap(pages)], skip: int(skip)}, nil
}

// Guard does the work, and returns an error if memory of the file could not be read.
func (m *Mapped) Guard(work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, ok := r.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !ok || fault.Addr()-uintptr(unsafe.Pointer(unsafe.SliceData(m.pages))) >= uintptr(len(m.pages)) {
			panic(r)
		}
		err = m.shorter()
	}()
	return work()
}

func (m *Mapped) shorter() error {
	return fmt.Errorf("%s became shorter, or unreadable, while it was sorted: sort a copy of it", m.file.Name())
}

// Load brings bytes [lo, hi) of the text to memory. Calls come one after another, in rising order.
func (m *Mapped) Load(lo, hi int) error {
	page := os.Getpagesize()
	lo, hi = (lo+m.skip)/page*page, hi+m.skip
	if to := min(hi+readAhead, len(m.pages)) / page * page; to > m.asked {
		willNeed(m.pages[m.asked:to])
		m.asked = to
	}
	if !load(m.pages[lo:hi]) {
		return m.shorter()
	}
	return nil
}

// Taken moves the position of the file to its end, as if it were read.
func (m *Mapped) Taken() error {
	_, err := m.file.Seek(0, io.SeekEnd)
	return err
}

// Drop gives the pages back. They come again when they are read; what was appended stays.
func (m *Mapped) Drop() {
	if page := os.Getpagesize(); len(m.pages) > page {
		_ = drop(m.pages[: len(m.pages)-page : len(m.pages)-page])
	}
}

// Release ends the mapping.
func (m *Mapped) Release() {
	unreserve(m.pages)
	*m = Mapped{}
}

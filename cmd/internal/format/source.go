package format

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/patient"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/sys/steady"
)

// Spec says how to read a source.
type Spec struct {
	Kind   Kind      // Auto: by the name and the content
	Item   *Item     // what it holds; nil: the .npy header or the name says it
	Opaque bool      // values, not keys: any fixed-width type will do
	Stdin  io.Reader // what the name "-" reads
	Arrays bool      // whether .npy arrays of several dimensions are taken
	// Numbers is what text may hold.
	Numbers Numbers
	// Flag names the option that gives Item, for errors: "--type".
	Flag string
	// KindFlag names the option that gives Kind, for errors: "--format"; empty if
	// there is none.
	KindFlag string
}

// Source is an open input whose format, type and, if it can be known before
// reading, length are known.
type Source struct {
	Name string // for errors; "standard input" for "-"
	Kind Kind
	Item Item
	// Items is the number of items, −1 if only reading will tell.
	Items int64

	numbers Numbers

	f       *os.File     // a regular file, or nil
	r       io.Reader    // anything else; behind the header
	off     int64        // of a regular file: where the data start
	size    int64        // bytes of data in a regular file
	was     steady.State // of a regular file when it was opened
	spec    Spec
	notText string // what to do if Kind is text by a wrong guess; empty: no guess
	shut    io.Closer

	// Packed is how the file is compressed, and Window what unpacking it takes, 0 if that is
	// not known.
	Packed packed.Kind
	Window uint64
}

// Open opens name, or spec.Stdin if the name is "-", and reads the header. The
// caller closes the Source.
//
// Opening or reading what makes one wait, such as a pipe or a terminal, ends with
// the error of ctx.
func Open(ctx context.Context, name string, spec Spec) (*Source, error) {
	s := &Source{Name: name, Kind: spec.Kind, Items: -1, numbers: spec.Numbers, size: -1, spec: spec}
	switch name {
	case "":
		return nil, errors.New("the name of an input is empty: name a file, or - for standard input")
	case "-":
		s.Name, s.r = "standard input", patient.Reader{Ctx: ctx, R: spec.Stdin}
		if f, ok := spec.Stdin.(*os.File); ok {
			s.take(ctx, f)
		}
	default:
		f, err := patient.Open(ctx, name, os.O_RDONLY)
		if err != nil {
			return nil, err
		}
		if st, err := f.Stat(); err == nil && st.IsDir() {
			f.Close()
			return nil, fmt.Errorf("%s is a directory: name a file", name)
		}
		s.shut = f
		s.take(ctx, f)
	}
	name, err := s.unpack(name, spec)
	if err == nil {
		err = s.describe(name, spec)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return s, nil
}

// unpack has compressed data unpacked as they are read, and returns the name of what is in
// them. That they are compressed says the content; a name that says they are something else,
// or to take them as raw data, goes before it.
func (s *Source) unpack(name string, spec Spec) (string, error) {
	named := packed.ByName(name) != packed.None
	if guess, _ := Guess(name); spec.Kind == Raw || !named && (guess != Auto || spec.Opaque) {
		return name, nil
	}
	head, err := s.head()
	if err != nil {
		return name, err
	}
	k := packed.Of(head)
	if k == packed.None || !named && foreignTo(head) == nil {
		return name, nil
	}
	var in io.Reader = s.r
	if s.f != nil {
		in = s.steady()
	}
	r, err := packed.NewReader(k, io.NopCloser(in))
	if err != nil {
		return name, err
	}
	s.Packed, s.Window = k, packed.WindowOf(k, head)
	s.f, s.r, s.size, s.shut = nil, r, -1, closers{r, s.shut}
	return packed.Inner(name), nil
}

// closers are closed one after another.
type closers [2]io.Closer

// Close implements io.Closer.
func (c closers) Close() (err error) {
	for _, one := range c {
		if one != nil {
			err = cmp.Or(one.Close(), err)
		}
	}
	return err
}

// take uses f by position if it is a regular file, else as a stream. Files of
// /proc say that they are empty: only reading tells.
func (s *Source) take(ctx context.Context, f *os.File) {
	s.r = patient.Reader{Ctx: ctx, R: f}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return
	}
	if at, err := f.Seek(0, io.SeekCurrent); err == nil {
		s.f, s.off, s.size, s.was = f, at, max(st.Size()-at, 0), steady.Of(f)
	}
}

func (s *Source) describe(name string, spec Spec) error {
	guess, t := Guess(name)
	if s.Kind == Auto {
		var err error
		if s.Kind, err = s.judge(guess, spec); err != nil {
			return err
		}
	}
	want := spec.Item
	if want == nil && t != nil && guess == Raw && s.Kind == Raw {
		it := KeyItem(*t)
		want = &it
	}
	if s.Kind == NPY {
		return s.describeNPY(want, spec)
	}
	if want == nil {
		return fmt.Errorf("%v data do not say their type: give %s, such as %s u64", s.Kind, spec.Flag, spec.Flag)
	}
	s.Item = *want
	if s.Item.Array = nil; !s.Item.Opaque {
		s.Item.Descr = ""
	}
	if s.Kind == Text {
		if s.Item.Opaque {
			return fmt.Errorf("text cannot hold %v: use raw or npy", s.Item)
		}
		return nil
	}
	if s.size >= 0 {
		s.Items = s.size / int64(s.Item.Bytes)
		if s.size%int64(s.Item.Bytes) == 0 {
			return nil
		}
		head, err := s.head()
		if err != nil {
			return err
		}
		return s.whole(s.size, head)
	}
	return nil
}

// whole reports a length that is no multiple of the item's width, of data that begin
// with head. What they are known to be by that says more than their length.
func (s *Source) whole(n int64, head []byte) error {
	over := n % int64(s.Item.Bytes)
	switch f := foreignTo(head); {
	case over == 0:
		return nil
	case f != nil:
		return fmt.Errorf("this is %s data, no plain numbers: %s; its length of %d bytes is no multiple of %d, the width of %v",
			f.name, f.remedy, n, s.Item.Bytes, s.Item)
	}
	return fmt.Errorf("length of %d bytes is no multiple of %d, the width of %v: %d bytes are left over; is it complete, is the type right, or is it text (%s)?",
		n, s.Item.Bytes, s.Item, over, s.spec.ask(Text))
}

func (s *Source) describeNPY(want *Item, spec Spec) error {
	if s.f == nil {
		s.r = bufio.NewReaderSize(s.r, 1<<16)
	} else {
		s.r = io.NewSectionReader(s.f, s.off, s.size)
	}
	h, err := readNPYHeader(s.r)
	if errors.Is(err, errNotNPY) {
		return fmt.Errorf("%w; for raw data %s", err, spec.ask(Raw))
	}
	if err != nil {
		return err
	}
	if s.Item, err = npyItem(h.descr, spec.Opaque); err != nil {
		return err
	}
	s.Item.Array = h.array
	switch {
	case h.array != nil && !spec.Arrays:
		return fmt.Errorf(".npy array has %d dimensions (%v), want 1: give --axis N to sort along one, or save x.ravel()", len(h.array.Shape), h.array)
	case want == nil:
	case spec.Opaque && want.Bytes != s.Item.Bytes, !spec.Opaque && want.Type != s.Item.Type:
		return fmt.Errorf("the .npy header says %s, %s says %v", h.descr, spec.Flag, *want)
	}
	data := h.items * uint64(s.Item.fileBytes())
	if h.items > 1<<62/uint64(s.Item.Bytes) {
		return fmt.Errorf(".npy header promises %d items: more than any file holds", h.items)
	}
	s.Items = int64(h.items)
	if s.f != nil {
		s.off += int64(h.bytes)
		s.size -= int64(h.bytes)
		return s.complete(uint64(s.size), data)
	}
	return nil
}

// complete compares the data's length with what the .npy header promised.
func (s *Source) complete(have, want uint64) error {
	switch {
	case have < want:
		return fmt.Errorf("truncated .npy file: the header promises %d items (%d bytes), %d bytes are there", s.Items, want, have)
	case have > want:
		return fmt.Errorf(".npy file goes on after its array of %d items: %d bytes more; save one array per file", s.Items, have-want)
	}
	return nil
}

// Close closes the file, if Open opened one.
func (s *Source) Close() error {
	if s.shut == nil {
		return nil
	}
	return s.shut.Close()
}

// Size returns the bytes of data, 0 if only reading will tell.
func (s *Source) Size() int64 { return max(s.size, 0) }

// Reader returns the data of a raw or .npy source as a stream, for inputs that
// are looked at once. It ends with an error if the file was written by then.
func (s *Source) Reader() io.Reader {
	r := s.r
	if s.f != nil {
		r = s.steady()
	}
	if s.Kind == NPY && s.Item.coded() {
		return newDecoder(r, s.Item)
	}
	return r
}

// unchanged reads a file that must not be written meanwhile.
type unchanged struct {
	f   *os.File
	was steady.State
	r   io.Reader
}

// steady reads the data of a regular file.
func (s *Source) steady() io.Reader {
	return unchanged{s.f, s.was, io.NewSectionReader(s.f, s.off, s.size)}
}

func (r unchanged) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err == io.EOF {
		err = cmp.Or(r.was.Check(r.f), err)
	}
	return n, err
}

// Load reads everything into memory. moved, if not nil, is told the bytes of
// every read, or of text when it is understood; it is called by several goroutines at once.
func (s *Source) Load(ctx context.Context, moved func(int64)) (*Column, error) {
	if moved == nil {
		moved = func(int64) {}
	}
	col, err := s.load(ctx, moved)
	if err != nil {
		return nil, s.named(ctx, err)
	}
	return col, nil
}

// named is err with the source's name, unless it has one or says that ctx ended.
func (s *Source) named(ctx context.Context, err error) error {
	var pe *fs.PathError
	if ctx.Err() != nil || errors.As(err, &pe) {
		return err
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// understood is an error of ParseText with what the options can do about it.
func (s *Source) understood(err error) error {
	var bad *LineError
	if !errors.As(err, &bad) {
		return err
	}
	if bad.TypeFlag = s.spec.Flag; s.notText != "" {
		err = fmt.Errorf("%w; it was taken for text by its content: for raw data %s", err, s.notText)
	}
	return err
}

func (s *Source) load(ctx context.Context, moved func(int64)) (*Column, error) {
	reading := moved
	if s.Kind == Text {
		reading = func(int64) {} // understanding it takes longer, and counts
	}
	data, err := s.bytes(ctx, reading)
	switch {
	case err != nil:
		return nil, err
	case s.Kind == Text:
		col, err := s.numbers.ParseText(ctx, data, s.Item.Type, moved)
		return col, s.understood(err)
	case s.Kind == NPY:
		if err := s.complete(uint64(len(data)), uint64(s.Items)*uint64(s.Item.fileBytes())); err != nil {
			return nil, err
		}
		if s.Item.coded() {
			if err := room.For(uint64(s.Items), uint64(s.Item.Bytes)); err != nil {
				return nil, err
			}
			data = s.Item.decodeAll(data)
		}
	}
	if err := s.whole(int64(len(data)), data[:min(len(data), headBytes)]); err != nil {
		return nil, err
	}
	return &Column{s.Item, data}, nil
}

// readBytes is the part that one goroutine reads at a time. Several read at
// once because copying from the page cache, not the disk, is the limit for a
// file that was just written.
const readBytes = 8 << 20

func (s *Source) bytes(ctx context.Context, moved func(int64)) ([]byte, error) {
	if s.f == nil {
		return readStream(ctx, s.r, moved)
	}
	if err := room.For(uint64(s.size), 1); err != nil {
		return nil, err
	}
	data := alloc(int(s.size))
	err := each(int((s.size+readBytes-1)/readBytes), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		lo := int64(i) * readBytes
		part := data[lo:min(lo+readBytes, s.size)]
		n, err := s.f.ReadAt(part, s.off+lo)
		moved(int64(n))
		if n == len(part) {
			return nil
		}
		if err == io.EOF {
			return cmp.Or(s.was.Check(s.f), io.ErrUnexpectedEOF)
		}
		return err
	})
	if err == nil {
		err = s.was.Check(s.f)
	}
	return data, err
}

// freedBytes is the length from which a buffer that was outgrown goes back to the
// system at once.
const freedBytes = 16 << 20

// readStream reads to the end into memory that doubles.
func readStream(ctx context.Context, r io.Reader, moved func(int64)) ([]byte, error) {
	data, n := alloc(1<<16), 0
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n == len(data) {
			if err := room.ToDouble(uint64(n)); err != nil {
				return nil, fmt.Errorf("after %s: %w", units.Bytes(uint64(n)), err)
			}
			grown := alloc(2 * n)
			copy(grown, data)
			data = grown
			if n >= freedBytes {
				debug.FreeOSMemory() // the old ones, before they count twice
			}
		}
		k, err := r.Read(data[n:min(len(data), n+readBytes)])
		n += k
		moved(int64(k))
		if err == io.EOF {
			return data[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

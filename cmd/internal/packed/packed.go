// Package packed reads and writes streams that are compressed by gzip, zstd, lz4, bzip2
// or xz.
package packed

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// Kind is how a stream is compressed.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	Gzip
	Zstd
	LZ4
	Bzip2
	XZ
)

// String returns the name of the program.
func (k Kind) String() string { return kinds[k].name }

var kinds = [...]struct{ name, magic, ending string }{
	None:  {"none", "", ""},
	Gzip:  {"gzip", "\x1f\x8b\x08", ".gz"},
	Zstd:  {"zstd", "\x28\xb5\x2f\xfd", ".zst"},
	LZ4:   {"lz4", "\x04\x22\x4d\x18", ".lz4"},
	Bzip2: {"bzip2", "BZh", ".bz2"},
	XZ:    {"xz", "\xfd7zXZ\x00", ".xz"},
}

// HeadBytes is how much of a stream tells all that can be told by its beginning.
const HeadBytes = 64

// Of tells the kind of a stream by the bytes that it begins with. Text begins like none.
func Of(head []byte) Kind {
	for k := Gzip; int(k) < len(kinds); k++ {
		if !strings.HasPrefix(string(head), kinds[k].magic) {
			continue
		}
		switch k {
		case Gzip: // flags, of which five exist
			if len(head) < 10 || head[3] >= 0x20 {
				continue
			}
		case Bzip2: // the block size, and that of a block or of the end follows
			if len(head) < 14 || head[3] < '1' || head[3] > '9' || string(head[4:10]) != "1AY&SY" && string(head[4:10]) != "\x17\x72\x45\x38\x50\x90" || text(head[10:]) {
				continue
			}
		}
		return k
	}
	return None
}

// Begins reports whether more bytes than head may tell a kind.
func Begins(head []byte) bool {
	if len(head) >= HeadBytes {
		return false
	}
	for k := Gzip; int(k) < len(kinds); k++ {
		m := kinds[k].magic
		if n := min(len(m), len(head)); string(head[:n]) == m[:n] {
			return true
		}
	}
	return false
}

// text reports whether b is printable, as behind the beginning of a bzip2 stream
// it hardly is.
func text(b []byte) bool {
	for _, c := range b {
		if c >= 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// ByName is the kind in which a file of that name is written.
func ByName(name string) Kind {
	for k := Gzip; int(k) < len(kinds); k++ {
		if e := kinds[k].ending; len(name) > len(e) && strings.EqualFold(name[len(name)-len(e):], e) {
			return k
		}
	}
	return None
}

// Inner is the name without the ending that says how a file is compressed.
func Inner(name string) string { return name[:len(name)-len(kinds[ByName(name)].ending)] }

// readAhead is how much of the packed bytes is read at a time.
const readAhead = 256 << 10

// Decoder is the most memory in bytes that a reader takes whose window is no larger
// than Window.
const (
	Decoder = 12 << 20
	Window  = 8 << 20
)

// mostWindow is what zstd --long=31 makes.
const mostWindow = 1 << 31

// reader unpacks a stream, and says what is wrong with it.
type reader struct {
	io.Reader
	kind Kind
	in   io.Closer
	free func()
}

// NewReader unpacks in.
func NewReader(k Kind, in io.ReadCloser) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(in, readAhead)
	r := &reader{kind: k, in: in}
	var err error
	switch k {
	case Gzip:
		r.Reader, err = newMembers(b)
	case Zstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
		if err == nil {
			r.Reader, r.free = d, d.Close
		}
	case LZ4:
		r.Reader = &frames{b, lz4.NewReader(b)}
	case Bzip2:
		r.Reader = bzip2.NewReader(b)
	case XZ:
		t := &ending{in: in}
		b.Reset(t)
		var x io.Reader
		x, err = xz.NewReader(b)
		r.Reader = whole{x, t}
	default:
		return in, nil
	}
	if err != nil {
		return nil, r.explain(err)
	}
	return r, nil
}

// Read implements io.Reader.
func (r *reader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = r.explain(err)
	}
	return n, err
}

func (r *reader) explain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return fmt.Errorf("the %v data end too early: the file is cut off", r.kind)
	}
	if err == errTrailing {
		return err
	}
	return fmt.Errorf("the %v data are damaged: %w", r.kind, err)
}

// Close frees what unpacking took, and closes the packed stream.
func (r *reader) Close() error {
	if r.free != nil {
		r.free()
	}
	return r.in.Close()
}

// frames reads frames of lz4 one after another.
type frames struct {
	in *bufio.Reader
	r  *lz4.Reader
}

// Read implements io.Reader.
func (f *frames) Read(b []byte) (int, error) {
	for {
		n, err := f.r.Read(b)
		if n > 0 || err != io.EOF {
			return n, err
		}
		if _, err := f.in.Peek(1); err != nil {
			return 0, err
		}
		f.r.Reset(f.in)
	}
}

// ending knows how a stream ends, apart from zeros behind it.
type ending struct {
	in   io.Reader
	last [2]byte
}

// Read implements io.Reader.
func (e *ending) Read(b []byte) (int, error) {
	n, err := e.in.Read(b)
	if rest := bytes.TrimRight(b[:n], "\x00"); len(rest) > 1 {
		copy(e.last[:], rest[len(rest)-2:])
	} else if len(rest) == 1 {
		e.last = [2]byte{e.last[1], rest[0]}
	}
	return n, err
}

// whole unpacks xz, and does not take an end between a block and the index for one
// behind it.
type whole struct {
	io.Reader
	in *ending
}

// Read implements io.Reader.
func (w whole) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if err == io.EOF && string(w.in.last[:]) != "YZ" {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// WindowOf is the window in bytes that unpacking a stream takes, as far as its head
// tells; 0 if it does not.
func WindowOf(k Kind, head []byte) uint64 {
	switch k {
	case Zstd:
		var h zstd.Header
		if h.Decode(head) == nil && !h.Skippable {
			if h.SingleSegment {
				return h.FrameContentSize
			}
			return h.WindowSize
		}
	case XZ:
		// Behind the stream's header of 12 bytes: the block's size, its flags, lengths that
		// may be absent, and a filter of one byte, the dictionary's length.
		if len(head) < 18 || head[13]&3 != 0 {
			return 0
		}
		at := 14
		for lengths := head[13] >> 6; lengths != 0; lengths &= lengths - 1 {
			for ; at < len(head) && head[at] >= 0x80; at++ {
			}
			at++
		}
		if at+2 < len(head) && head[at] == 0x21 && head[at+1] == 1 && head[at+2] <= 40 {
			return uint64(2|head[at+2]&1) << (head[at+2]/2 + 11)
		}
	}
	return 0
}

// The memory of a writer.
const (
	encoderWindow = 1 << 20
	Encoder       = 8 << 20 // the most in all
)

// NewWriter packs what is written to out, until it is closed. Kinds that are only read
// are an error.
func NewWriter(k Kind, out io.Writer) (io.WriteCloser, error) {
	switch k {
	case Gzip:
		return gzip.NewWriter(out), nil
	case Zstd:
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(encoderWindow), zstd.WithLowerEncoderMem(true))
	case LZ4:
		w := lz4.NewWriter(out)
		return w, w.Apply(lz4.BlockSizeOption(lz4.Block256Kb))
	}
	return nil, fmt.Errorf("%v is read, not written: end the name in .gz, .zst or .lz4", k)
}

package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"unicode"
)

// Gather reads at most so many bytes of a stream ahead, so that Load and Stream have them
// first. It reports whether that was all of it, and then Size is known. Files are not read.
func (s *Source) Gather(ctx context.Context, most int64) (all bool, err error) {
	if s.f != nil {
		return true, nil
	}
	head, err := readStream(ctx, io.LimitReader(s.r, most), func(int64) {})
	if err != nil {
		return false, s.named(ctx, err)
	}
	all = int64(len(head)) < most
	if all {
		s.r, s.size = bytes.NewReader(head), int64(len(head))
	} else {
		s.r = io.MultiReader(bytes.NewReader(head), s.r)
	}
	return all, nil
}

// Stream returns the items as memory holds them, in order, for one reading. Its errors
// name the source.
func (s *Source) Stream(ctx context.Context) io.Reader {
	if s.Kind == Text {
		var r io.Reader = s.r
		if s.f != nil {
			r = s.steady()
		}
		return &textStream{ctx: ctx, s: s, r: r}
	}
	return &itemStream{ctx: ctx, s: s, r: s.Reader()}
}

// itemStream sees to it that data are as long as they should be.
type itemStream struct {
	ctx  context.Context
	s    *Source
	r    io.Reader
	head []byte
	n    int64
}

func (t *itemStream) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += int64(n)
	t.head = append(t.head, p[:min(n, headBytes-len(t.head))]...)
	if err == io.EOF {
		bad := t.s.whole(t.n, t.head)
		if t.s.Kind == NPY {
			file := int64(t.s.Item.fileBytes())
			bad = t.s.complete(uint64(t.n/int64(t.s.Item.Bytes)*file), uint64(t.s.Items*file))
		}
		if bad != nil {
			err = bad
		}
	}
	if err != nil && err != io.EOF {
		err = t.s.named(t.ctx, err)
	}
	return n, err
}

// streamBytes is the text that is understood at a time, by all processors.
const streamBytes = 4 << 20

// textStream understands text in parts.
type textStream struct {
	ctx   context.Context
	s     *Source
	r     io.Reader
	text  []byte // read and not understood
	items []byte // understood and not handed out
	lines int64  // understood
	err   error  // of r
}

func (t *textStream) Read(p []byte) (int, error) {
	for len(t.items) == 0 {
		if t.err != nil && len(t.text) == 0 {
			return 0, t.err
		}
		if err := t.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.items)
	t.items = t.items[n:]
	return n, nil
}

// next understands some more lines.
func (t *textStream) next() error {
	at := len(t.text)
	t.text = slices.Grow(t.text, streamBytes)[:at+streamBytes]
	n, err := io.ReadFull(t.r, t.text[at:])
	t.text = t.text[:at+n]
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if t.err = err; err != nil && err != io.EOF {
		t.err = t.s.named(t.ctx, err)
		return t.err
	}
	// Space at the end waits for what comes behind it: nothing, or an error.
	lines := t.text
	if err == nil {
		if lines = lines[:bytes.LastIndexByte(lines, '\n')+1]; len(lines) == 0 {
			return t.noNumber(t.text[:64]) // no number is so long
		}
	}
	some := len(bytes.TrimRightFunc(lines, unicode.IsSpace))
	if some == 0 {
		if err == io.EOF {
			t.text = nil
		}
		return nil
	}
	end := len(lines)
	if i := bytes.IndexByte(lines[some:], '\n'); i >= 0 {
		end = some + i + 1
	}
	return t.understand(end)
}

// understand turns the first n bytes of text, which are whole lines, into items.
func (t *textStream) understand(n int) error {
	part := t.text[:n]
	if t.lines > 0 && bytes.HasPrefix(part, byteOrderMark) {
		line, _, _ := bytes.Cut(part, []byte{'\n'})
		return t.noNumber(line)
	}
	col, err := t.s.numbers.ParseText(t.ctx, part, t.s.Item.Type, nil)
	if err != nil {
		var bad *LineError
		if errors.As(err, &bad) {
			bad.Line += t.lines
		}
		return t.s.named(t.ctx, t.s.understood(err))
	}
	t.lines += int64(col.Len())
	t.items = col.Data
	t.text = t.text[:copy(t.text, t.text[n:])]
	return nil
}

// noNumber is the error of the next line.
func (t *textStream) noNumber(line []byte) error {
	return t.s.named(t.ctx, t.s.understood(&LineError{Line: t.lines + 1, Text: string(line), Type: t.s.Item.Type}))
}

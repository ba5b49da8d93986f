package format

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/internal/key"
)

// textChunkBytes is the text that one goroutine parses at a time: some ten
// thousand lines, so that starting it costs nothing beside them.
const textChunkBytes = 1 << 20

// byteOrderMark is what programs on Windows begin UTF-8 text with.
var byteOrderMark = []byte("\ufeff")

// LineError is a line of text that is no key.
type LineError struct {
	Line int64 // counted from 1
	Text string
	Type key.Type
	Err  error
	// TypeFlag names the option that gives Type; empty: --type.
	TypeFlag string
}

func (e *LineError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("line %d is empty: want one %v number a line", e.Line, e.Type)
	}
	text := e.Text
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	what := fmt.Sprintf("line %d: %q is ", e.Line, text)
	float := e.Type.Row().Kind == key.Float
	switch {
	case e.Err == errRange && float:
		return fmt.Sprintf("%sout of the range of %v: %s--round takes an infinity", what, e.Type, e.wider())
	case e.Err == errRange:
		return fmt.Sprintf("%sout of the range of %v", what, e.Type)
	case e.Err == errSmall:
		return fmt.Sprintf("%stoo small for %v: %s--round takes 0", what, e.Type, e.wider())
	case e.Err == errInexact:
		u, _ := Numbers{Round: true}.parse([]byte(e.Text), e.Type)
		return fmt.Sprintf("%sno %v: %s i64 or u64 keeps integers, --round takes the nearest %v, %s", what, e.Type, e.typeFlag(), e.Type, Number(e.Type, u))
	case !float && looksLoose(e.Text, e.Type):
		return fmt.Sprintf("%sno %v number: --loose-integers reads it", what, e.Type)
	}
	return fmt.Sprintf("%sno %v number", what, e.Type)
}

// wider is the advice to take a wider type, if there is one.
func (e *LineError) wider() string {
	if e.Type == key.F32 {
		return e.typeFlag() + " f64 may hold it, "
	}
	return ""
}

func (e *LineError) typeFlag() string { return cmp.Or(e.TypeFlag, "--type") }

func looksLoose(s string, t key.Type) bool {
	_, err := parseLoose([]byte(s), t)
	return err == nil
}

func (e *LineError) Unwrap() error { return e.Err }

// ParseText is Numbers.ParseText for numbers that the type holds as they are written.
func ParseText(ctx context.Context, text []byte, t key.Type, moved func(int64)) (*Column, error) {
	return Numbers{}.ParseText(ctx, text, t, moved)
}

// ParseText reads one number a line into a column of keys. Space around a
// number, a carriage return, a byte order mark and empty lines at the end are ignored, the last newline may be absent. It
// works on all processors. moved, if not nil, is told the bytes of each chunk that
// is done; it is called by several goroutines at once. The error is the *LineError of the first bad line.
func (num Numbers) ParseText(ctx context.Context, text []byte, t key.Type, moved func(int64)) (*Column, error) {
	if moved == nil {
		moved = func(int64) {}
	}
	text = bytes.TrimRightFunc(bytes.TrimPrefix(text, byteOrderMark), unicode.IsSpace)
	chunks := cutLines(text)
	first := make([]int64, len(chunks)+1) // lines before each chunk
	each(len(chunks), func(i int) error {
		first[i+1] = int64(bytes.Count(chunks[i], []byte{'\n'}))
		if c := chunks[i]; c[len(c)-1] != '\n' {
			first[i+1]++
		}
		return ctx.Err()
	})
	for i := range chunks {
		first[i+1] += first[i]
	}
	if err := room.For(uint64(first[len(chunks)]), uint64(t.Bytes())); err != nil {
		return nil, err
	}
	col := NewColumn(KeyItem(t), int(first[len(chunks)]))
	err := each(len(chunks), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		defer moved(int64(len(chunks[i])))
		switch t.Bits() {
		case 8:
			return parseLines(num, chunks[i], t, View[uint8](col), first[i])
		case 16:
			return parseLines(num, chunks[i], t, View[uint16](col), first[i])
		case 32:
			return parseLines(num, chunks[i], t, View[uint32](col), first[i])
		}
		return parseLines(num, chunks[i], t, View[uint64](col), first[i])
	})
	if err != nil {
		return nil, err
	}
	return col, nil
}

// cutLines cuts text into chunks that end at line ends.
func cutLines(text []byte) (chunks [][]byte) {
	for len(text) > 0 {
		n := len(text)
		if n > textChunkBytes {
			n = textChunkBytes
			if i := bytes.IndexByte(text[n:], '\n'); i >= 0 {
				n += i + 1
			} else {
				n = len(text)
			}
		}
		chunks, text = append(chunks, text[:n]), text[n:]
	}
	return chunks
}

func parseLines[U key.Word](num Numbers, text []byte, t key.Type, dst []U, line int64) error {
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		next := end + 1
		if end < 0 {
			end, next = len(text), len(text)
		}
		s := bytes.TrimSpace(text[:end])
		u, err := num.parse(s, t)
		if err != nil {
			return &LineError{Line: line + 1, Text: string(s), Type: t, Err: err}
		}
		dst[line] = U(u)
		line++
		text = text[next:]
	}
	return nil
}

// each calls f(0) … f(n−1) on all processors, in rising order of start. It
// returns the error of the least index that failed; later calls may be left
// out then.
func each(n int, f func(i int) error) error {
	var next, failed atomic.Int64
	failed.Store(int64(n))
	errs := make([]error, n)
	work := func() {
		for {
			i := next.Add(1) - 1
			if i >= failed.Load() || i >= int64(n) {
				return
			}
			if errs[i] = f(int(i)); errs[i] != nil {
				for old := failed.Load(); i < old && !failed.CompareAndSwap(old, i); old = failed.Load() {
				}
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(work)
	}
	wg.Wait()
	if i := failed.Load(); i < int64(n) {
		return errs[i]
	}
	return nil
}

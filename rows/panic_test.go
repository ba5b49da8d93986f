package rows_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/rows"
)

// bomb is a reader of lines, a writer and rows that panics, or calls runtime.Goexit, at one of its
// calls.
type bomb struct {
	io.Reader
	left int
	exit bool
}

func (b *bomb) call() {
	if b.left--; b.left != 0 {
		return
	}
	if b.exit {
		runtime.Goexit()
	}
	panic(b)
}

func (b *bomb) Read(to []byte) (int, error) {
	b.call()
	return b.Reader.Read(to)
}

func (b *bomb) Write(from []byte) (int, error) {
	b.call()
	return len(from), nil
}

func (b *bomb) rows(yield func([]byte, error) bool) {
	for i := 0; ; i++ {
		if i%500 == 0 {
			b.call()
		}
		if !yield(padded(nil, i), nil) {
			return
		}
	}
}

// padded appends a row that takes much memory.
func padded(b []byte, i int) []byte {
	return append(fmt.Appendf(b, "row %d ", i), make([]byte, 500)...)
}

// address is how much of the address space the process has, 0 if that is not known.
func address() (pages int) {
	text, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(string(text), &pages)
	return pages
}

// TestSeqEnds: iterators end with the sort, also those that it only looked at.
func TestSeqEnds(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	words := func(words ...string) rows.Source {
		return rows.Seq(func(yield func([]byte, error) bool) {
			for i := 0; yield([]byte(words[min(i, len(words)-1)]), nil); i++ {
			}
		})
	}
	s, err := rows.New(rows.Heading(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Form(words("head", "a")); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Sort(ctx, words("head", "a"), rows.LinesTo(io.Discard)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := s.Merge(t.Context(), rows.LinesTo(io.Discard), words("head", "a"), words("other", "b")); err == nil {
		t.Error("other headings were merged")
	}
	if _, err := s.Sort(t.Context(), words(strings.Repeat("x", 1<<25)), rows.LinesTo(io.Discard)); err == nil {
		t.Error("a heading of 32 MiB was read")
	}
	for i := 0; runtime.NumGoroutine() > goroutines; i++ {
		if time.Sleep(time.Millisecond); i == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
}

// TestPanic: a panic or Goexit of a reader, writer or iterator is the caller's, and the sorter can
// be used again.
func TestPanic(t *testing.T) {
	var some strings.Builder
	for i := range 40_000 {
		some.Write(append(padded(nil, i*7919%40_000), '\n'))
	}
	text := some.String()
	first := text[:strings.IndexByte(text, '\n')+1]
	lines := func(text string) rows.Source { return rows.Lines(strings.NewReader(text)) }
	type work func(s *rows.Sorter, b *bomb) error
	sort := func(from func(b *bomb) rows.Source, to func(b *bomb) rows.Sink) work {
		return func(s *rows.Sorter, b *bomb) error {
			_, err := s.Sort(context.Background(), from(b), to(b))
			return err
		}
	}
	merge := func(from func(b *bomb) rows.Source, to func(b *bomb) rows.Sink) work {
		return func(s *rows.Sorter, b *bomb) error {
			_, err := s.Merge(context.Background(), to(b), lines(text), from(b), lines(first))
			return err
		}
	}
	good := func(*bomb) rows.Source { return lines(text) }
	two := func(*bomb) rows.Source { return lines("b\na\n") }
	read := func(b *bomb) rows.Source {
		b.Reader = strings.NewReader(text)
		return rows.Lines(b)
	}
	seq := func(b *bomb) rows.Source { return rows.Seq(b.rows) }
	nowhere := func(*bomb) rows.Sink { return rows.LinesTo(io.Discard) }
	write := func(b *bomb) rows.Sink { return rows.LinesTo(b) }
	check := func(s *rows.Sorter, b *bomb) error {
		form, err := s.Form(lines(text))
		if err != nil {
			return err
		}
		b.Reader = strings.NewReader(text)
		_, err = form.Check(context.Background(), func() (io.ReadCloser, error) { return io.NopCloser(b), nil })
		return err
	}
	for what, w := range map[string]struct {
		work
		at []int
	}{
		"sort, reader":  {sort(read, nowhere), []int{1, 3}},
		"sort, rows":    {sort(seq, nowhere), []int{1, 2, 100}},
		"sort, writer":  {sort(good, write), []int{1, 3}},
		"two rows":      {sort(two, write), []int{1}},
		"merge, reader": {merge(read, nowhere), []int{1, 3}},
		"merge, rows":   {merge(seq, nowhere), []int{1, 2, 100}},
		"merge, writer": {merge(good, write), []int{1, 2}},
		"check, reader": {check, []int{1, 3}},
	} {
		for _, budget := range []uint64{1, 1 << 30} { // with temporary files, and without
			s, err := rows.New(rows.Budget(budget), rows.By("2n"), rows.Heading(1), rows.TempDirs(t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			if st, err := s.Sort(t.Context(), lines(text), rows.LinesTo(io.Discard)); err != nil || st.Spilled > 0 != (budget == 1) {
				t.Fatalf("%+v, %v", st, err)
			}
			for _, at := range w.at {
				for _, exit := range []bool{false, true} {
					goroutines, pages := runtime.NumGoroutine(), address()
					b := &bomb{left: at, exit: exit}
					var value any
					returned := false
					done := make(chan struct{})
					go func() {
						defer close(done)
						defer func() { value = recover() }()
						err = w.work(s, b)
						returned = true
					}()
					<-done
					if returned || exit && value != nil || !exit && value != any(b) {
						t.Errorf("%s, call %d, exit %v: returned %v, %v, %v", what, at, exit, returned, err, value)
					}
					for i := 0; runtime.NumGoroutine() > goroutines; i++ {
						if time.Sleep(time.Millisecond); i == 1000 {
							t.Fatalf("%s: %d goroutines, %d before", what, runtime.NumGoroutine(), goroutines)
						}
					}
					if more := address() - pages; more > 200<<20/os.Getpagesize() {
						t.Errorf("%s: %d more pages of addresses", what, more)
					}
				}
			}
			var out bytes.Buffer
			if _, err := s.Sort(t.Context(), lines("head\nx 2\nx 1\n"), rows.LinesTo(&out)); err != nil || out.String() != "head\nx 1\nx 2\n" {
				t.Errorf("afterwards: %q, %v", out.String(), err)
			}
		}
	}
}

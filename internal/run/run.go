// Package run sorts rows of any amount within a budget of memory. Rows are read in
// batches, which get their keys, fill memory, and are sorted to a run. If there are
// several runs, they go to temporary files and are merged.
//
// What rows look like in bytes, and what their keys are, says a Format. So text lines,
// records and tables share everything here.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"
)

// Format tells rows apart and makes their keys. Its methods are called by several
// goroutines.
type Format interface {
	// Cut returns how many bytes of b are whole rows, delimiters included. It may return an
	// error if there are none, and more bytes would not make b begin with a row.
	Cut(b []byte) (int, error)
	// Split appends where each row of b ends. b holds whole rows, and at most 4 GiB.
	Split(b []byte, ends []uint32) []uint32
	// End returns what the last row lacks of an input that ends with b, which begins with a
	// row, at most 16 bytes. An error is one of that last row, the number of which in b, from 0,
	// comes with it.
	End(b []byte) (more []byte, row int64, err error)
	// Delimiter is how many bytes at the end of each row are not compared.
	Delimiter() int
	// Encoder returns what appends the normalised key of a row without its delimiter, for
	// one goroutine. It is nil if rows are their own keys. Of a row that was without an error
	// once, it makes the same key again.
	Encoder() func(dst, row []byte) ([]byte, error)
}

// RowError is an error of a Format about one row.
type RowError struct {
	Input int   // that the row is of, from 0
	Row   int64 // of that input, from 1
	Err   error
}

func (e *RowError) Error() string {
	return fmt.Sprintf("input %d, row %d: %v", e.Input+1, e.Row, e.Err)
}

func (e *RowError) Unwrap() error { return e.Err }

// behind is err with the row counted on behind others of the same input.
func behind(rows int64, err error) error {
	var e *RowError
	if errors.As(err, &e) {
		e.Row += rows
	}
	return err
}

// Options say how to sort.
type Options struct {
	Format Format
	Tail   bool  // rows whose keys tie are ordered by their bytes
	Desc   bool  // all of the order is reversed; rows that tie keep their order
	Unique bool  // of rows that tie, the first is kept
	Top    int64 // rows that are wanted, the first ones; 0: all
	// UniqueBy, if not nil, returns what appends the key by which rows are to be unique, as
	// Encoder does: of rows with the same one, the first in the order is written. It goes
	// with Sort, without Unique and Count.
	UniqueBy func() func(dst, row []byte) ([]byte, error)
	// Count, if not nil, appends what precedes each row that is written, which stands for n
	// rows that tie. It needs Unique.
	Count func(dst []byte, n int64) []byte

	// Observe, if not nil, returns for one goroutine of Sort what is handed each block of rows
	// with their keys, and what is called then, in the order of the blocks, with the input of the
	// block and the bytes and rows of that input before it. It goes without Top.
	Observe func() func(Seen) func(input int, bytes, rows int64)

	Budget  uint64   // bytes of memory; raised to the least that works
	Workers int      // goroutines at a time; 0: one a processor
	Temp    []string // folders of temporary files, used in turn; none: the system's
	// MostTemp is how many bytes temporary files may have at a time, before Filter; 0: any.
	MostTemp uint64
	Filter   string // a program that temporary files go through, and back with -d; or none
	MostRow  uint64 // bytes that a row may have, at most 2 GiB less one; 0: as many
	FanIn    int    // most runs merged at once; 0: as many as fit the budget
	Source   uint64 // bytes that an open input of Merge takes besides its rows

	// Phase, if not nil, is told what begins, and of how many bytes, 0 if that is not
	// known. It returns what is told the bytes as they are done.
	Phase func(name string, bytes int64) func(int64)

	// Heap, if not nil, is told how many bytes Go's heap may have from now on, so that the
	// process keeps the budget: a program gives it debug.SetMemoryLimit.
	Heap func(bytes int64) int64

	half bool // of the files that may be open is another sort's

	// For tests with little data: what a table may take, the length of blocks, moreRows and
	// thinBytes.
	room     uint64
	block    int
	more     int
	thinFrom uint64
}

// Input is one of the streams that rows come from. It is opened when it is its turn.
type Input func() (io.ReadCloser, error)

// Stats is what a sort did. Times are in seconds.
type Stats struct {
	Rows    int64   `json:"rows"`  // read
	Bytes   int64   `json:"bytes"` // read
	RowsOut int64   `json:"rows_out"`
	Runs    int     `json:"runs"` // sorted in memory, one after another
	Spilled int64   `json:"spilled_bytes"`
	Passes  int     `json:"merge_passes"` // that a row went through, at most
	Budget  uint64  `json:"budget_bytes"`
	Read    float64 `json:"read_s"`  // until the last run was in memory
	Written float64 `json:"write_s"` // after that
	// Phases are the seconds of each: reading, sorting, spilling, merging, writing.
	Phases map[string]float64 `json:"phase_s"`
}

// timed counts the seconds of phases.
type timed struct {
	name  string
	since time.Time
	sum   map[string]float64
}

// begin ends the phase before, and begins another.
func (t *timed) begin(name string) {
	if t.name != "" {
		t.sum[t.name] += time.Since(t.since).Seconds()
	}
	t.name, t.since = name, time.Now()
}

// timing has phases timed.
func (o Options) timing() (Options, *timed) {
	t, told := &timed{sum: map[string]float64{}}, o.Phase
	o.Phase = func(name string, bytes int64) func(int64) {
		t.begin(name)
		return told(name, bytes)
	}
	return o, t
}

// LeastBudget is the least memory that a sort takes.
const LeastBudget = 24 << 20

// blockBytes is what is read, parsed and written at a time: it stays in the cache of a
// core.
const blockBytes = 512 << 10

// mostRow bounds the bytes of a row: those of blocks have 31 bits.
const mostRow = math.MaxInt32

// complete fills in what options leave open.
func (o Options) complete() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Budget = max(o.Budget, LeastBudget)
	if o.block == 0 {
		o.block = blockBytes
	}
	o.Workers = min(o.Workers, int(o.Budget/uint64(o.block))+1)
	for o.Workers > 1 && o.fixed() > o.Budget/2 {
		o.Workers-- // their blocks would leave no room for rows
	}
	if o.MostRow == 0 || o.MostRow > mostRow {
		o.MostRow = mostRow
	}
	if o.more == 0 {
		o.more = moreRows
	}
	if o.thinFrom == 0 {
		o.thinFrom = thinBytes
	}
	if o.Heap == nil {
		o.Heap = func(int64) int64 { return 0 }
	}
	if o.Phase == nil {
		o.Phase = func(string, int64) func(int64) { return func(int64) {} }
	}
	return o
}

// Sort reads all rows of the inputs and writes them in order.
func Sort(ctx context.Context, o Options, inputs []Input, size int64, w io.Writer) (st Stats, err error) {
	o, t := o.complete().timing()
	if o.UniqueBy != nil {
		return sortUnique(ctx, o, inputs, w)
	}
	f, err := newFormer(ctx, o, size)
	if err != nil {
		return st, err
	}
	defer f.close()
	st, err = f.sort(inputs, w)
	t.begin("")
	st.Phases = t.sum
	return st, err
}

package run

import (
	"bytes"
	"context"
	"io"
	"time"
)

// streamSource reads rows from an input that is sorted already.
type streamSource struct {
	reader
	rows int64 // that were read
}

// newStream makes a source of inputs; first is the number of the first one.
func newStream(ctx context.Context, o Options, first int, in ...Input) *streamSource {
	return &streamSource{reader: newReader(ctx, o, first, in)}
}

func (s *streamSource) longest() int { return 0 }

func (s *streamSource) next(buf []byte) (rows, whole []byte, err error) {
	if len(buf) == 0 || cap(buf) > 8*spillBytes {
		buf = make([]byte, spillBytes)
	}
	return s.reader.next(buf)
}

// Merge writes the rows of sources, each of which is in order, in order. Where one is not,
// its rows come when it is their turn. A source is inputs one after another.
func Merge(ctx context.Context, o Options, inputs [][]Input, w io.Writer) (Stats, error) {
	o, t := o.complete().timing()
	start := time.Now()
	f := &former{Options: o, ctx: ctx, temps: newTemps(ctx, o), st: Stats{Budget: o.Budget}}
	var streams []*streamSource
	var sources []source
	first := 0
	for _, in := range inputs {
		s := newStream(ctx, o, first, in...)
		first += len(in)
		streams, sources = append(streams, s), append(sources, s)
	}
	err := f.mergeAll(sources, 0, w)
	for _, s := range streams {
		f.st.Bytes += s.bytes
		f.st.Rows += s.rows
	}
	f.st.Written = time.Since(start).Seconds()
	t.begin("")
	f.st.Phases = t.sum
	return f.st, err
}

// Stream is a run that WriteBlocks wrote.
type Stream struct {
	Open  Input
	Bytes int64
}

// streamedRun reads a Stream, which it opens when it is asked for rows.
type streamedRun struct {
	Stream
	ctx context.Context
	in  io.ReadCloser
}

func (s *streamedRun) next(buf []byte) (rows, whole []byte, err error) {
	if err := s.ctx.Err(); err != nil {
		return nil, buf, err
	}
	if s.in == nil {
		if s.in, err = s.Open(); err != nil {
			return nil, buf, err
		}
	}
	left := s.Bytes
	rows, s.Bytes, err = readBlock(s.in, left, buf)
	if err == io.EOF && left != 0 {
		err = io.ErrUnexpectedEOF
	}
	return rows, rows, err
}

func (s *streamedRun) input() int   { return 0 }
func (s *streamedRun) longest() int { return 0 }

func (s *streamedRun) close() error {
	if s.in == nil {
		return nil
	}
	in := s.in
	s.in = nil
	return in.Close()
}

// MergeRuns writes the rows of runs in order. Rows that tie come from earlier runs first.
func MergeRuns(ctx context.Context, o Options, runs []Stream, w io.Writer) (Stats, error) {
	o, t := o.complete().timing()
	start := time.Now()
	f := &former{Options: o, ctx: ctx, temps: newTemps(ctx, o), st: Stats{Budget: o.Budget}}
	var sources []source
	for _, r := range runs {
		f.st.Bytes += r.Bytes
		sources = append(sources, &streamedRun{Stream: r, ctx: ctx})
	}
	err := f.mergeAll(sources, f.st.Bytes, w)
	f.st.Rows = f.st.RowsOut
	f.st.Written = time.Since(start).Seconds()
	t.begin("")
	f.st.Phases = t.sum
	return f.st, err
}

// Check returns the number, from 1, and the bytes of the first row that is out of order,
// or, if rows are to be unique, that ties with the one before it. The number is 0 if
// there is none.
func Check(ctx context.Context, o Options, in Input) (number int64, row []byte, err error) {
	o = o.complete()
	m, s := newMaker(o), newStream(ctx, o, 0, in)
	defer s.close()
	var p portion
	for {
		m.make(&p, s)
		if p.err != nil {
			return 0, nil, p.failure()
		}
		for i, code := range p.codes {
			number++
			if p.counts != nil && p.counts[i] != int32(i) || code == same && o.Unique {
				return number, bytes.Clone(p.rows[p.begin(i):p.ends[i]]), nil
			}
		}
	}
}

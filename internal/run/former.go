package run

import (
	"cmp"
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// former fills memory with rows and sorts it to runs.
type former struct {
	Options
	ctx   context.Context
	t     *table
	runs  []*spill
	st    Stats
	in    io.Closer      // the file that rows lie in
	fill  sync.WaitGroup // goroutines that copy rows into the table
	temps *temps
	input int    // that rows come from, and
	rows  int64  // how many rows came from it so far
	long  int    // bytes of the longest block since the table was empty, at least block
	given uint64 // bytes of the table that such blocks have

	sorted   bool                   // the table is in order
	least    atomic.Pointer[[]byte] // the key of the last row that is wanted, of those that came so far
	texts    []uint32               // of selectTop
	numbered Numbered               // of a table of numbers
	thin     uint64                 // bytes of a table from which on rows that tie go early; 0: they stay
}

// smallBytes is what one goroutine has sorted by the time that others have begun.
const smallBytes = 256 << 10

// firstBytes is the first block of an input that may be short.
const firstBytes = 64 << 10

// newFormer settles what the memory is for. size is how many bytes will be read, −1 if
// that is not known.
func newFormer(ctx context.Context, o Options, size int64) (*former, error) {
	if size >= 0 && size < smallBytes {
		o.Workers, o.block = 1, min(o.block, int(size)+1)
	}
	f := &former{Options: o, ctx: ctx, temps: newTemps(ctx, o)}
	keyed := o.Format.Encoder() != nil
	room := o.Budget - o.fixed()
	if size >= 0 && uint64(size) < room/64 {
		// Even rows of one byte fit: the tables need no more.
		room = max(64*uint64(size), 64<<10)
	}
	if o.room > 0 {
		room = o.room
	}
	for {
		t, err := newTable(o, keyed, room)
		if err == nil {
			f.t = t
			break
		}
		if room /= 2; room < LeastBudget/8 {
			return nil, err
		}
	}
	f.st.Budget, f.long = o.Budget, o.block
	if o.Unique && o.Count == nil && !o.selecting() {
		f.thin = o.thinFrom
	}
	return f, nil
}

// fixed is what blocks take, of short rows.
func (o Options) fixed() uint64 { return o.blocks() * uint64(o.block) }

// blocks is how many there are at a time: those that are read, parsed with their keys, and
// written.
func (o Options) blocks() uint64 { return uint64(o.readAhead() + 4*o.Workers + (o.Workers + 1)) }

// giveRoom takes memory of the table for blocks when a longer one comes, in the parser's turn. The
// table keeps a quarter of the budget.
func (f *former) giveRoom(block int) {
	if least := f.Budget / 4; block > f.long && f.t.room > least {
		give := min(f.t.room-least, f.blocks()*uint64(block-f.long))
		f.t.room -= give
		f.given += give
		f.long = block
	}
}

// takeRoom gives the table back what it gave.
func (f *former) takeRoom() {
	f.t.room += f.given
	f.given, f.long = 0, f.block
}

func (o Options) readAhead() int { return o.Workers + 2 }

func (f *former) close() {
	if f.t != nil {
		if f.t.file != nil {
			f.t.file.Release()
		}
		f.t.release()
	}
	for _, s := range f.runs {
		s.close()
	}
	if f.in != nil {
		f.in.Close()
	}
}

// batch is a block of rows on its way into the table.
type batch struct {
	number int
	input  int
	at     int64 // bytes of the input before the rows
	rows   []byte
	buf    []byte // that rows lie in
	err    error  // instead of rows
}

// sort reads everything, and writes it in order.
func (f *former) sort(inputs []Input, w io.Writer) (Stats, error) {
	start := time.Now()
	if err := f.form(inputs); err != nil {
		return f.st, err
	}
	f.st.Read = time.Since(start).Seconds()
	start = time.Now()
	var err error
	if len(f.runs) == 0 {
		err = f.last(w)
	} else {
		err = f.merge(w)
	}
	f.st.Written = time.Since(start).Seconds()
	if f.in != nil {
		in := f.in
		f.in = nil
		err = cmp.Or(err, in.Close())
	}
	return f.st, err
}

// last sorts what is in memory, which is everything.
func (f *former) last(w io.Writer) error {
	if err := f.order(); err != nil {
		return err
	}
	if f.t.rows > 0 {
		f.st.Runs++
	}
	out := f.output(w, f.Phase("writing", int64(f.t.used-f.t.keys)))
	err := f.emit(out.write, f.Count)
	f.st.RowsOut = out.rows
	return enough(err)
}

// form fills the table with all rows, and spills it each time that it is full.
func (f *former) form(inputs []Input) (err error) {
	f.startNumbers()
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	r := newReader(ctx, f.Options, 0, inputs)
	batches := make(chan batch, f.readAhead())
	free := make(chan []byte, f.readAhead())
	for range f.readAhead() {
		free <- nil
	}
	turn := newOrdered()
	team := crew{stop: func() {
		turn.pass(errEarlyEnd)
		cancel()
	}}
	defer func() {
		f.st.Bytes = r.bytes
		if r.file != nil {
			f.in, r.open = r.open, nil
		}
		err = cmp.Or(err, r.close(), turn.failed())
	}()
	for range f.Workers {
		team.begin(func() {
			p := parser{former: f, turn: turn, keys: f.Format.Encoder()}
			watch := f.repeating()
			if f.Observe != nil {
				p.observe = f.Observe()
			}
			for b := range batches {
				if watch && b.number > 0 {
					p.repeats, watch = f.newRepeats(), false // an input that is short pays nothing for it
				}
				p.add(b)
				select {
				case free <- b.buf:
				default:
				}
			}
		})
	}
	team.lead(func() { err = f.read(&r, batches, free, turn) }, func() { close(batches) })
	return err
}

// read sends all blocks to the parsers.
func (f *former) read(r *reader, batches chan<- batch, free <-chan []byte, turn *ordered) error {
	moved := f.Phase("reading", 0)
	if err := f.mapInput(r); err != nil {
		return err
	}
	for n := 0; ; n++ {
		var buf []byte
		select {
		case buf = <-free:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
		if err := turn.failed(); err != nil {
			return err
		}
		switch {
		case r.file != nil: // which has the rows
		case n == 0:
			buf = make([]byte, min(f.block, firstBytes))
		case cap(buf) < f.block || cap(buf) > 8*f.block:
			buf = make([]byte, f.block)
		}
		rows, whole, err := r.nextBlock(buf, f.block)
		if err == io.EOF {
			return nil
		}
		moved(int64(len(rows)))
		batches <- batch{n, r.input(), r.at, rows, whole, err}
		if err != nil {
			return nil // after the rows before it, the error has its turn
		}
	}
}

// full makes room for rows of so many bytes: it spills the table, and makes it larger
// if they still do not fit.
func (f *former) full(rows int, bytes uint64) error {
	f.fill.Wait()
	if f.crowded(rows) && !f.selecting() {
		if err := f.thinning(); err != nil || f.t.fits(rows, bytes) {
			return err
		}
	}
	if f.selecting() && f.t.rows > 0 {
		done, err := f.selectTop()
		if err != nil || done && f.t.fits(rows, bytes) {
			return err
		}
	}
	if f.t.rows > 0 {
		if err := f.spillOn(); err != nil {
			return err
		}
	}
	if f.t.fits(rows, bytes) {
		return nil
	}
	if f.takeRoom(); f.t.fits(rows, bytes) {
		return nil
	}
	f.t.release()
	return f.t.reserve(bytes + uint64(rows)*f.t.rowBytes() + blockBytes)
}

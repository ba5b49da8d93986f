package table

import (
	"context"
	"io"
	"sync"
)

// piece reads a part of a table and hands its rows to emit, in batches of whole rows. A
// batch is no longer the piece's then; emit returns one to write to.
type piece func(emit func(rows []byte) (next []byte, err error)) error

// feed is the rows of pieces, one after another, of which several are read at a time.
type feed struct {
	mu       sync.Mutex
	cond     sync.Cond
	pieces   []piece
	next     int // piece to begin
	head     int // piece whose rows are taken
	queues   map[int]*queue
	used     int // bytes of the batches in queues
	room     int // that they may take, but for headBatches of the head
	closed   bool
	free     [][]byte
	rest     []byte
	taken    []byte // that rest lies in
	team     sync.WaitGroup
	watching func() bool
}

// queue is the batches of a piece that wait.
type queue struct {
	batches [][]byte
	ended   bool
	err     error
}

// newFeed begins to read pieces, until ctx ends or the feed is closed.
func newFeed(ctx context.Context, pieces []piece, workers, room int) *feed {
	f := &feed{pieces: pieces, room: room, queues: map[int]*queue{}}
	f.cond.L = &f.mu
	f.watching = context.AfterFunc(ctx, f.stop)
	for range min(workers, len(pieces)) {
		f.team.Go(f.work)
	}
	return f
}

func (f *feed) stop() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cond.Broadcast()
}

// queue returns the queue of a piece; the lock is held.
func (f *feed) queue(i int) *queue {
	q := f.queues[i]
	if q == nil {
		q = &queue{}
		f.queues[i] = q
	}
	return q
}

// work reads pieces.
func (f *feed) work() {
	for {
		f.mu.Lock()
		i := f.next
		f.next++
		if i >= len(f.pieces) || f.closed {
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		err := reading("the file", func() error {
			return f.pieces[i](func(rows []byte) ([]byte, error) { return f.emit(i, rows) })
		})
		f.mu.Lock()
		q := f.queue(i)
		q.ended, q.err = true, err
		f.mu.Unlock()
		f.cond.Broadcast()
	}
}

// headBatches is how many batches the head may have waiting although later pieces took the room.
const headBatches = 4

// emit adds rows of a piece when there is room for them, and returns a buffer.
func (f *feed) emit(i int, rows []byte) (next []byte, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.closed && f.used+cap(rows) > f.room && (i != f.head || len(f.queue(i).batches) >= headBatches) {
		f.cond.Wait()
	}
	if f.closed {
		return nil, io.ErrClosedPipe
	}
	q := f.queue(i)
	q.batches = append(q.batches, rows)
	f.used += cap(rows)
	f.cond.Broadcast()
	if n := len(f.free); n > 0 {
		next, f.free = f.free[n-1], f.free[:n-1]
	}
	return next[:0], nil
}

// Read implements io.Reader.
func (f *feed) Read(b []byte) (int, error) {
	if len(f.rest) == 0 {
		if err := f.advance(); err != nil {
			return 0, err
		}
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// advance takes the next batch.
func (f *feed) advance() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken != nil && len(f.free) < 4 {
		f.free = append(f.free, f.taken)
	}
	f.taken = nil
	for {
		if f.closed {
			return io.ErrClosedPipe
		}
		if f.head >= len(f.pieces) {
			return io.EOF
		}
		q := f.queue(f.head)
		switch {
		case len(q.batches) > 0:
			f.taken = q.batches[0]
			f.rest = f.taken
			q.batches = q.batches[1:]
			f.used -= cap(f.taken)
			f.cond.Broadcast()
			if len(f.rest) > 0 {
				return nil
			}
		case q.err != nil:
			return q.err
		case q.ended:
			delete(f.queues, f.head)
			f.head++
			f.cond.Broadcast()
		default:
			f.cond.Wait()
		}
	}
}

// Close ends the reading.
func (f *feed) Close() error {
	f.watching()
	f.stop()
	f.team.Wait()
	return nil
}

package fake

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// queue implements driver.Queue. Under d.mu.
type queue struct {
	d      *device
	handle uintptr
	closed bool
	work   []command // commands base, base+1, …
	base   int
	done   int // how many commands have run since the queue was made
}

// last is how many commands there have been.
func (q *queue) last() int { return q.base + len(q.work) }

// command is work: what it does, and the bytes it moves.
type command struct {
	do    func()
	bytes uint64
}

func (d *device) NewQueue() (driver.Queue, error) {
	if err := d.enter("NewQueue"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	q := &queue{d: d, handle: d.drv.handle(1)}
	d.own(q, func() {
		q.drain(q.last())
		q.closed = true
	})
	return q, nil
}

// Handle implements driver.Streamer.
func (q *queue) Handle() uintptr { return q.handle }

// lent is a queue that its owner closes.
type lent struct{ *queue }

// Close releases nothing.
func (lent) Close() error { return nil }

// WrapQueue implements driver.QueueWrapper: it finds the open queue of that handle.
func (d *device) WrapQueue(handle uintptr) (driver.Queue, error) {
	if err := d.enter("WrapQueue"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	for x := range d.owned {
		if q, ok := x.(*queue); ok && q.handle == handle {
			return lent{q}, nil
		}
	}
	return nil, d.errorf("WrapQueue", "INVALID_HANDLE", nil, "no open queue of this device has the handle %#x", handle)
}

// drain runs commands until n have run.
func (q *queue) drain(n int) {
	for q.done < n {
		c := q.work[q.done-q.base]
		q.done++
		q.d.now += launchNanos + int64(c.bytes)
		if q.d.lost == nil {
			c.do()
		}
	}
}

func (q *queue) enter(op string) error {
	if err := q.d.enter(op); err != nil {
		return err
	}
	if q.closed {
		q.d.mu.Unlock()
		return q.d.errorf(op, "CLOSED", driver.ErrClosed, "the queue is closed")
	}
	return nil
}

// place returns n bytes of b at off.
func (q *queue) place(op string, b driver.Buffer, off, n uint64) ([]byte, error) {
	fb, ok := b.(*buffer)
	if !ok || fb.d != q.d {
		return nil, q.d.errorf(op, "INVALID_BUFFER", nil, "the buffer is not of this device")
	}
	return q.d.at(op, fb, off, n)
}

// at returns n bytes of b, which is of d, at off. The device is locked.
func (d *device) at(op string, b *buffer, off, n uint64) ([]byte, error) {
	if b.closed {
		return nil, d.errorf(op, "CLOSED", driver.ErrClosed, "the buffer is closed")
	}
	if size := uint64(len(b.mem)); off > size || n > size-off {
		return nil, d.errorf(op, "OUT_OF_RANGE", nil, "%d bytes at offset %d are outside a buffer of %d bytes", n, off, size)
	}
	return b.mem[off : off+n], nil
}

func (q *queue) Memset(b driver.Buffer, off uint64, pattern uint32, n uint64) error {
	if err := q.enter("Memset"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	p, err := q.place("Memset", b, off, n)
	if err != nil {
		return err
	}
	if off%4 != 0 || n%4 != 0 {
		return q.d.errorf("Memset", "MISALIGNED", nil, "offset %d and size %d must be multiples of 4", off, n)
	}
	q.work = append(q.work, command{func() {
		for i := 0; i < len(p); i += 4 {
			binary.NativeEndian.PutUint32(p[i:], pattern)
		}
	}, n})
	return nil
}

func (q *queue) CopyIn(dst driver.Buffer, off uint64, src unsafe.Pointer, n uint64) error {
	if err := q.enter("CopyIn"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	p, err := q.place("CopyIn", dst, off, n)
	if err != nil || n == 0 {
		return err
	}
	from := unsafe.Slice((*byte)(src), n)
	if !q.d.pinned(src, n) {
		from = append([]byte(nil), from...)
	}
	q.work = append(q.work, command{func() { copy(p, from) }, n})
	return nil
}

func (q *queue) CopyOut(dst unsafe.Pointer, src driver.Buffer, off uint64, n uint64) error {
	if err := q.enter("CopyOut"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	p, err := q.place("CopyOut", src, off, n)
	if err != nil || n == 0 {
		return err
	}
	to := unsafe.Slice((*byte)(dst), n)
	q.work = append(q.work, command{func() { copy(to, p) }, n})
	return nil
}

func (q *queue) Copy(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	if err := q.enter("Copy"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	to, err := q.place("Copy", dst, dstOff, n)
	if err != nil {
		return err
	}
	from, err := q.place("Copy", src, srcOff, n)
	if err != nil {
		return err
	}
	q.work = append(q.work, command{func() { copy(to, from) }, 2 * n})
	return nil
}

func (q *queue) Synchronize() error {
	if err := q.enter("Synchronize"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	q.drain(q.last())
	clear(q.work)
	q.work, q.base = q.work[:0], q.done
	if q.d.lost != nil {
		return q.d.lost
	}
	return nil
}

func (q *queue) Close() error { return q.d.disown(q) }

// event implements driver.Event.
type event struct {
	q      *queue
	at     int   // it has completed when q.done ≥ at
	time   int64 // virtual, once completed
	closed bool
}

func (q *queue) Record() (driver.Event, error) {
	if err := q.enter("Record"); err != nil {
		return nil, err
	}
	defer q.d.mu.Unlock()
	e := &event{}
	e.behind(q)
	q.d.own(e, func() { e.closed = true })
	return e, nil
}

// behind puts the event behind q's work.
func (e *event) behind(q *queue) {
	e.q, e.at = q, q.last()+1
	q.work = append(q.work, command{func() { e.time = q.d.now }, 0})
}

// Rerecord implements driver.Rerecorder.
func (e *event) Rerecord(to driver.Queue) error {
	const op = "Rerecord"
	if err := e.enter(op); err != nil {
		return err
	}
	defer e.q.d.mu.Unlock()
	q := plainQueue(to)
	if q == nil || q.d != e.q.d {
		return e.q.d.errorf(op, "INVALID_QUEUE", nil, "the queue is not of this device")
	}
	if q.closed {
		return q.d.errorf(op, "CLOSED", driver.ErrClosed, "the queue is closed")
	}
	e.behind(q)
	return nil
}

func (q *queue) Wait(e driver.Event) error {
	if err := q.enter("Wait"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	fe, ok := e.(*event)
	if !ok || fe.q.d != q.d {
		return q.d.errorf("Wait", "INVALID_EVENT", nil, "the event is not of this device")
	}
	if fe.closed {
		return q.d.errorf("Wait", "CLOSED", driver.ErrClosed, "the event is closed")
	}
	q.work = append(q.work, command{func() { fe.q.drain(fe.at) }, 0})
	return nil
}

// enter locks the device for a call on e.
func (e *event) enter(op string) error {
	if err := e.q.d.enter(op); err != nil {
		return err
	}
	if e.closed {
		e.q.d.mu.Unlock()
		return e.q.d.errorf(op, "CLOSED", driver.ErrClosed, "the event is closed")
	}
	return nil
}

func (e *event) Wait() error {
	if err := e.enter("Event.Wait"); err != nil {
		return err
	}
	defer e.q.d.mu.Unlock()
	e.q.drain(e.at)
	if e.q.d.lost != nil {
		return e.q.d.lost
	}
	return nil
}

// Done lets the queue run one command first, so that a caller that polls gets
// to the end.
func (e *event) Done() (bool, error) {
	if err := e.enter("Event.Done"); err != nil {
		return false, err
	}
	defer e.q.d.mu.Unlock()
	if e.q.done >= e.at {
		return true, nil
	}
	e.q.drain(e.q.done + 1)
	if e.q.d.lost != nil {
		return true, e.q.d.lost
	}
	return e.q.done >= e.at, nil
}

func (e *event) Since(start driver.Event) (int64, error) {
	if err := e.enter("Event.Since"); err != nil {
		return 0, err
	}
	defer e.q.d.mu.Unlock()
	s, ok := start.(*event)
	if !ok || s.q.d != e.q.d {
		return 0, e.q.d.errorf("Event.Since", "INVALID_EVENT", nil, "the event is not of this device")
	}
	if s.closed {
		return 0, e.q.d.errorf("Event.Since", "CLOSED", driver.ErrClosed, "the event is closed")
	}
	if e.q.done < e.at || s.q.done < s.at {
		return 0, e.q.d.errorf("Event.Since", "NOT_READY", nil, "both events must have completed: wait for them first")
	}
	return e.time - s.time, nil
}

func (e *event) Close() error { return e.q.d.disown(e) }

//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// queue is a stream with the argument lists of its calls. It also implements
// driver.Batcher, driver.Grapher, driver.PeerCopier, driver.QueueAllocator and driver.Streamer.
type queue struct {
	d      *device
	s      cu.Stream
	f      *cu.Frame
	g      cu.Geometry // of the launch being made
	batch  bool        // in a Batch of this queue: the thread is locked
	since  uint32      // switches when the Batch began: while equal, the context is set
	closed atomic.Bool
	lent   bool // the stream is somebody else's
}

// WrapQueue implements driver.QueueWrapper. 0 is the default stream.
func (d *device) WrapQueue(handle uintptr) (driver.Queue, error) {
	q := &queue{d: d, f: cu.NewFrame(d.l), s: cu.Stream(handle), lent: true}
	return q, d.do("WrapQueue", func() error { return nil }) // makes the context
}

func (d *device) NewQueue() (driver.Queue, error) {
	q := &queue{d: d, f: cu.NewFrame(d.l)}
	err := d.do("cuStreamCreate", func() error {
		var r cu.Result
		if q.s, r = d.l.StreamCreate(cu.StreamNonBlocking); r != cu.Success {
			return d.fail("cuStreamCreate", r, "")
		}
		d.live.add(q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// enter is device.enter, cheaper in a Batch.
func (q *queue) enter(op string) (visit, error) {
	if q.closed.Load() {
		return visit{}, q.d.errClosed(op, "the queue")
	}
	if !q.batch || q.since != switches.Load() {
		return q.d.enter(op, q.f)
	}
	q.d.mu.RLock()
	if q.d.closed.Load() {
		q.d.mu.RUnlock()
		return visit{}, q.d.errClosed(op, "the device")
	}
	return visit{inBatch: true}, nil
}

// Batch implements driver.Batcher.
func (q *queue) Batch(f func() error) error {
	if q.batch {
		return f()
	}
	v, err := q.enter("Batch")
	if err != nil {
		return err
	}
	// The thread stays ours; the device may be closed while f runs.
	q.d.mu.RUnlock()
	if v.restore {
		switches.Add(1)
	}
	q.batch, q.since = true, switches.Load()
	batches.Add(1)
	defer func() {
		batches.Add(-1)
		q.batch = false
		if v.restore {
			q.d.restore(q.f, v.prev)
		}
		runtime.UnlockOSThread()
	}()
	return f()
}

// place checks that n bytes at off lie in b, open and of this context.
func (q *queue) place(op string, b driver.Buffer, off, n uint64) (cu.DevicePtr, error) {
	v, ok := b.(*buffer)
	switch {
	case !ok:
		return 0, q.d.invalid(op, fmt.Sprintf("a buffer of type %T is none of CUDA's", b))
	case v.closed.Load():
		return 0, q.d.errClosed(op, "the buffer")
	case v.d.closed.Load():
		return 0, q.d.errClosed(op, "the buffer's device")
	case !q.d.maps(v.d):
		return 0, q.d.invalid(op, "the buffer is of "+v.d.label+"; enable peer access, or use CopyPeer")
	case off > v.n || n > v.n-off:
		return 0, q.d.invalid(op, fmt.Sprintf("%d bytes at %d do not lie in a buffer of %d bytes", n, off, v.n))
	}
	return v.p + cu.DevicePtr(off), nil
}

func (q *queue) Memset(b driver.Buffer, off uint64, pattern uint32, n uint64) error {
	const op = "cuMemsetD32Async"
	p, err := q.place(op, b, off, n)
	if err != nil {
		return err
	}
	if off%4 != 0 || n%4 != 0 {
		return q.d.invalid(op, fmt.Sprintf("offset %d and length %d must be multiples of 4", off, n))
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := cu.Success
	if n != 0 {
		r = q.f.MemsetD32Async(p, pattern, n/4, q.s)
	}
	q.d.leave(q.f, v)
	return q.done(op, r, n)
}

func (q *queue) CopyIn(dst driver.Buffer, off uint64, src unsafe.Pointer, n uint64) error {
	const op = "cuMemcpyHtoDAsync_v2"
	p, err := q.place(op, dst, off, n)
	if err != nil {
		return err
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := cu.Success
	if n != 0 {
		// From memory that is not page-locked the driver copies to a buffer of
		// its own before it returns.
		r = q.f.MemcpyHtoDAsync(p, src, n, q.s)
	}
	q.d.leave(q.f, v)
	return q.done(op, r, n)
}

func (q *queue) CopyOut(dst unsafe.Pointer, src driver.Buffer, off uint64, n uint64) error {
	const op = "cuMemcpyDtoHAsync_v2"
	p, err := q.place(op, src, off, n)
	if err != nil {
		return err
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := cu.Success
	if n != 0 {
		// Into memory that is not page-locked the copy is complete on return.
		r = q.f.MemcpyDtoHAsync(dst, p, n, q.s)
	}
	q.d.leave(q.f, v)
	return q.done(op, r, n)
}

func (q *queue) Copy(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	const op = "cuMemcpyDtoDAsync_v2"
	to, err := q.place(op, dst, dstOff, n)
	if err != nil {
		return err
	}
	from, err := q.place(op, src, srcOff, n)
	if err != nil {
		return err
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := cu.Success
	if n != 0 {
		r = q.f.MemcpyDtoDAsync(to, from, n, q.s)
	}
	q.d.leave(q.f, v)
	return q.done(op, r, n)
}

// done is fail for transfers; it makes its words only when they are needed.
func (q *queue) done(op string, r cu.Result, n uint64) error {
	if r == cu.Success {
		return nil
	}
	return q.d.fail(op, r, fmt.Sprintf("%d bytes", n))
}

func (q *queue) Synchronize() error {
	const op = "cuStreamSynchronize"
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := q.f.StreamSynchronize(q.s)
	q.d.leave(q.f, v)
	return q.d.fail(op, r, "")
}

// Close does not wait: work that was queued still completes.
func (q *queue) Close() error {
	if q.closed.Swap(true) || q.lent {
		return nil
	}
	return q.d.release(q)
}

func (q *queue) rank() int { return rankQueue }

func (q *queue) release() (string, cu.Result) {
	open := !q.closed.Swap(true)
	if open && q.d.closed.Load() {
		// The device is closing and memory goes next.
		q.d.l.StreamSynchronize(q.s)
	}
	return "cuStreamDestroy_v2", q.d.l.StreamDestroy(q.s)
}

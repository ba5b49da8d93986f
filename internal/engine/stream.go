package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
)

// Stream is a queue of an engine's device for operations that are not waited for.
type Stream struct {
	*exec.Stream
	e *Engine
	d *device
}

// NewStream makes a stream with a queue of its own. The caller closes it before the engine.
func (e *Engine) NewStream() (*Stream, error) {
	return e.stream((*exec.Session).NewStream)
}

// WrapStream makes a stream of a queue that somebody else made and keeps open.
func (e *Engine) WrapStream(handle uintptr) (*Stream, error) {
	return e.stream(func(s *exec.Session) (*exec.Stream, error) { return s.WrapStream(handle) })
}

func (e *Engine) stream(open func(*exec.Session) (*exec.Stream, error)) (*Stream, error) {
	d, err := e.any()
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("stream: %w: the sorter has no device: name one", driver.ErrNoDevice)
	}
	s, err := open(d.Session)
	if err != nil {
		return nil, err
	}
	return &Stream{s, e, d}, nil
}

// Close waits for the operations in the stream, and frees what it has.
func (s *Stream) Close() error {
	if err := s.e.begin("close of a stream"); err != nil {
		return nil // the engine has closed the device with all that it had
	}
	defer s.e.running.Done()
	return s.Stream.Close()
}

// Pending is an operation in a stream.
type Pending struct {
	s     *Stream
	r     Report
	start time.Time
	work  *exec.Started
	once  sync.Once
	err   error
}

// Start puts p, on memory where it lies, into the stream, and does not wait for it. The
// memory may be closed before the operation has ended, but not used otherwise than in the
// same queue. After an error it holds anything.
func (s *Stream) Start(ctx context.Context, p op.Spec, at Regions) (*Pending, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	held, err := at.use(p.Kind.String())
	if err != nil {
		return nil, err
	}
	defer at.done(held)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.e.begin(p.Kind.String()); err != nil {
		return nil, err
	}
	defer s.e.running.Done()
	var places exec.Places
	for i, a := range at {
		if a.M == nil {
			continue
		}
		if a.M.d != s.d {
			return nil, fmt.Errorf("%s: %w: %v lie on another device than the stream: use a stream and buffers of one sorter", s.d.ID(), driver.ErrUnsupported, op.Region(i))
		}
		places[i] = a.place()
	}
	if err := at.check(p); err != nil {
		return nil, err
	}
	if p.Type.HostOnly() {
		return nil, fmt.Errorf("%s: %w: download the buffer and sort it on the CPU", s.d.ID(), hostOnly(p))
	}
	w := &Pending{s: s, r: Report{Items: p.Items}, start: time.Now()}
	if w.work, err = s.Stream.Start(ctx, p, places); err != nil {
		return nil, err
	}
	return w, nil
}

// Done reports without waiting whether the operation has ended.
func (w *Pending) Done() (bool, error) {
	if err := w.s.e.begin("sort"); err != nil {
		return false, err
	}
	defer w.s.e.running.Done()
	return w.work.Done()
}

// Wait waits for the operation, until whose end Elapsed counts from its start.
func (w *Pending) Wait() (Report, error) {
	w.once.Do(func() {
		if w.err = w.s.e.begin("sort"); w.err != nil {
			return
		}
		defer w.s.e.running.Done()
		var done exec.Result
		done, w.err = w.work.Wait()
		w.r = w.r.with(w.s.d, done)
		w.r.Elapsed = time.Since(w.start)
	})
	return w.r, w.err
}

// Handle is where the region begins in the device's memory: a CUdeviceptr, or a cl_mem,
// which has no places in it, so that only its beginning can be named.
func (r Region) Handle() (uintptr, error) {
	if err := r.use("device pointer"); err != nil {
		return 0, err
	}
	defer r.M.mu.RUnlock()
	if r.M.dev == nil {
		return 0, fmt.Errorf("buffer: %w: it is host memory, because its sorter has no device: name one", driver.ErrNoDevice)
	}
	if space, _ := r.M.dev.Place(); space != 0 && r.Off != 0 {
		return 0, fmt.Errorf("%s: %w: a cl_mem names a whole buffer: ask the buffer that this is a slice of, %d bytes before", r.M.d.ID(), driver.ErrUnsupported, r.Off)
	}
	return r.M.dev.Handle() + uintptr(r.Off), nil
}

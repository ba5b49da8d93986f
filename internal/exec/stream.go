package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Stream is a queue of a session's device, its own or a caller's, in which sorts of device
// memory are put that nobody waits for here. It has scratch memory of its own, which the
// sorts in it use in turn.
type Stream struct {
	s  *Session
	mu sync.Mutex
	l  *lane // nil once closed
	// busy says that sorts may be in the queue that have not been waited for.
	busy bool
}

// NewStream makes a stream with a queue of its own. The caller closes it.
func (s *Session) NewStream() (*Stream, error) {
	q, err := s.dev.NewQueue()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.id, err)
	}
	return &Stream{s: s, l: newLane(s, q)}, nil
}

// WrapStream makes a stream of a caller's queue, which the caller keeps open until it
// closes the stream, and then closes.
func (s *Session) WrapStream(handle uintptr) (*Stream, error) {
	w, ok := s.dev.(driver.QueueWrapper)
	if !ok {
		return nil, fmt.Errorf("%s: %w: this backend takes no queue of others", s.id, driver.ErrUnsupported)
	}
	q, err := w.WrapQueue(handle)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.id, err)
	}
	return &Stream{s: s, l: newLane(s, q)}, nil
}

// Handle is the CUstream or cl_command_queue; 0 if the stream is closed or has none.
func (t *Stream) Handle() uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l != nil {
		if h, ok := t.l.q.(driver.Streamer); ok {
			return h.Handle()
		}
	}
	return 0
}

// Close waits for what is in the queue and frees the stream's memory. A second Close is a
// no-op.
func (t *Stream) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l == nil {
		return nil
	}
	l := t.l
	t.l = nil
	return errors.Join(l.q.Synchronize(), l.close())
}

// Started is a sort in a stream.
type Started struct {
	id          string
	r           Result
	first, last driver.Event // nil if there was nothing to do

	once sync.Once
	err  error
}

// Start puts p, on device memory, behind what is in the queue, and does not wait for it.
// Plans that ask the host on their way, or that may refuse their input, are
// driver.ErrUnsupported. After an error the memory holds anything.
func (t *Stream) Start(ctx context.Context, p plan.Problem, at Places) (*Started, error) {
	pr, err := t.s.ready(p)
	if err != nil {
		return nil, err
	}
	if pr.HasHostSteps() || pr.Status != nil {
		return nil, fmt.Errorf("%s: %s: %w: it asks the host while it sorts: sort the buffer without a stream", t.s.id, pr.Algorithm, driver.ErrUnsupported)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.l == nil {
		return nil, fmt.Errorf("stream: %w: make a new one", driver.ErrClosed)
	}
	st := &Started{id: t.s.id, r: Result{Algorithm: pr.Algorithm, Pieces: 1}}
	if len(pr.Steps) == 0 {
		return st, nil
	}
	if err := t.idleToGrow(pr); err != nil {
		return nil, fmt.Errorf("%s: scratch of %d bytes: %w", t.s.id, pr.ScratchBytes, err)
	}
	if at[plan.Scratch], err = t.l.scratchAlone(pr, &st.r); err != nil {
		return nil, err
	}
	t.busy = true
	submit := func() error { return t.submit(ctx, bind(pr, at), st) }
	if b, ok := t.l.q.(driver.Batcher); ok {
		err = b.Batch(submit)
	} else {
		err = submit()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.s.id, errors.Join(err, st.close()))
	}
	return st, nil
}

func (t *Stream) submit(ctx context.Context, b *bound, st *Started) (err error) {
	if st.first, err = t.l.q.Record(); err != nil {
		return err
	}
	if err := b.submit(ctx, t.l.q); err != nil {
		return err
	}
	st.last, err = t.l.q.Record()
	return err
}

// idleToGrow waits for what uses the stream's memory, if that must grow for a plan.
func (t *Stream) idleToGrow(p *prepared) error {
	if t.busy && t.l.memory[plan.Scratch].bytes() < t.s.x.scratchBytes(p) {
		if err := t.l.q.Synchronize(); err != nil {
			return err
		}
		t.busy = false
	}
	return nil
}

// Done reports without waiting whether the sort has ended.
func (s *Started) Done() (bool, error) {
	if s.last == nil {
		return true, nil
	}
	return s.last.Done()
}

// Wait waits for the sort. After an error its memory holds anything.
func (s *Started) Wait() (Result, error) {
	s.once.Do(func() {
		if s.last == nil {
			return
		}
		if s.err = s.last.Wait(); s.err != nil {
			s.err = fmt.Errorf("%s: %s: %w", s.id, s.r.Algorithm, s.err)
		} else if ns, err := s.last.Since(s.first); err == nil {
			s.r.DeviceTime = time.Duration(ns)
		}
		s.err = errors.Join(s.err, s.close())
	})
	return s.r, s.err
}

// close frees the events, each once.
func (s *Started) close() error {
	var errs []error
	for _, e := range []*driver.Event{&s.first, &s.last} {
		if *e != nil {
			errs = append(errs, (*e).Close())
			*e = nil
		}
	}
	return errors.Join(errs...)
}

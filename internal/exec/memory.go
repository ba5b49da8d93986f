package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Alloc reserves device memory, for which idle lanes give theirs if it is short. The
// caller closes it, after Forget.
func (s *Session) Alloc(bytes uint64) (driver.Buffer, error) {
	b, err := roomy(s, func() (driver.Buffer, error) { return s.dev.Alloc(bytes) })
	if err != nil {
		return nil, fmt.Errorf("%s: buffer of %d bytes: %w", s.id, bytes, err)
	}
	return b, nil
}

// roomy does f, and again after idle lanes have given their memory if there was too little.
func roomy[T any](s *Session, f func() (T, error)) (T, error) {
	x, err := f()
	if errors.Is(err, driver.ErrOutOfMemory) {
		s.trimIdle()
		x, err = f()
	}
	return x, err
}

// Forget drops bound arguments that mention b.
func (s *Session) Forget(b driver.Buffer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.idle {
		l.forgetIf(func(r *bound) bool { return r.b.mentions(b) })
	}
}

// Upload copies spans to the device and waits for them.
func (s *Session) Upload(ctx context.Context, spans []transfer.Span) error {
	return s.withLane(func(l *lane) error {
		s.x.markPinned(spans)
		if err := l.link.Upload(ctx, spans); err != nil {
			return err
		}
		return l.q.Synchronize()
	})
}

// Download copies spans from the device and waits for them. After an error the host
// memory holds anything.
func (s *Session) Download(ctx context.Context, spans []transfer.Span) error {
	return s.withLane(func(l *lane) error {
		s.x.markPinned(spans)
		return l.link.Download(ctx, spans, nil, nil)
	})
}

// withLane calls f with a lane of its own.
func (s *Session) withLane(f func(*lane) error) (err error) {
	l, err := s.acquire()
	if err != nil {
		return err
	}
	defer func() {
		if e := s.release(l, err != nil); err == nil {
			err = e
		}
	}()
	if err := f(l); err != nil {
		return fmt.Errorf("%s: %w", s.id, err)
	}
	return nil
}

// Run carries out p on device memory by the algorithm that is chosen, and waits: of op.Strings
// all plans. The scratch of at is the session's to give, and so is what those plans hand over: all
// of a memory limit is for that, and it is raised to what that takes. After an error the memory
// holds anything.
func (s *Session) Run(ctx context.Context, p plan.Problem, at Places, r *Result) (err error) {
	pr, err := s.ready(p)
	if err != nil {
		return err
	}
	r.Algorithm = pr.Algorithm
	l, err := s.acquire()
	if err != nil {
		return err
	}
	defer func() {
		if e := s.release(l, err != nil); err == nil {
			err = e
		}
	}()
	if p.Kind == op.Strings {
		return l.strings(ctx, pr, p, at, 0, r)
	}
	return l.step(ctx, pr, at, r)
}

// step runs a plan, adds its device time to r and has its number there.
func (l *lane) step(ctx context.Context, pr *prepared, at Places, r *Result) (err error) {
	if at[plan.Scratch], err = l.scratchAlone(pr, r); err != nil {
		return err
	}
	took, err := l.run(ctx, pr, at)
	if err != nil {
		return fmt.Errorf("%s: %w", l.s.id, err)
	}
	r.DeviceTime += took
	r.Number = pr.number(&l.status)
	return nil
}

// scratchAlone is scratchRoom for a plan on the caller's memory, for which idle lanes give
// theirs. All of a memory limit is for it, and it is raised to what it takes.
func (l *lane) scratchAlone(p *prepared, r *Result) (transfer.Place, error) {
	if limit := l.s.x.MemoryLimit; limit != 0 && p.ScratchBytes > limit {
		l.s.raise(p.ScratchBytes, r)
	}
	at, err := roomy(l.s, func() (transfer.Place, error) { return l.scratchRoom(p) })
	if err != nil {
		return at, fmt.Errorf("%s: scratch of %d bytes: %w", l.s.id, p.ScratchBytes, err)
	}
	return at, nil
}

// Held is the device memory that idle lanes keep, in bytes.
func (s *Session) Held() (bytes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.idle {
		bytes += l.held()
	}
	return bytes
}

// Bindings is the number of plans that idle lanes keep with their arguments.
func (s *Session) Bindings() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.idle {
		n += len(l.recent)
	}
	return n
}

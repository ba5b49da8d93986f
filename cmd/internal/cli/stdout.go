package cli

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
)

// stdout is standard output. It keeps the first error, for what prints without
// looking, such as tables, and ends all work when nobody reads any more.
type stdout struct {
	w    io.Writer
	stop context.CancelCauseFunc

	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		s.mu.Lock()
		if s.err == nil {
			s.err = err
		}
		s.mu.Unlock()
		if errors.Is(err, syscall.EPIPE) {
			s.stop(interrupted{syscall.SIGPIPE})
		}
	}
	return n, err
}

// lost returns the first error of a write.
func (s *stdout) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// begins notes that a write was begun: of one that is given up nobody knows how much
// arrived.
type begins struct {
	w    io.Writer
	note *atomic.Bool
}

// Write implements io.Writer.
func (b begins) Write(p []byte) (int, error) {
	if len(p) > 0 {
		b.note.Store(true)
	}
	return b.w.Write(p)
}

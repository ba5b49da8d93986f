//go:build !linux

package perfstat

import "errors"

// Session is absent from this system.
type Session struct{}

// Start says that there is no perf here.
func Start() (*Session, error) { return nil, errors.New("counters of the processor need Linux's perf") }

// Resume is never called.
func (*Session) Resume() error { return nil }

// Pause is never called.
func (*Session) Pause() error { return nil }

// Stop is never called.
func (*Session) Stop() ([]Count, error) { return nil, nil }

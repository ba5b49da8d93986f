//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import "unsafe"

// Stream is a CUstream, Event a CUevent, GraphExec a CUgraphExec.
type (
	Stream    uintptr
	Event     uintptr
	Graph     uintptr
	GraphExec uintptr
)

// StreamNonBlocking makes a stream that does not wait for the default stream.
const StreamNonBlocking = 1

// StreamCreate makes a stream of the current context.
func (l *Lib) StreamCreate(flags uint32) (s Stream, r Result) {
	r = l.call(symStreamCreate, uintptr(unsafe.Pointer(&s)), uintptr(flags))
	return s, r
}

// StreamDestroy destroys a stream; its work still completes.
func (l *Lib) StreamDestroy(s Stream) Result { return l.call(symStreamDestroy, uintptr(s)) }

// StreamSynchronize waits for a stream's work.
func (l *Lib) StreamSynchronize(s Stream) Result { return l.call(symStreamSynchronize, uintptr(s)) }

// EventCreate makes an event that records times.
func (l *Lib) EventCreate() (e Event, r Result) {
	r = l.call(symEventCreate, uintptr(unsafe.Pointer(&e)), 0)
	return e, r
}

// EventDestroy destroys an event.
func (l *Lib) EventDestroy(e Event) Result { return l.call(symEventDestroy, uintptr(e)) }

// EventQuery answers Success, NotReady or an earlier failure.
func (l *Lib) EventQuery(e Event) Result { return l.call(symEventQuery, uintptr(e)) }

// CaptureRelaxed is the capture mode in which no other call of any thread is
// forbidden and the capture may end on another thread.
const CaptureRelaxed = 2

// HasGraphs reports whether this driver has the graph functions.
func (l *Lib) HasGraphs() bool {
	for s := symStreamBeginCapture; s <= symGraphExecDestroy; s++ {
		if l.fn[s] == 0 {
			return false
		}
	}
	return true
}

// StreamBeginCapture makes s note its commands instead of running them.
func (l *Lib) StreamBeginCapture(s Stream, mode int) Result {
	return l.call(symStreamBeginCapture, uintptr(s), uintptr(mode))
}

// StreamEndCapture returns what s noted.
func (l *Lib) StreamEndCapture(s Stream) (g Graph, r Result) {
	r = l.call(symStreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, r
}

// GraphInstantiate makes g launchable.
func (l *Lib) GraphInstantiate(g Graph) (x GraphExec, r Result) {
	r = l.call(symGraphInstantiate, uintptr(unsafe.Pointer(&x)), uintptr(g), 0)
	return x, r
}

// GraphDestroy destroys a graph, not what was instantiated from it.
func (l *Lib) GraphDestroy(g Graph) Result { return l.call(symGraphDestroy, uintptr(g)) }

// GraphExecDestroy destroys an instantiated graph.
func (l *Lib) GraphExecDestroy(x GraphExec) Result { return l.call(symGraphExecDestroy, uintptr(x)) }

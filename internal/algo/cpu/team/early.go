package team

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Early is what ended one of several goroutines before its work was done: a panic or
// runtime.Goexit of the caller's code. Where it happens nobody could recover it, so that it is to
// end their caller, too. The zero value is ready.
type Early struct {
	once  sync.Once
	ended atomic.Bool
	value any // of the panic; nil after runtime.Goexit
}

// Do does the work. If that does not return, Do keeps why, unless it knows of another one, and
// calls stop if there is one.
func (e *Early) Do(work, stop func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		e.once.Do(func() {
			e.value = value
			e.ended.Store(true)
		})
		if stop != nil {
			stop()
		}
	}()
	work()
	returned = true
}

// Ended reports whether some work did not return.
func (e *Early) Ended() bool { return e.ended.Load() }

// Repeat ends the caller as that work was ended, if there was any.
func (e *Early) Repeat() {
	switch {
	case !e.Ended():
	case e.value != nil:
		panic(e.value)
	default:
		runtime.Goexit()
	}
}

package team

import "sync/atomic"

// StepBytes is how much memory a worker goes through between two looks at the
// context: about a millisecond of work.
const StepBytes = 4 << 20

// Done reports whether the context has ended. Workers ask it themselves, for with one
// on each processor nobody else would run.
func (o Options) Done() bool {
	if o.Ctx == nil {
		return false
	}
	select {
	case <-o.Ctx.Done():
		return true
	default:
		return false
	}
}

// EachUntil is Each until the context ends: calls that have not begun are then left
// out, and the error is the context's.
func (o Options) EachUntil(n int, f func(i int)) error {
	var late atomic.Bool
	o.Each(n, func(i int) {
		if late.Load() || o.Done() {
			late.Store(true)
			return
		}
		f(i)
	})
	if late.Load() {
		return o.Ctx.Err()
	}
	return nil
}

// Steps calls f for parts of [0, n), items of so many bytes, by all workers, until the
// context ends.
func (o Options) Steps(n, bytes int, f func(lo, hi int)) error {
	per := max(1, StepBytes/4/bytes)
	return o.EachUntil((n+per-1)/per, func(i int) { f(i*per, min(n, (i+1)*per)) })
}

package transfer

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/sys/hostcopy"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// Saver makes the safety copies of spans that go directly, while the link and
// the device work. The download overwrites only what it has saved: see wait. Its
// methods take nil, which saves nothing. One goroutine calls them.
type Saver struct {
	workers int    // goroutines at most
	made    func() // called when the last copy is made
	work    []chunk
	done    []chan struct{} // by chunk; closed when it is saved
	next    workers.Counter // in work
	ended   workers.Counter
	hands   int          // goroutines that were begun
	limit   atomic.Int64 // those beyond it end
	wg      sync.WaitGroup
}

// Save starts copying those of the spans that have a Keep, by up to so many
// goroutines, and calls made when the last is copied. Their host memory must
// stay as it is until wait has returned for it, Keep until Finish.
func Save(spans []Span, z Sizes, workers int, made func()) *Saver {
	var kept []Span
	var total uint64
	for _, s := range spans {
		if s.Keep != nil {
			kept = append(kept, s)
			total += s.Bytes
		}
	}
	v := &Saver{workers: workers, made: made, work: chunks(kept, z.SaveUnit)}
	if total <= z.SaveAtOnce {
		for _, c := range v.work {
			c.save()
		}
		return nil
	}
	v.done = make([]chan struct{}, len(v.work))
	for i := range v.done {
		v.done[i] = make(chan struct{})
	}
	v.Pace(z.SaveUp)
	return v
}

// Pace has up to n goroutines copy from now on. Goroutines that a lower number has
// ended do not come back.
func (v *Saver) Pace(n int) {
	if v == nil {
		return
	}
	n = min(n, v.workers, len(v.work))
	v.limit.Store(int64(n))
	for ; v.hands < n; v.hands++ {
		hand := int64(v.hands)
		v.wg.Go(func() { v.copy(hand) })
	}
}

// copy saves chunks until there are none, or fewer goroutines are wanted. The first
// goroutine goes on to the end.
func (v *Saver) copy(hand int64) {
	for hand == 0 || hand < v.limit.Load() {
		i := v.next.Take()
		if i >= len(v.work) {
			return
		}
		v.work[i].save()
		close(v.done[i])
		if v.ended.Take() == len(v.work)-1 {
			v.made()
		}
	}
}

func (c chunk) save() { hostcopy.Copy(unsafe.Add(c.s.Keep, c.off), c.host(), c.n) }

// wait returns when n bytes of host memory at p are saved, as far as they are to
// be saved at all.
func (v *Saver) wait(p unsafe.Pointer, n uint64) {
	if v == nil {
		return
	}
	from, to := uintptr(p), uintptr(p)+uintptr(n)
	for i, c := range v.work {
		if at := uintptr(c.host()); at >= to || from >= at+uintptr(c.n) {
			continue
		}
		select {
		case <-v.done[i]:
		default:
			v.Pace(len(v.work)) // the link waits: all hands
			<-v.done[i]
		}
	}
}

// Finish waits for all copies.
func (v *Saver) Finish() {
	if v != nil {
		v.wg.Wait()
	}
}

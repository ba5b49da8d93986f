package dispatch

import (
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/hostcopy"
)

// saver makes the safety copies of spans that go directly, while the link and
// the device work. The download overwrites only what it has saved: see wait. Its
// methods take nil, which saves nothing.
type saver struct {
	work []chunk
	done []chan struct{} // by chunk; closed when it is saved
	wg   sync.WaitGroup
}

// save starts copying those of the spans that have a keep. Their host memory must
// stay as it is until wait has returned for it, keep until finish.
func (e *Engine) save(spans []span) *saver {
	var kept []span
	var total uint64
	for _, s := range spans {
		if s.keep != nil {
			kept = append(kept, s)
			total += s.bytes
		}
	}
	v := &saver{work: chunks(kept, e.sizes.saveUnit)}
	if total <= e.sizes.saveAtOnce {
		for _, c := range v.work {
			c.save()
		}
		return nil
	}
	v.done = make([]chan struct{}, len(v.work))
	for i := range v.done {
		v.done[i] = make(chan struct{})
	}
	var next, ended counter
	for range min(e.sizes.saveBy, e.workers(), len(v.work)) {
		v.wg.Go(func() {
			for i := next.take(); i < len(v.work); i = next.take() {
				v.work[i].save()
				close(v.done[i])
				if ended.take() == len(v.work)-1 {
					e.enter("(safety copies are made)")
				}
			}
		})
	}
	return v
}

func (c chunk) save() { hostcopy.Copy(unsafe.Add(c.s.keep, c.off), c.host(), c.n) }

// wait returns when n bytes of host memory at p are saved, as far as they are to
// be saved at all.
func (v *saver) wait(p unsafe.Pointer, n uint64) {
	if v == nil {
		return
	}
	from, to := uintptr(p), uintptr(p)+uintptr(n)
	for i, c := range v.work {
		if at := uintptr(c.host()); at < to && from < at+uintptr(c.n) {
			<-v.done[i]
		}
	}
}

// finish waits for all copies.
func (v *saver) finish() {
	if v != nil {
		v.wg.Wait()
	}
}

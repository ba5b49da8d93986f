package dispatch

import (
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// hostPool keeps host memory for safety copies and merges between sorts:
// touching fresh memory costs more than copying it, on virtual machines several
// times as much. What is not used for keepFor, or is over the limit, goes back
// to the system. The zero value is ready; release ends it.
type hostPool struct {
	limit uint64 // bytes that may lie idle; 0: hostShare

	mu     sync.Mutex
	idle   []*hostMem // the longest idle first
	bytes  uint64     // of idle
	timer  *time.Timer
	closed bool
}

// hostMem is pooled host memory, aligned for 8-byte words.
type hostMem struct {
	mem    []byte
	mapped bool      // by mapHost; else Go's
	since  time.Time // when it became idle
}

const (
	// keepFor is how long memory may lie idle: longer than what programs do
	// between two sorts, short beside their lives.
	keepFor = 10 * time.Second
	// mapFrom is the size in bytes from which memory is mapped apart from Go's
	// heap, so that it is neither cleared twice nor counted by the collector:
	// two huge pages.
	mapFrom = 4 << 20
	// mapUnit is what mapped sizes are rounded up to: a huge page of amd64 and
	// of arm64 with 4 KiB pages. Sizes that differ little then share memory.
	mapUnit = 2 << 20
	// askHostFrom is the size from which the host is asked whether it has the
	// memory: the question costs some 30 µs, a hundredth of copying as much.
	askHostFrom = 64 << 20
	// unknownShare is the limit on hosts that do not tell their size.
	unknownShare = 1 << 30
)

// hostShare is how many bytes may lie idle: an eighth of the host's memory.
var hostShare = sync.OnceValue(func() uint64 {
	if total, ok := hostTotal(); ok {
		return total / 8
	}
	return unknownShare
})

// get returns memory of at least n bytes with undefined contents: the smallest
// idle one that is large enough, else fresh. It returns ErrOutOfMemory if the
// host has too little.
func (p *hostPool) get(n uint64) (*hostMem, error) {
	p.mu.Lock()
	best := -1
	for i, m := range p.idle {
		if m.size() >= n && (best < 0 || m.size() < p.idle[best].size()) {
			best = i
		}
	}
	if best >= 0 {
		m := p.idle[best]
		p.idle = slices.Delete(p.idle, best, best+1)
		p.bytes -= m.size()
		p.mu.Unlock()
		return m, nil
	}
	p.mu.Unlock()
	if n < mapFrom {
		return heapMem(n), nil
	}
	n = (n + mapUnit - 1) &^ (mapUnit - 1)
	if n >= askHostFrom {
		if free, ok := hostFree(); ok && n > free {
			// What is idle here counts as used there.
			p.sweep(time.Now().Add(keepFor))
			if free, ok = hostFree(); ok && n > free {
				return nil, copyShortage(n, fmt.Sprintf("%d MiB are available", free>>20))
			}
		}
	}
	mem, err := mapHost(n)
	if err != nil {
		return nil, copyShortage(n, err.Error())
	}
	if mem == nil {
		return heapMem(n), nil
	}
	return &hostMem{mem: mem, mapped: true}, nil
}

func copyShortage(n uint64, why string) error {
	return hostShortage("safety copy", fmt.Sprintf("%d MiB", n>>20), why, "sort on the CPU, or in smaller slices")
}

func heapMem(n uint64) *hostMem {
	words := make([]uint64, (n+7)/8)
	return &hostMem{mem: unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))}
}

// put takes memory back; nil is none.
func (p *hostPool) put(m *hostMem) {
	if m == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.since = time.Now()
	p.idle = append(p.idle, m)
	p.bytes += m.size()
	limit := p.limit
	if limit == 0 {
		limit = hostShare()
	}
	for len(p.idle) > 0 && (p.bytes > limit || p.closed) {
		p.drop()
	}
	if p.timer == nil && len(p.idle) > 0 {
		p.timer = time.AfterFunc(keepFor, func() { p.sweep(time.Now()) })
	}
}

// drop frees what has been idle longest. The pool is locked.
func (p *hostPool) drop() {
	m := p.idle[0]
	p.idle = slices.Delete(p.idle, 0, 1)
	p.bytes -= m.size()
	if m.mapped {
		unmapHost(m.mem)
	}
	m.mem = nil
}

// sweep frees what has been idle for keepFor at the given time, and comes back
// for the rest.
func (p *hostPool) sweep(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && now.Sub(p.idle[0].since) >= keepFor {
		p.drop()
	}
	if p.timer == nil {
		return
	}
	p.timer.Stop()
	p.timer = nil
	if len(p.idle) > 0 {
		p.timer = time.AfterFunc(keepFor-now.Sub(p.idle[0].since), func() { p.sweep(time.Now()) })
	}
}

// release frees what is idle, and from now on what is put back.
func (p *hostPool) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	for len(p.idle) > 0 {
		p.drop()
	}
}

func (m *hostMem) size() uint64 { return uint64(len(m.mem)) }

func (m *hostMem) ptr() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(m.mem)) }

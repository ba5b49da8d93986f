package mem

import (
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Pool keeps host memory for safety copies and merges between sorts:
// touching fresh memory costs more than copying it, on virtual machines several
// times as much. What is not used for keepFor, or is over the limit, goes back
// to the system. The zero value is ready; Release ends it.
type Pool struct {
	limit uint64 // bytes that may lie idle; 0: hostShare

	mu     sync.Mutex
	idle   []*Block // the longest idle first
	bytes  uint64   // of idle
	timer  *time.Timer
	closed bool
}

// Block is pooled host memory, aligned for 8-byte words.
type Block struct {
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

// Get returns memory of at least n bytes with undefined contents: the smallest
// idle one that is large enough, else fresh. It returns ErrOutOfMemory if the
// host has too little.
func (p *Pool) Get(n uint64) (*Block, error) {
	p.mu.Lock()
	best := -1
	for i, m := range p.idle {
		if m.Bytes() >= n && (best < 0 || m.Bytes() < p.idle[best].Bytes()) {
			best = i
		}
	}
	if best >= 0 {
		m := p.idle[best]
		p.idle = slices.Delete(p.idle, best, best+1)
		p.bytes -= m.Bytes()
		p.mu.Unlock()
		return m, nil
	}
	p.mu.Unlock()
	if n < mapFrom {
		return heapMem(n), nil
	}
	n = (n + mapUnit - 1) &^ (mapUnit - 1)
	if n >= askHostFrom {
		if free, ok := HostFree(); ok && n > free {
			// What is idle here counts as used there.
			p.sweep(time.Now().Add(keepFor))
			if free, ok = HostFree(); ok && n > free {
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
	return &Block{mem: mem, mapped: true}, nil
}

func copyShortage(n uint64, why string) error {
	return Shortage("safety copy", fmt.Sprintf("%d MiB", n>>20), why, "sort on the CPU, or in smaller slices")
}

func heapMem(n uint64) *Block {
	words := make([]uint64, (n+7)/8)
	return &Block{mem: unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))}
}

// Put takes memory back; nil is none.
func (p *Pool) Put(m *Block) {
	if m == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.since = time.Now()
	p.idle = append(p.idle, m)
	p.bytes += m.Bytes()
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
func (p *Pool) drop() {
	m := p.idle[0]
	p.idle = slices.Delete(p.idle, 0, 1)
	p.bytes -= m.Bytes()
	if m.mapped {
		unmapHost(m.mem)
	}
	m.mem = nil
}

// sweep frees what has been idle for keepFor at the given time, and comes back
// for the rest.
func (p *Pool) sweep(now time.Time) {
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

// Release frees what is idle, and from now on what is put back.
func (p *Pool) Release() {
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

// Bytes is the size.
func (m *Block) Bytes() uint64 { return uint64(len(m.mem)) }

// Pointer is the first byte.
func (m *Block) Pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(m.mem)) }

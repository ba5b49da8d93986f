package run

import "time"

// A device must not wait for the host while a sort is timed, or the time between the two
// events is in part the host's: a plan of a dozen short launches takes the host some 50
// microseconds to queue, and more where it is disturbed. So the cache is flushed over and
// over, for leadTime in all, while the host queues the sort behind it. NVBench holds the
// stream back by a kernel for the same purpose; writing needs none, and cannot wait for
// ever if a peer waits for its own work.
const (
	leadTime    = 500 * time.Microsecond
	mostFlushes = 16
)

// clear queues one flush of the cache.
func (b *devBench) clear() error { return b.q.Memset(b.flush, 0, 0, b.flush.Bytes()/4*4) }

// prepareLead times a flush and sets how many go before each sample. The queue is idle
// when it returns.
func (b *devBench) prepareLead() error {
	if b.flush == nil {
		return nil
	}
	if err := b.clear(); err != nil { // not timed: the buffer's first use
		return err
	}
	start, err := b.q.Record()
	if err != nil {
		return err
	}
	defer start.Close()
	if err := b.clear(); err != nil {
		return err
	}
	end, err := b.q.Record()
	if err != nil {
		return err
	}
	defer end.Close()
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	ns, err := end.Since(start)
	b.flushes = flushesOf(time.Duration(ns))
	return err
}

// flushesOf is how many flushes that take so long each are a lead.
func flushesOf(each time.Duration) int {
	if each <= 0 {
		return 1
	}
	return int(min(max((leadTime+each-1)/each, 1), mostFlushes))
}

// takeLead queues the flushes.
func (b *devBench) takeLead() error {
	for range b.flushes {
		if err := b.clear(); err != nil {
			return err
		}
	}
	return nil
}

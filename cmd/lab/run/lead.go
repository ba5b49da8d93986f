package run

import (
	"time"

	"github.com/gpusort/gpusort/internal/driver"
)

// A device should not wait for the host while a sort is timed, or the time between the two
// events is in part the host's: a plan of a dozen short launches takes the host some 50
// microseconds to queue, by estimate, and more where it is disturbed. So the cache is flushed over
// and over, for leadTime in all, while the host queues the sort behind it. NVBench holds the
// stream back by a kernel for the same purpose; writing needs none, and cannot wait for
// ever if a peer waits for its own work. Plans of hundreds of launches outlast it:
// result.Record.Behind counts.
const (
	leadTime    = 500 * time.Microsecond
	mostFlushes = 16
)

// clear queues one flush of the cache.
func (b *devBench) clear() error { return b.q.Memset(b.flush, 0, 0, b.flush.Bytes()/4*4) }

// prepareLead times a flush, once a device, and so sets how many go before each sample. The
// queue is idle when it returns.
func (b *devBench) prepareLead() error {
	if b.flush == nil || b.stock.flushes != 0 {
		return nil
	}
	if err := b.clear(); err != nil { // not timed: the buffer's first use
		return err
	}
	ns, err := timed(b.q, b.clear)
	if err != nil {
		return err
	}
	b.stock.flushes = flushesOf(time.Duration(ns))
	return nil
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
	if b.flush == nil {
		return nil
	}
	for range b.stock.flushes {
		if err := b.clear(); err != nil {
			return err
		}
	}
	return nil
}

// timed returns the device time of what f queues, in nanoseconds. The queue is idle then.
func timed(q driver.Queue, f func() error) (ns int64, err error) {
	start, err := q.Record()
	if err != nil {
		return 0, err
	}
	defer start.Close()
	if err := f(); err != nil {
		return 0, err
	}
	end, err := q.Record()
	if err != nil {
		return 0, err
	}
	defer end.Close()
	if err := q.Synchronize(); err != nil {
		return 0, err
	}
	return end.Since(start)
}

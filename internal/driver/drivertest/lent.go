package drivertest

import (
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
)

// testLent has a queue wrapped: work by either is in order, and closing the wrapper
// leaves the owner's queue open.
func testLent(t *testing.T, s suite) {
	w, ok := s.dev.(driver.QueueWrapper)
	q := s.queue(t)
	own, streams := q.(driver.Streamer)
	if !ok || !streams {
		absent.Skip(t, "driver.QueueWrapper", "the backend lends no queues, which is optional")
	}
	k := s.kernel(t, "t_affine32")
	const items = 1 << 14
	b := [2]driver.Buffer{s.alloc(t, 4*items), s.alloc(t, 4*items)}
	first := pattern(4*items, 3)
	in(t, q, b[0], 0, first)
	lent, err := w.WrapQueue(own.Handle())
	must(t, err)
	must(t, chain(q, k, b, items, 6))
	must(t, chain(lent, k, b, items, 4))
	e, err := lent.Record()
	must(t, err)
	must(t, chain(q, k, b, items, 2))
	must(t, e.Wait())
	must(t, e.Close())
	must(t, lent.Close())
	must(t, lent.Close())
	equal(t, "work of both", out(t, q, b[0], 0, 4*items), chained(first, 12))
}

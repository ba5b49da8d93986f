package drivertest

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// chain starts n launches, each of which applies affine32 to the result of the
// one before: b0 → b1 → b0 …
func chain(q driver.Queue, k driver.Kernel, b [2]driver.Buffer, items, n int) error {
	for i := range n {
		err := q.Launch(k, driver.Launch{
			Grid: driver.Dim{X: uint32(items+127) / 128}, Block: driver.Dim{X: 128},
			Args: []driver.Arg{buf(b[i%2], 0), buf(b[(i+1)%2], 0), val(uint64(items), 8), val(3, 4), val(1, 4)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// chained is what chain computes.
func chained(p []byte, n int) []byte {
	for range n {
		p = affine32(p, 3, 1)
	}
	return p
}

func testEvents(t *testing.T, s suite) {
	q := s.queue(t)
	k := s.kernel(t, "t_affine32")
	const items = 1 << 16
	b := [2]driver.Buffer{s.alloc(t, 4*items), s.alloc(t, 4*items)}
	in(t, q, b[0], 0, pattern(4*items, 1))
	record := func() driver.Event {
		e, err := q.Record()
		must(t, err)
		t.Cleanup(func() { must(t, e.Close()) })
		return e
	}
	e0 := record()
	must(t, chain(q, k, b, items, 4))
	e1 := record()
	must(t, chain(q, k, b, items, 16))
	e2 := record()
	must(t, e2.Wait())
	for i, e := range []driver.Event{e0, e1, e2} {
		// In an in-order queue everything before a completed event is complete.
		if done, err := e.Done(); err != nil || !done {
			t.Errorf("event %d: done=%v, %v after the last was waited for", i, done, err)
		}
		must(t, e.Wait())
	}
	ns := func(e, start driver.Event) int64 {
		d, err := e.Since(start)
		must(t, err)
		return d
	}
	d1, d2, all := ns(e1, e0), ns(e2, e1), ns(e2, e0)
	if d1 < 0 || d2 < 0 || all <= 0 {
		t.Errorf("times run backwards: %d ns, %d ns, together %d ns", d1, d2, all)
	}
	// Backends that return floats of milliseconds round: allow 2 µs.
	if diff := d1 + d2 - all; diff < -2000 || diff > 2000 {
		t.Errorf("%d ns and %d ns add up to %d ns", d1, d2, all)
	}
	e3 := record()
	for done := false; !done; {
		var err error
		if done, err = e3.Done(); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	if again, ok := e0.(driver.Rerecorder); ok {
		must(t, again.Rerecord(q))
		must(t, chain(q, k, b, items, 4))
		must(t, e3.(driver.Rerecorder).Rerecord(q))
		must(t, e3.Wait())
		if ns(e3, e0) < 0 || ns(e0, e2) < 0 {
			t.Errorf("recorded again, times run backwards: %d ns since the start, that %d ns since the last", ns(e3, e0), ns(e0, e2))
		}
		closed := record()
		must(t, closed.Close())
		if err := closed.(driver.Rerecorder).Rerecord(q); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("recording a closed event: %v", err)
		}
	}
}

func testWait(t *testing.T, s suite) {
	q1, q2 := s.queue(t), s.queue(t)
	k := s.kernel(t, "t_affine32")
	const items, rounds = 1 << 16, 20
	b := [2]driver.Buffer{s.alloc(t, 4*items), s.alloc(t, 4*items)}
	p := pattern(4*items, 2)
	in(t, q1, b[0], 0, p)
	// The chain hops between the queues: each half starts where the other ended.
	queues := [2]driver.Queue{q1, q2}
	for r := range rounds {
		q := queues[r%2]
		must(t, chain(q, k, b, items, 2))
		e, err := q.Record()
		must(t, err)
		must(t, queues[(r+1)%2].Wait(e))
		must(t, e.Close()) // the wait outlives the event
	}
	equal(t, "chain over two queues", out(t, queues[rounds%2], b[0], 0, 4*items), chained(p, 2*rounds))
	must(t, q1.Synchronize())
	must(t, q2.Synchronize())
}

func testGoroutines(t *testing.T, s suite) {
	const workers, items, rounds = 2, 5000, 10
	var wg sync.WaitGroup
	errs := make([]error, workers)
	results := make([][]byte, workers)
	for w := range workers {
		wg.Go(func() { results[w], errs[w] = s.worker(uint64(w), items, rounds) })
	}
	wg.Wait()
	for w := range workers {
		must(t, errs[w])
		equal(t, "goroutine's result", results[w], chained(pattern(4*items, uint64(w)), 2*rounds))
	}
}

// worker does everything on its own: module, buffers, queue, a chain.
func (s suite) worker(seed uint64, items, rounds int) (p []byte, err error) {
	q, err := s.dev.NewQueue()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	m, err := s.dev.LoadModule([]driver.Image{s.k.Image})
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel("t_affine32")
	if err != nil {
		return nil, err
	}
	n := uint64(4 * items)
	var b [2]driver.Buffer
	for i := range b {
		if b[i], err = s.dev.Alloc(n); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, b[i].Close()) }()
	}
	p = pattern(int(n), seed)
	if err := q.CopyIn(b[0], 0, unsafe.Pointer(&p[0]), n); err != nil {
		return nil, err
	}
	for range rounds {
		if err := chain(q, k, b, items, 2); err != nil {
			return nil, err
		}
		e, err := q.Record()
		if err != nil {
			return nil, err
		}
		if err := errors.Join(e.Wait(), e.Close()); err != nil {
			return nil, err
		}
	}
	clear(p)
	if err := q.CopyOut(unsafe.Pointer(&p[0]), b[0], 0, n); err != nil {
		return nil, err
	}
	return p, q.Synchronize()
}

// settle waits for the number of goroutines to fall to n.
func settle(n int) int {
	for range 100 {
		if runtime.NumGoroutine() <= n {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

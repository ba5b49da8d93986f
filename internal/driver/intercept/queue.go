package intercept

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

type queue struct {
	object
	inner driver.Queue
}

// fullQueue is a queue with optional interfaces.
type fullQueue struct{ *queue }

func wrapQueue(s *state, inner driver.Queue, name string) driver.Queue {
	q := &queue{object{s, name}, inner}
	_, batcher := inner.(driver.Batcher)
	_, grapher := inner.(driver.Grapher)
	_, peer := inner.(driver.PeerCopier)
	_, alloc := inner.(driver.QueueAllocator)
	if batcher || grapher || peer || alloc {
		return fullQueue{q}
	}
	return q
}

func innerQueue(q driver.Queue) driver.Queue {
	switch q := q.(type) {
	case *queue:
		return q.inner
	case fullQueue:
		return q.inner
	}
	return q
}

// work is call for work on the device.
func (q *queue) work(method string, text func() string, do func() error) error {
	return q.s.hook(&Call{On: q.name, Method: method, Queue: q.inner, text: text}, do)
}

func (q *queue) Memset(b driver.Buffer, off uint64, pattern uint32, n uint64) error {
	return q.work("Queue.Memset", func() string { return fmt.Sprintf("%s pattern=%#x bytes=%d", at(b, off), pattern, n) },
		func() error { return q.inner.Memset(innerBuffer(b), off, pattern, n) })
}

func (q *queue) CopyIn(dst driver.Buffer, off uint64, src unsafe.Pointer, n uint64) error {
	return q.work("Queue.CopyIn", func() string { return fmt.Sprintf("%s ← %s bytes=%d", at(dst, off), q.s.place(src), n) },
		func() error { return q.inner.CopyIn(innerBuffer(dst), off, src, n) })
}

func (q *queue) CopyOut(dst unsafe.Pointer, src driver.Buffer, off uint64, n uint64) error {
	return q.work("Queue.CopyOut", func() string { return fmt.Sprintf("%s ← %s bytes=%d", q.s.place(dst), at(src, off), n) },
		func() error { return q.inner.CopyOut(dst, innerBuffer(src), off, n) })
}

func (q *queue) Copy(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	return q.work("Queue.Copy", func() string { return fmt.Sprintf("%s ← %s bytes=%d", at(dst, dstOff), at(src, srcOff), n) },
		func() error { return q.inner.Copy(innerBuffer(dst), dstOff, innerBuffer(src), srcOff, n) })
}

func (q *queue) Launch(k driver.Kernel, l driver.Launch) error {
	return q.work("Queue.Launch", func() string { return launchText(k, l) }, func() error {
		inner := l
		inner.Args = append([]driver.Arg(nil), l.Args...)
		for i := range inner.Args {
			if inner.Args[i].Buf != nil {
				inner.Args[i].Buf = innerBuffer(inner.Args[i].Buf)
			}
		}
		return q.inner.Launch(innerKernel(k), inner)
	})
}

func launchText(k driver.Kernel, l driver.Launch) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s grid=%s block=%s", k.Name(), dim(l.Grid), dim(l.Block))
	if l.SharedBytes != 0 {
		fmt.Fprintf(&s, " shared=%d", l.SharedBytes)
	}
	if l.Cooperative {
		s.WriteString(" cooperative")
	}
	s.WriteString(" args=(")
	for i, a := range l.Args {
		if i > 0 {
			s.WriteString(", ")
		}
		if a.Buf != nil {
			s.WriteString(at(a.Buf, a.Off))
		} else {
			fmt.Fprintf(&s, "u%d %d", 8*int(a.Size), a.Val)
		}
	}
	s.WriteString(")")
	return s.String()
}

func dim(d driver.Dim) string {
	s := fmt.Sprint(max(d.X, 1))
	if d.Y > 1 || d.Z > 1 {
		s += fmt.Sprintf("×%d", max(d.Y, 1))
	}
	if d.Z > 1 {
		s += fmt.Sprintf("×%d", d.Z)
	}
	return s
}

func (q *queue) Record() (driver.Event, error) {
	return make1(&q.object, "Queue.Record", "e", nil, q.inner.Record,
		func(e driver.Event, name string) driver.Event { return wrapEvent(q.s, e, name) })
}

func (q *queue) Wait(e driver.Event) error {
	text := func() string {
		switch w := e.(type) {
		case *event:
			return w.name
		case fullEvent:
			return w.name
		}
		return "foreign"
	}
	return q.call("Queue.Wait", text, func() error { return q.inner.Wait(innerEvent(e)) })
}

func (q *queue) Synchronize() error {
	return q.s.hook(&Call{On: q.name, Method: "Queue.Synchronize", Ends: true, Queue: q.inner}, q.inner.Synchronize)
}

// Handle implements driver.Streamer, which all backends have; else it is 0.
func (q *queue) Handle() uintptr {
	if h, has := q.inner.(driver.Streamer); has {
		return h.Handle()
	}
	return 0
}

func (q *queue) Close() error {
	return q.s.hook(&Call{On: q.name, Method: "Queue.Close", Ends: true, Queue: q.inner}, q.inner.Close)
}

func (q fullQueue) Batch(f func() error) error {
	return q.call("Queue.Batch", nil, func() error {
		if b, has := q.inner.(driver.Batcher); has {
			return b.Batch(f)
		}
		return f()
	})
}

func (q fullQueue) Capture(f func() error) (g driver.Graph, err error) {
	c := &Call{On: q.name, Method: "Queue.Capture", Queue: q.inner}
	err = q.s.hook(c, func() error {
		capturer, has := q.inner.(driver.Grapher)
		if !has {
			return unsupported("Queue.Capture")
		}
		inner, err := capturer.Capture(f)
		if err == nil {
			c.Made = q.s.name("g")
			g = &graph{object{q.s, c.Made}, inner}
		}
		return err
	})
	return g, err
}

func (q fullQueue) CopyPeer(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	return q.work("Queue.CopyPeer", func() string { return fmt.Sprintf("%s ← %s bytes=%d", at(dst, dstOff), at(src, srcOff), n) }, func() error {
		if p, has := q.inner.(driver.PeerCopier); has {
			return p.CopyPeer(innerBuffer(dst), dstOff, innerBuffer(src), srcOff, n)
		}
		return unsupported("Queue.CopyPeer")
	})
}

func (q fullQueue) AllocInOrder(n uint64) (driver.Buffer, error) {
	return make1(&q.object, "Queue.AllocInOrder", "b", sprint(n), func() (driver.Buffer, error) {
		if a, has := q.inner.(driver.QueueAllocator); has {
			return a.AllocInOrder(n)
		}
		return nil, unsupported("Queue.AllocInOrder")
	}, q.s.buffer)
}

type graph struct {
	object
	inner driver.Graph
}

func (g *graph) Launch(q driver.Queue) error {
	return g.s.hook(&Call{On: g.name, Method: "Graph.Launch", Queue: innerQueue(q)}, func() error { return g.inner.Launch(innerQueue(q)) })
}

func (g *graph) Close() error { return g.end("Graph.Close", g.inner.Close) }

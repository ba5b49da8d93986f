//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// graph is an instantiated graph.
type graph struct {
	d      *device
	x      cu.GraphExec
	closed atomic.Bool
}

// Capture implements driver.Grapher.
func (q *queue) Capture(f func() error) (driver.Graph, error) {
	const op = "cuStreamBeginCapture_v2"
	d := q.d
	if !d.l.HasGraphs() {
		return nil, d.unsupported(op, "the driver has no graphs (before CUDA 11.4); install a newer NVIDIA driver")
	}
	var g *graph
	err := q.Batch(func() error {
		err := q.call(op, func() (string, cu.Result) { return op, d.l.StreamBeginCapture(q.s, cu.CaptureRelaxed) })
		if err != nil {
			return err
		}
		ended := false
		defer func() {
			if !ended { // f has panicked
				_, _ = q.endCapture(false)
			}
		}()
		ferr := f()
		ended = true
		x, err := q.endCapture(ferr == nil)
		if ferr != nil {
			return ferr
		}
		if err == nil {
			g = &graph{d: d, x: x}
			d.live.add(g)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// endCapture ends noting and, if it is wanted, makes a graph of the notes.
func (q *queue) endCapture(wanted bool) (x cu.GraphExec, err error) {
	l := q.d.l
	err = q.call("cuStreamEndCapture", func() (string, cu.Result) {
		notes, r := l.StreamEndCapture(q.s)
		if r != cu.Success {
			return "cuStreamEndCapture", r
		}
		if notes == 0 {
			return "cuStreamEndCapture", cu.Success
		}
		defer l.GraphDestroy(notes)
		if wanted {
			x, r = l.GraphInstantiate(notes)
		}
		return "cuGraphInstantiateWithFlags", r
	})
	return x, err
}

// call is enter, call, leave of this queue.
func (q *queue) call(op string, f func() (string, cu.Result)) error {
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	op, r := f()
	q.d.leave(q.f, v)
	return q.d.fail(op, r, "")
}

// Launch allocates nothing.
func (g *graph) Launch(to driver.Queue) error {
	const op = "cuGraphLaunch"
	q, ok := to.(*queue)
	if !ok || !q.d.same(g.d) {
		return g.d.invalid(op, "the queue is of another device")
	}
	if g.closed.Load() || g.d.closed.Load() {
		return g.d.errClosed(op, "the graph or its device")
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := q.f.GraphLaunch(g.x, q.s)
	q.d.leave(q.f, v)
	return q.d.fail(op, r, "")
}

func (g *graph) Close() error {
	if g.closed.Swap(true) {
		return nil
	}
	return g.d.release(g)
}

func (g *graph) rank() int { return rankGraph }

func (g *graph) release() (string, cu.Result) {
	return "cuGraphExecDestroy", g.d.l.GraphExecDestroy(g.x)
}

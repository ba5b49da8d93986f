//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"sync"

	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// resource is something that is released once, by its own Close or by the
// device's.
type resource interface {
	// release gives it back to the driver; the context is current.
	release() (op string, r cu.Result)
	// rank orders what Device.Close releases: lower first.
	rank() int
}

// The ranks. Queues come first: their release waits for work that uses the rest.
const (
	rankQueue = iota
	rankGraph
	rankMemory
	ranks
)

// registry holds a device's resources. Who takes one out releases it, which
// makes that happen exactly once.
type registry struct {
	mu  sync.Mutex
	all map[resource]struct{}
}

func (g *registry) add(r resource) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[resource]struct{}{}
	}
	g.all[r] = struct{}{}
}

// take reports whether the caller is the one to release r.
func (g *registry) take(r resource) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.all[r]
	delete(g.all, r)
	return ok
}

func (g *registry) drain(note func(op string, r cu.Result)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for rank := range ranks {
		for r := range g.all {
			if r.rank() == rank {
				note(r.release())
			}
		}
	}
	g.all = nil
}

// release closes one resource of d. A device that is closed has released it,
// and one that is lost has nothing to give back: neither is an error.
func (d *device) release(r resource) error {
	if d.closed.Load() {
		return nil
	}
	var op string
	var res cu.Result
	err := d.do("Close", func() error {
		if d.live.take(r) {
			op, res = r.release()
		}
		return nil
	})
	if d.closed.Load() || errorIsLost(err) || isLost(res) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.fail(op, res, "")
}

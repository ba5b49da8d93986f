package exec

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// Session is one device as one executor uses it: the loaded code, plans that
// were made before, and lanes for concurrent sorts. Nothing is loaded before
// the first sort.
type Session struct {
	x      *Executor
	dev    driver.Device
	caps   driver.Caps
	id     string
	choose Choose

	mu      sync.Mutex
	fewer   *sync.Cond // signalled when active falls and when closed is set
	active  int        // lanes in use
	idle    []*lane
	closed  bool
	plans   map[planKey]*prepared
	chosen  map[plan.Problem]*prepared // of the algorithm that choose returned
	halved  map[planKey]*halves        // nil: as a whole
	modules map[string]driver.Module
}

// Choose returns the algorithm that sorts a problem on a device; its error wraps
// driver.ErrUnsupported if there is none.
type Choose func(plan.Problem) (algo.Algorithm, error)

type planKey struct {
	algorithm string
	problem   plan.Problem
}

// prepared is a plan with its kernels.
type prepared struct {
	plan.Plan
	kernels []driver.Kernel // by step; nil for all but launches
	hosts   []algo.HostStep // by step; nil for all but host steps
	dev     driver.Device
}

// keptPlans bounds the cache of plans; programs use few sizes at a time.
const keptPlans = 64

// Open begins a session with a device, which is the session's to close. It touches
// nothing of the device.
func (x *Executor) Open(d driver.Device, choose Choose) *Session {
	s := &Session{x: x, dev: d, caps: d.Caps(), choose: choose, plans: map[planKey]*prepared{}, chosen: map[plan.Problem]*prepared{}, halved: map[planKey]*halves{}, modules: map[string]driver.Module{}}
	s.id = s.caps.ID
	s.fewer = sync.NewCond(&s.mu)
	return s
}

// ID is the device's: "cuda:0".
func (s *Session) ID() string { return s.id }

// Caps are the device's capabilities.
func (s *Session) Caps() driver.Caps { return s.caps }

// Device is the device itself, for memory and queues of the caller's.
func (s *Session) Device() driver.Device { return s.dev }

// Choose is the choice that the session was opened with.
func (s *Session) Choose(p plan.Problem) (algo.Algorithm, error) { return s.choose(p) }

// Close waits until no lane is in use and frees them all, and the device.
func (s *Session) Close() error {
	return errors.Join(s.CloseLanes(), s.dev.Close())
}

// CloseLanes ends the session's work and frees what it made on the device.
func (s *Session) CloseLanes() error {
	s.mu.Lock()
	s.closed = true
	s.fewer.Broadcast()
	for s.active > 0 {
		s.fewer.Wait()
	}
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	var errs []error
	for _, l := range idle {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// mostLanes bounds the sorts of one engine on a device at once. Two keep link
// and multiprocessors busy together, two more hide the host's work; beyond that
// sorts only take each other's memory.
const mostLanes = 4

// acquire returns an idle lane or a new one, and waits while all are in use.
// The caller, which holds no other lane, gives it back by release.
func (s *Session) acquire() (*lane, error) {
	s.mu.Lock()
	for s.active >= mostLanes && !s.closed {
		s.fewer.Wait()
	}
	if s.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("sort: %w: make a new sorter", driver.ErrClosed)
	}
	s.active++
	if n := len(s.idle); n > 0 {
		l := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return l, nil
	}
	s.mu.Unlock()
	q, err := s.dev.NewQueue()
	if err != nil {
		s.leave()
		return nil, fmt.Errorf("%s: %w", s.id, err)
	}
	return newLane(s, q), nil
}

// release takes a lane back. After a failed sort the lane is closed instead of
// kept, because work that failed may have left its queue unusable.
func (s *Session) release(l *lane, failed bool) error {
	var err error
	switch {
	case failed:
		err = l.close()
	default:
		if limit := s.x.IdleBytes; limit != 0 && l.held() > limit {
			err = l.trim()
		}
		s.mu.Lock()
		s.idle = append(s.idle, l)
		s.mu.Unlock()
	}
	s.leave()
	return err
}

func (s *Session) leave() {
	s.mu.Lock()
	s.active--
	s.fewer.Broadcast()
	s.mu.Unlock()
}

// trimIdle frees the memory of all idle lanes, for a sort that found too
// little.
func (s *Session) trimIdle() {
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	for _, l := range idle {
		// A failed free leaves the memory with the device; the allocation that
		// follows reports it.
		_ = l.trim()
	}
	s.mu.Lock()
	s.idle = append(s.idle, idle...)
	s.mu.Unlock()
}

// ready returns the plan of p by the algorithm that choose returns, with its
// code loaded.
func (s *Session) ready(p plan.Problem) (*prepared, error) {
	s.mu.Lock()
	r := s.chosen[p]
	s.mu.Unlock()
	if r != nil {
		return r, nil
	}
	a, err := s.choose(p)
	if err != nil {
		return nil, err
	}
	if r, err = s.prepare(a, p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.chosen[p] = r
	s.mu.Unlock()
	return r, nil
}

// prepare returns the plan of p with its code loaded.
func (s *Session) prepare(a algo.Algorithm, p plan.Problem) (*prepared, error) {
	k := planKey{a.Name, p}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.plans[k]; ok {
		return r, nil
	}
	r, err := s.build(a, p, s.x.Params)
	if err != nil {
		return nil, err
	}
	if len(s.plans) >= keptPlans {
		clear(s.plans)
		clear(s.chosen)
		clear(s.halved)
	}
	s.plans[k] = r
	return r, nil
}

// build plans p with launch parameters l and loads the code. The session is
// locked.
func (s *Session) build(a algo.Algorithm, p plan.Problem, l algo.Params) (*prepared, error) {
	pl, err := a.Plan(p, s.caps, l)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.id, a.Name, err)
	}
	r := &prepared{Plan: pl, kernels: make([]driver.Kernel, len(pl.Steps)), hosts: make([]algo.HostStep, len(pl.Steps)), dev: s.dev}
	for i, st := range pl.Steps {
		if st.Op == plan.OpHost {
			if r.hosts[i] = a.HostSteps[st.Host]; r.hosts[i] == nil {
				return nil, fmt.Errorf("%s: %s: step %d (%s) calls the host function %q, which the algorithm does not have", s.id, a.Name, i, st.Label, st.Host)
			}
		}
		if st.Op != plan.OpLaunch {
			continue
		}
		if r.kernels[i], err = s.kernel(st.Kernel); err != nil {
			return nil, err
		}
	}
	if l != (algo.Params{}) {
		if err := r.fits(s.caps); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.id, a.Name, err)
		}
	}
	return r, nil
}

// kernel finds an entry point, loading its module on first use. The session is
// locked.
func (s *Session) kernel(id kernel.ID) (driver.Kernel, error) {
	m, ok := s.modules[id.Module]
	if !ok {
		images, err := s.x.Code(s.caps.Backend, id.Module)
		if err != nil {
			return nil, fmt.Errorf("%s: device code %s: %w", s.id, id.Module, err)
		}
		if m, err = s.dev.LoadModule(images); err != nil {
			return nil, fmt.Errorf("%s: load device code %s: %w", s.id, id.Module, err)
		}
		if err := s.checkPolicy(id.Module, m); err != nil {
			return nil, fmt.Errorf("%s: %w", s.id, err)
		}
		s.modules[id.Module] = m
	}
	k, err := m.Kernel(id.Symbol)
	if err != nil {
		return nil, fmt.Errorf("%s: device code %s has no kernel %s: %w", s.id, id.Module, id.Symbol, err)
	}
	return k, nil
}

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

func (e *Engine) algorithms() []algo.Algorithm {
	if e.cfg.Algorithms != nil {
		return e.cfg.Algorithms
	}
	return catalog.Algorithms()
}

// deviceAlgorithm reports whether the configuration names an algorithm that
// runs on devices. It then rules out the CPU, also under "auto", unless the CPU
// has one of that name and no device can.
func (e *Engine) deviceAlgorithm() bool {
	return e.cfg.Algorithm != "" && e.cfg.Device != "cpu"
}

// choose returns the named algorithm, or else the first of the catalogue, that
// sorts p on this device.
func (s *session) choose(p plan.Problem) (algo.Algorithm, error) {
	var why []error
	for _, a := range s.e.algorithms() {
		if s.e.cfg.Algorithm != "" && !strings.EqualFold(a.Name, s.e.cfg.Algorithm) || s.e.cfg.Algorithm == "" && a.Study {
			continue
		}
		err := a.CheckWith(p, s.caps, s.e.cfg.Params)
		if err == nil {
			return a, nil
		}
		why = append(why, fmt.Errorf("%s: %w", a.Name, err))
	}
	if len(why) == 0 {
		why = append(why, fmt.Errorf("%w: this build has no device algorithm", driver.ErrUnsupported))
	}
	return algo.Algorithm{}, fmt.Errorf("%s: no algorithm for %d %v %v: %w", s.id, p.Items, p.Type, p.Mode, errors.Join(why...))
}

// place returns the session that p is sorted on; nil is the CPU. It answers
// small problems without a look at devices. The caller has begun.
func (e *Engine) place(p plan.Problem) (*session, error) {
	switch {
	case e.cfg.Device == "cpu":
		return nil, nil
	case !e.auto:
		return e.sessions[e.cfg.Device], nil
	case e.deviceAlgorithm():
		c, err := e.best(p)
		if err != nil && e.named {
			return nil, nil // the processor has it, too
		}
		if err != nil {
			return nil, err
		}
		return c.s, nil
	case p.Items < e.floor():
		return nil, nil
	case !e.worthOpening(p) || e.cpuWins(p):
		return nil, nil
	}
	c, err := e.best(p)
	if err != nil || !e.pays(c, p) {
		return nil, nil
	}
	return c.s, nil
}

// open returns an error if the engine is closed.
func (e *Engine) open(op string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed(op)
	}
	return nil
}

// candidate is a device with what it would take to sort a problem on it.
type candidate struct {
	s *session
	a algo.Algorithm
	estimate
}

// gainFactor is how much faster than the CPU a device must be predicted to be
// chosen. The predictions are rough; a wrong CPU costs this factor at worst,
// a wrong device perhaps much more.
const gainFactor = 1.25

// pays reports whether the device is chosen for p: it must be predicted to be
// faster by gainFactor, or, where both were measured, faster.
func (e *Engine) pays(c candidate, p plan.Problem) bool {
	cpu, measured := e.measuredCPU(p)
	if measured && c.measured > 0 {
		return c.measured < cpu
	}
	return c.total()*gainFactor < e.cpuTime(p)
}

// cpuWins reports whether p was measured on the processor and on every device that
// "auto" may use, and the processor is the fastest. That tells pays at once, without
// the plan of a sort that is not to be, which takes some microseconds: a third as long
// as the processor sorts 2^12 keys.
func (e *Engine) cpuWins(p plan.Problem) bool {
	cpu, ok := e.measuredCPU(p)
	if !ok {
		return false
	}
	list, err := e.discover()
	if err != nil {
		return false
	}
	for _, s := range list {
		if t, ok := e.measured(measuredDevice(s.caps), p); !ok || t < cpu {
			return false
		}
	}
	return true
}

// best returns the device that sorts p soonest among those that "auto" may
// use. The error joins the reasons against each device.
func (e *Engine) best(p plan.Problem) (candidate, error) {
	list, err := e.discover()
	if err != nil {
		return candidate{}, err
	}
	for {
		var best candidate
		var why []error
		for _, s := range list {
			if s.isLost() {
				why = append(why, fmt.Errorf("%s: %w: it failed before", s.id, driver.ErrDeviceLost))
				continue
			}
			a, err := s.choose(p)
			if err == nil {
				var t estimate
				if t, err = s.estimate(a, p); err == nil && (best.s == nil || t.total() < best.total()) {
					best = candidate{s, a, t}
				}
			}
			if err != nil {
				why = append(why, err)
			}
		}
		if best.s == nil {
			if len(why) == 0 {
				why = append(why, fmt.Errorf("%w: no device that auto may use", driver.ErrNoDevice))
			}
			return candidate{}, errors.Join(why...)
		}
		err := e.trust(best.s)
		if err == nil {
			return best, nil
		}
		e.log.Warn("device failed its self-test and is not used", "device", best.s.id, "error", err)
		best.s.lose()
	}
}

// any returns a session for memory that belongs to no particular sort: the
// named device's, under auto the fastest one's; nil is the CPU.
func (e *Engine) any() (*session, error) {
	if err := e.open("allocate"); err != nil {
		return nil, err
	}
	if !e.auto {
		return e.sessions[e.cfg.Device], nil
	}
	c, err := e.best(plan.Problem{Items: 1 << 24, Type: typical})
	if err != nil {
		if e.deviceAlgorithm() {
			return nil, err
		}
		return nil, nil
	}
	return c.s, nil
}

// discover lists the devices that "auto" may use, once. Devices that run on
// the host's processor are left out, because our own CPU sort is faster than
// OpenCL there, and so are OpenCL's views of CUDA devices.
func (e *Engine) discover() ([]*session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed("sort")
	}
	if e.probe.done {
		return e.probe.list, nil
	}
	all, err := e.devices()
	if err != nil {
		e.log.Warn("a backend failed", "error", err)
	}
	cuda := false
	for _, d := range all {
		cuda = cuda || d.Caps().Backend == "cuda"
	}
	for _, d := range all {
		c := d.Caps()
		if c.CPU && !e.deviceAlgorithm() || cuda && c.Backend == "opencl" && strings.Contains(strings.ToLower(c.Vendor), "nvidia") {
			unused(d)
			continue
		}
		s := newSession(e, d)
		e.sessions[s.id] = s
		e.probe.list = append(e.probe.list, s)
	}
	e.probe.done = true
	return e.probe.list, nil
}

package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
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
// sorts p on a device with capabilities c. A name is that of a sort: it says nothing of
// other operations.
func (e *Engine) choose(c driver.Caps, p plan.Problem) (algo.Algorithm, error) {
	if p.Kind != op.Sort {
		return e.first(c, p, "")
	}
	a, err := e.first(c, p, e.cfg.Algorithm)
	if err != nil && p.Kind == op.Sort && p.Items < 2 {
		// There is nothing to put in order, whatever the least size of the named algorithm.
		if other, no := e.first(c, p, ""); no == nil {
			return other, nil
		}
	}
	return a, err
}

// first returns the first algorithm of that name, or of all that are chosen by themselves
// if it is empty, which sorts p on a device.
func (e *Engine) first(c driver.Caps, p plan.Problem, name string) (algo.Algorithm, error) {
	var why []error
	list := e.algorithms()
	if p.Kind != op.Sort {
		list = append(slices.Clone(list), catalog.Operations()...)
	}
	for _, a := range list {
		if name != "" && !strings.EqualFold(a.Name, name) || name == "" && (a.Study || a.Kind != p.Kind) {
			continue
		}
		err := a.CheckWith(p, c, e.cfg.Params)
		if err == nil {
			return a, nil
		}
		why = append(why, fmt.Errorf("%s: %w", a.Name, err))
	}
	if len(why) == 0 {
		why = append(why, fmt.Errorf("%w: this build has no device code for %v", driver.ErrUnsupported, p.Kind))
	}
	return algo.Algorithm{}, fmt.Errorf("%s: no algorithm for the %s: %w", c.ID, p.Words(), errors.Join(why...))
}

// place returns where p, a sort or an order of strings, is carried out. It answers small
// problems without a look at devices. The caller has begun.
func (e *Engine) place(p plan.Problem) (place, error) {
	switch {
	case e.cfg.Device == "cpu":
		return e.host, nil
	case e.group != nil && p.Kind == op.Sort:
		return e.group, nil
	case !e.auto:
		return e.single(), nil
	case e.deviceAlgorithm() && p.Kind == op.Sort:
		c, err := e.best(p)
		if err != nil && e.hostNamed {
			return e.host, nil // the processor has it, too
		}
		if err != nil {
			return nil, err
		}
		return c.d, nil
	case p.Items < e.floorOf(p):
		return e.host, nil
	case !e.worthOpening(p) || e.cpuWins(p):
		return e.host, nil
	}
	c, err := e.best(p)
	switch {
	case e.togetherPays(p, c, err):
		return e.probe.group, nil
	case err != nil || !e.pays(c, p):
		return e.host, nil
	}
	return c.d, nil
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
	d *device
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
	for _, d := range list {
		if t, ok := e.measured(measuredDevice(d.Caps()), p); !ok || t < cpu {
			return false
		}
	}
	return !e.togetherPays(p, candidate{}, driver.ErrNoDevice)
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
		for _, d := range list {
			if d.lost.Load() {
				why = append(why, fmt.Errorf("%s: %w: it failed before", d.ID(), driver.ErrDeviceLost))
				continue
			}
			t, err := d.cost(p)
			switch {
			case err != nil:
				why = append(why, err)
			case best.d == nil || t.total() < best.total():
				best = candidate{d, t}
			}
		}
		if best.d == nil {
			if len(why) == 0 {
				why = append(why, fmt.Errorf("%w: no device that auto may use", driver.ErrNoDevice))
			}
			return candidate{}, errors.Join(why...)
		}
		err := best.d.trust()
		if err == nil {
			return best, nil
		}
		e.log.Warn("device failed its self-test and is not used", "device", best.d.ID(), "error", err)
		best.d.lost.Store(true)
	}
}

// any returns a device for memory that belongs to no particular sort: the
// named one, under auto the fastest; nil is the CPU.
func (e *Engine) any() (*device, error) {
	if err := e.open("allocate"); err != nil {
		return nil, err
	}
	if !e.auto {
		return e.single(), nil
	}
	c, err := e.best(plan.Problem{Items: 1 << 24, Type: typical})
	if err != nil {
		if e.deviceAlgorithm() {
			return nil, err
		}
		return nil, nil
	}
	return c.d, nil
}

// discover lists the devices that "auto" may use, once. Devices that run on
// the host's processor are left out, because our own CPU sort is faster than
// OpenCL there, and so are OpenCL's views of CUDA devices.
func (e *Engine) discover() ([]*device, error) {
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
		e.probe.list = append(e.probe.list, e.know(d))
	}
	e.probe.group = e.together(e.probe.list)
	e.probe.done = true
	return e.probe.list, nil
}

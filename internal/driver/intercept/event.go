package intercept

import (
	"fmt"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
)

type event struct {
	object
	inner driver.Event
}

// fullEvent is an event with an optional interface.
type fullEvent struct{ *event }

func wrapEvent(s *state, inner driver.Event, name string) driver.Event {
	e := &event{object{s, name}, inner}
	if _, has := inner.(driver.Rerecorder); has {
		return fullEvent{e}
	}
	return e
}

func innerEvent(e driver.Event) driver.Event {
	switch e := e.(type) {
	case *event:
		return e.inner
	case fullEvent:
		return e.inner
	}
	return e
}

func (e fullEvent) Rerecord(q driver.Queue) error {
	text := func() string {
		switch q := q.(type) {
		case *queue:
			return q.name
		case fullQueue:
			return q.name
		}
		return "foreign"
	}
	return e.s.hook(&Call{On: e.name, Method: "Event.Rerecord", Queue: innerQueue(q), text: text},
		func() error { return e.inner.(driver.Rerecorder).Rerecord(innerQueue(q)) })
}

func (e *event) Wait() error { return e.end("Event.Wait", e.inner.Wait) }

func (e *event) Done() (done bool, err error) {
	err = e.call("Event.Done", nil, func() (err error) {
		done, err = e.inner.Done()
		return err
	})
	return done, err
}

func (e *event) Since(start driver.Event) (ns int64, err error) {
	err = e.call("Event.Since", nil, func() (err error) {
		ns, err = e.inner.Since(innerEvent(start))
		return err
	})
	return ns, err
}

func (e *event) Close() error { return e.end("Event.Close", e.inner.Close) }

type module struct {
	object
	inner driver.Module

	mu      sync.Mutex
	kernels map[driver.Kernel]driver.Kernel // the same kernel is the same value
}

// fullModule is a module with optional interfaces.
type fullModule struct{ *module }

func wrapModule(s *state, inner driver.Module, name string) driver.Module {
	m := &module{object: object{s, name}, inner: inner, kernels: map[driver.Kernel]driver.Kernel{}}
	if _, has := inner.(driver.GlobalFinder); has {
		return fullModule{m}
	}
	return m
}

func (m *module) Kernel(name string) (k driver.Kernel, err error) {
	err = m.call("Module.Kernel", func() string { return name }, func() error {
		inner, err := m.inner.Kernel(name)
		if err != nil {
			return err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if k = m.kernels[inner]; k == nil {
			k = wrapKernel(m.s, inner)
			m.kernels[inner] = k
		}
		return nil
	})
	return k, err
}

func (m fullModule) Global(name string) (driver.Buffer, error) {
	return make1(&m.object, "Module.Global", "b", func() string { return name },
		func() (driver.Buffer, error) { return m.inner.(driver.GlobalFinder).Global(name) }, m.s.buffer)
}

type kernel struct {
	object
	inner driver.Kernel
}

// fullKernel is a kernel with optional interfaces.
type fullKernel struct{ *kernel }

func wrapKernel(s *state, inner driver.Kernel) driver.Kernel {
	k := &kernel{object{s, inner.Name()}, inner}
	if _, has := inner.(driver.Occupier); has {
		return fullKernel{k}
	}
	return k
}

func innerKernel(k driver.Kernel) driver.Kernel {
	switch k := k.(type) {
	case *kernel:
		return k.inner
	case fullKernel:
		return k.inner
	}
	return k
}

func (k *kernel) Name() string { return k.inner.Name() }

func (k *kernel) Attributes() (a driver.Attributes, err error) {
	err = k.call("Kernel.Attributes", nil, func() (err error) {
		a, err = k.inner.Attributes()
		return err
	})
	return a, err
}

func (k fullKernel) Occupancy(threads int, sharedBytes uint32) (blocks int, err error) {
	text := func() string { return fmt.Sprintf("threads=%d shared=%d", threads, sharedBytes) }
	err = k.call("Kernel.Occupancy", text, func() (err error) {
		blocks, err = k.inner.(driver.Occupier).Occupancy(threads, sharedBytes)
		return err
	})
	return blocks, err
}

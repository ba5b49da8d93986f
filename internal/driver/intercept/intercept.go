// Package intercept puts a hook around every call of a driver: the base of the
// drivers that inject faults and write traces. What a decorated driver makes is
// decorated; decorated objects that come back as arguments are unwrapped. The
// optional interfaces of package driver are there if the inner object has any
// of its kind; Streamer and QueueWrapper always are.
package intercept

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// Call is one call that can fail.
type Call struct {
	On     string // the object's name: "q0"; the driver's is its Name
	Method string // "Queue.Launch"
	Made   string // the name of the object that the call made; set when it has
	// Ends is set for calls after which the caller takes work or objects for
	// gone: Close, Synchronize, Event.Wait. A hook runs them even if it then
	// reports a failure; else a device would use memory that the caller frees.
	Ends bool
	// Queue is the inner queue of a call that gives it work for the device.
	Queue driver.Queue

	text func() string
}

// Args are the call's arguments as text, without addresses, so that two runs
// of the same program give the same text.
func (c *Call) Args() string {
	if c.text == nil {
		return ""
	}
	return c.text()
}

// A Hook stands for a call: it runs the inner one by calling do, or not, and
// returns the error that the caller gets. It is called by many goroutines, and
// again from within do for calls inside Batch and Capture.
type Hook func(c *Call, do func() error) error

// Wrap decorates d.
func Wrap(d driver.Driver, h Hook) driver.Driver {
	return &decorated{inner: d, s: &state{hook: h, count: map[string]int{}, host: map[*hostBuffer]struct{}{}}}
}

// state is what all objects of one decorated driver share.
type state struct {
	hook Hook

	mu    sync.Mutex
	count map[string]int // objects by the first letter of their names
	host  map[*hostBuffer]struct{}
}

// name numbers objects of a kind: b0, b1, ….
func (s *state) name(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.count[kind]
	s.count[kind]++
	return fmt.Sprintf("%s%d", kind, n)
}

// object is the common part of decorated objects.
type object struct {
	s    *state
	name string
}

// call runs a method through the hook.
func (o *object) call(method string, text func() string, do func() error) error {
	return o.s.hook(&Call{On: o.name, Method: method, text: text}, do)
}

// end is call for what Ends.
func (o *object) end(method string, do func() error) error {
	return o.s.hook(&Call{On: o.name, Method: method, Ends: true}, do)
}

// make1 is call for a method that makes an object: do makes it, wrap decorates
// it under a name of the kind.
func make1[T, W any](o *object, method, kind string, text func() string, do func() (T, error), wrap func(T, string) W) (w W, err error) {
	c := &Call{On: o.name, Method: method, text: text}
	err = o.s.hook(c, func() error {
		x, err := do()
		if err == nil {
			c.Made = o.s.name(kind)
			w = wrap(x, c.Made)
		}
		return err
	})
	return w, err
}

type decorated struct {
	inner driver.Driver
	s     *state
}

func (d *decorated) Name() string { return d.inner.Name() }

func (d *decorated) Devices() (devs []driver.Device, err error) {
	o := object{d.s, d.inner.Name()}
	err = o.call("Driver.Devices", nil, func() error {
		list, err := d.inner.Devices()
		for _, x := range list {
			devs = append(devs, wrapDevice(d.s, x))
		}
		return err
	})
	return devs, err
}

// place is a place in host memory as text: in which host buffer it is.
func (s *state) place(p unsafe.Pointer) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.host {
		lo := uintptr(h.inner.Pointer())
		if lo != 0 && uintptr(p) >= lo && uintptr(p) < lo+uintptr(h.inner.Bytes()) {
			return fmt.Sprintf("%s+%d", h.name, uintptr(p)-lo)
		}
	}
	return "host"
}

// Package fault is a driver that fails on purpose: the k-th call over all of
// its objects returns an error. A test runs its work once to count the calls,
// then once for every k, and checks each time that the error arrives, that
// nothing leaks and that the data is the input or the output.
//
// The failing call does nothing, as on real hardware, except for Close,
// Synchronize and Event.Wait: those do their work and then report the failure,
// because the caller takes what they end for gone.
package fault

import (
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/intercept"
)

// Driver decorates another driver.
type Driver struct {
	driver.Driver

	mu     sync.Mutex
	calls  int
	at     int
	err    driver.Error
	sticky bool
	then   func() // called before call number at, which then does not fail
	failed string
}

// New makes a driver whose call number k, counted from 1, returns err; with k 0
// none does, and calls are only counted. Where err has no Op, the failing
// method's name is set. Calls that cannot fail (Caps, Name, Bytes, Handle,
// Pointer) do not count.
func New(inner driver.Driver, k int, err *driver.Error) *Driver {
	d := &Driver{at: k}
	if err != nil {
		d.err = *err
	}
	d.Driver = intercept.Wrap(inner, d.hook)
	return d
}

// Lost is New with a device that stays lost: call k and all calls after it
// fail.
func Lost(inner driver.Driver, k int, err *driver.Error) *Driver {
	d := New(inner, k, err)
	d.sticky = true
	return d
}

// At is New whose call k does not fail by itself: f, which may lose a device, is called
// before it.
func At(inner driver.Driver, k int, f func()) *Driver {
	d := New(inner, k, nil)
	d.then = f
	return d
}

// Calls is the number of calls so far.
func (d *Driver) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Failed describes the first call that failed; "" if none has.
func (d *Driver) Failed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

func (d *Driver) hook(c *intercept.Call, do func() error) error {
	d.mu.Lock()
	d.calls++
	fail := d.at != 0 && (d.calls == d.at || d.sticky && d.calls > d.at)
	err := d.err
	if fail {
		if err.Op == "" {
			err.Op = c.Method
		}
		if d.failed == "" { // of At, the call before which f was called
			d.failed = c.On + " " + c.Method + " " + c.Args()
		}
	}
	d.mu.Unlock()
	if fail && d.then != nil {
		d.then()
	}
	if !fail || d.then != nil {
		return do()
	}
	if c.Ends {
		if real := do(); real != nil {
			return real
		}
	}
	return &err
}

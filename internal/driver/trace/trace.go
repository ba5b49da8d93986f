// Package trace is a driver that writes down every call, as text that is the
// same in every run of the same program, for golden tests and for people. On
// request it also measures, with the device's own clock, how long each command
// ran.
package trace

import (
	"fmt"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/intercept"
)

// Entry is one call.
type Entry struct {
	On     string // the object's name, numbered by kind: "q0", "b3"
	Method string // "Queue.Launch"
	Args   string
	Made   string // the name of the object that it made
	Err    error
	// Nanos is the device's time for a command of a timed trace, known once its
	// queue has been synchronised; −1 before, and for everything else.
	Nanos int64
	// Start is when such a command began, in nanoseconds of the device's clock since
	// the first one after New or Reset; valid where Nanos is not negative.
	Start int64
}

// String is the entry in one line: q0.Memset b1+0 pattern=0x0 bytes=64.
func (e Entry) String() string {
	_, method, _ := strings.Cut(e.Method, ".")
	s := e.On + "." + method
	if e.Args != "" {
		s += " " + e.Args
	}
	if e.Made != "" {
		s += " = " + e.Made
	}
	if e.Err != nil {
		s += " ! " + e.Err.Error()
	}
	if e.Nanos >= 0 {
		s += fmt.Sprintf(" # %.1f µs", float64(e.Nanos)/1000)
	}
	return s
}

// Driver decorates another driver.
type Driver struct {
	driver.Driver
	timed bool

	mu        sync.Mutex
	entries   []Entry
	spans     map[driver.Queue][]span
	capturing map[driver.Queue]bool
	zero      driver.Event // before the first timed command
	zeroOf    driver.Queue
}

// span is a command whose time is not known yet.
type span struct {
	entry      int
	start, end driver.Event
}

// New makes a driver that writes down inner's calls.
func New(inner driver.Driver) *Driver {
	d := &Driver{spans: map[driver.Queue][]span{}, capturing: map[driver.Queue]bool{}}
	d.Driver = intercept.Wrap(inner, d.hook)
	return d
}

// Timed makes a driver that also measures every command of a queue between two
// events. The events keep neighbouring commands apart, so that short ones take
// longer together than alone.
func Timed(inner driver.Driver) *Driver {
	d := New(inner)
	d.timed = true
	return d
}

// Entries returns the calls so far, in the order in which they returned.
func (d *Driver) Entries() []Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Entry(nil), d.entries...)
}

// String is Entries with one line each.
func (d *Driver) String() string {
	var s strings.Builder
	for _, e := range d.Entries() {
		s.WriteString(e.String())
		s.WriteByte('\n')
	}
	return s.String()
}

// Reset forgets the calls so far. The numbers of objects go on.
func (d *Driver) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = nil
	for q, list := range d.spans {
		closeAll(list)
		delete(d.spans, q)
	}
	d.closeZero()
}

// closeZero ends the time line. The driver is locked.
func (d *Driver) closeZero() {
	if d.zero != nil {
		d.zero.Close()
		d.zero, d.zeroOf = nil, nil
	}
}

func (d *Driver) hook(c *intercept.Call, do func() error) error {
	var start driver.Event
	timed := d.timed && c.Queue != nil && !c.Ends && c.Method != "Queue.Capture" && !d.isCapturing(c.Queue)
	if timed {
		// A command that cannot be measured runs all the same.
		d.begin(c.Queue)
		start, _ = c.Queue.Record()
	}
	switch c.Method {
	case "Queue.Capture":
		d.capture(c.Queue, true)
		defer d.capture(c.Queue, false)
	case "Queue.Close":
		d.measure(c.Queue)
		d.mu.Lock()
		if d.zeroOf == c.Queue {
			d.closeZero()
		}
		d.mu.Unlock()
	}
	err := do()
	var end driver.Event
	if start != nil && err == nil {
		end, _ = c.Queue.Record()
	}
	if c.Method == "Queue.Synchronize" && err == nil {
		d.measure(c.Queue)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, Entry{On: c.On, Method: c.Method, Args: c.Args(), Made: c.Made, Err: err, Nanos: -1})
	switch {
	case end != nil:
		d.spans[c.Queue] = append(d.spans[c.Queue], span{len(d.entries) - 1, start, end})
	case start != nil:
		start.Close()
	}
	return err
}

// begin marks the beginning of the time line.
func (d *Driver) begin(q driver.Queue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.zero == nil {
		if e, err := q.Record(); err == nil {
			d.zero, d.zeroOf = e, q
		}
	}
}

func (d *Driver) isCapturing(q driver.Queue) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.capturing[q]
}

func (d *Driver) capture(q driver.Queue, on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if on {
		d.capturing[q] = true
	} else {
		delete(d.capturing, q)
	}
}

// measure fills in the times of q's commands whose events have completed, and
// closes the events.
func (d *Driver) measure(q driver.Queue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.spans[q] {
		if ns, err := s.end.Since(s.start); err == nil {
			e := &d.entries[s.entry]
			e.Nanos = ns
			if d.zero != nil {
				e.Start, _ = s.start.Since(d.zero)
			}
		}
	}
	closeAll(d.spans[q])
	delete(d.spans, q)
}

func closeAll(list []span) {
	for _, s := range list {
		s.start.Close()
		s.end.Close()
	}
}

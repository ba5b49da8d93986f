// Package crossover holds measured sort times of one machine, from which
// "auto" chooses between the processor and a device. gpusort tune measures
// them once; they lie in the user's cache directory.
package crossover

import (
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Point is the time of one sort from and to host memory, transfers included.
type Point struct {
	Items   uint64  `json:"items"`
	Seconds float64 `json:"seconds"` // median
}

// Kind is what a curve is about: sorts of these differ in items only.
type Kind struct {
	Bits       int       `json:"bits"` // width of a key
	Mode       plan.Mode `json:"mode"` // 0 keys, 1 pairs, 2 argsort
	ValueBytes int       `json:"value_bytes,omitempty"`
	Texts      bool      `json:"texts,omitempty"` // strings, by words of Bits
}

// TextBytes is the length of the random strings that were measured.
const TextBytes = 24

// Texts are orders of strings.
var Texts = Kind{Bits: 64, Mode: plan.Argsort, ValueBytes: 4, Texts: true}

// KindOf returns the kind of p, a sort or an order of strings. Signed, unsigned and float
// keys of one width cost the same.
func KindOf(p plan.Problem) Kind {
	return Kind{p.Type.Bits(), p.Mode, p.ValueBytes, p.Kind == op.Strings}
}

// Curve holds the times of one kind, ascending in Items.
type Curve struct {
	Kind
	Points []Point `json:"points"`
}

// At predicts the seconds of a sort of n items: between two points by the power
// law through them, above the last in proportion, below the first its time. ok
// is false if the curve is empty.
func (c Curve) At(n uint64) (seconds float64, ok bool) {
	if len(c.Points) == 0 {
		return 0, false
	}
	i, found := slices.BinarySearchFunc(c.Points, n, func(p Point, n uint64) int {
		switch {
		case p.Items < n:
			return -1
		case p.Items > n:
			return 1
		}
		return 0
	})
	last := c.Points[len(c.Points)-1]
	switch {
	case found:
		return c.Points[i].Seconds, true
	case i == 0:
		return c.Points[0].Seconds, true
	case i == len(c.Points):
		return last.Seconds * float64(n) / float64(last.Items), true
	}
	a, b := c.Points[i-1], c.Points[i]
	share := math.Log(float64(n)/float64(a.Items)) / math.Log(float64(b.Items)/float64(a.Items))
	return a.Seconds * math.Pow(b.Seconds/a.Seconds, share), true
}

// Device is who sorted. Two are the same if all three strings are.
type Device struct {
	ID     string `json:"id"`   // "cpu", "cuda:0"
	Name   string `json:"name"` // the processor's or the card's
	Driver string `json:"driver,omitempty"`
}

// Measured are the curves of one device.
type Measured struct {
	Device
	Curves []Curve `json:"curves"`
}

// Table is what one run of gpusort tune measured on one machine.
type Table struct {
	Version int        `json:"version"`
	Code    string     `json:"code"` // hash of the device code that was measured
	Date    string     `json:"date"` // UTC, RFC 3339
	Devices []Measured `json:"devices"`
}

// Seconds predicts a sort of p on d. ok is false if that was not measured. The
// table may be nil.
func (t *Table) Seconds(d Device, p plan.Problem) (seconds float64, ok bool) {
	if t == nil {
		return 0, false
	}
	for i := range t.Devices {
		if t.Devices[i].Device != d {
			continue
		}
		for _, c := range t.Devices[i].Curves {
			if c.Kind == KindOf(p) {
				return c.At(p.Items)
			}
		}
	}
	return 0, false
}

// Soonest is the least predicted time of p on any device but the processor.
func (t *Table) Soonest(p plan.Problem) (seconds float64, ok bool) {
	if t == nil {
		return 0, false
	}
	for _, m := range t.Devices {
		if m.ID == CPU {
			continue
		}
		if s, found := t.Seconds(m.Device, p); found && (!ok || s < seconds) {
			seconds, ok = s, true
		}
	}
	return seconds, ok
}

// CPU is the processor's ID.
const CPU = "cpu"

// Crossing returns the least number of items from which on a device other than
// the processor was never slower in the sorts of kind k that were measured. ok
// is false if there is none.
func (t *Table) Crossing(k Kind) (items uint64, ok bool) {
	var cpu Curve
	var rest []Curve
	for _, m := range t.Devices {
		for _, c := range m.Curves {
			switch {
			case c.Kind != k:
			case m.ID == CPU:
				cpu = c
			default:
				rest = append(rest, c)
			}
		}
	}
	for _, p := range slices.Backward(cpu.Points) {
		faster := false
		for _, c := range rest {
			if s, found := c.At(p.Items); found && s < p.Seconds {
				faster = true
			}
		}
		if !faster {
			break
		}
		items, ok = p.Items, true
	}
	return items, ok
}

// Floor is the number of items below which the processor was the faster one in
// every kind of sort of keys that was measured; ok is false if a device never won.
func (t *Table) Floor() (items uint64, ok bool) {
	if t == nil {
		return 0, false
	}
	for _, m := range t.Devices {
		if m.ID != CPU {
			continue
		}
		for _, c := range m.Curves {
			if c.Texts {
				continue
			}
			for i, p := range c.Points {
				problem := plan.Problem{Items: p.Items, Mode: c.Mode, ValueBytes: c.ValueBytes, Type: key.UnsignedOf(c.Bits / 8)}
				s, found := t.Soonest(problem)
				if !found || s >= p.Seconds {
					continue
				}
				// The crossing lies between this point and the one before.
				from := p.Items
				if i > 0 {
					from = c.Points[i-1].Items
				}
				if !ok || from < items {
					items, ok = from, true
				}
				break
			}
		}
	}
	return items, ok
}

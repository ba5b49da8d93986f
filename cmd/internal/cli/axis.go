package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gpusort/gpusort/cmd/internal/format"
)

// axisValue is the axis of an array along which is sorted.
type axisValue struct {
	set bool
	n   int
}

func (v *axisValue) String() string {
	if !v.set {
		return ""
	}
	return strconv.Itoa(v.n)
}
func (v *axisValue) Type() string { return "N" }
func (v *axisValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil {
		return fmt.Errorf("%q is no axis: 0 is the first, -1 the last", s)
	}
	v.n, v.set = n, true
	return nil
}

// lanes returns the sequences of the source's array that are sorted each on its own; nil
// if it is one sequence.
func (v *axisValue) lanes(src *format.Source) (*format.Lanes, error) {
	a := src.Item.Array
	switch {
	case !v.set && a == nil:
		return nil, nil
	case a == nil && src.Kind == format.NPY && (v.n == 0 || v.n == -1):
		return nil, nil
	case a == nil:
		return nil, fmt.Errorf("%s has one dimension, and so no axis %d: leave --axis out", src.Name, v.n)
	}
	l, err := a.Lanes(v.n)
	if err != nil {
		return nil, fmt.Errorf("%s: --axis: %w", src.Name, err)
	}
	return &l, nil
}

// panelBytes is the width of the strip of an array that is copied at a time where a lane's
// items lie apart: a cache line, so that each is read and written once.
const panelBytes = 64

// eachLane calls f for every lane of columns with the same form, in the order of their first
// items in memory. f may change the items; it gets the lane in memory of its own or of the
// column's. A nil column stays nil. A nil l is one lane.
func eachLane(ctx context.Context, l *format.Lanes, cols []*format.Column, f func(lane int, parts []*format.Column) error) error {
	if l == nil {
		return f(0, cols)
	}
	width := 1
	for _, c := range cols {
		if c == nil {
			continue
		}
		if c.Len() == 0 {
			return nil
		}
		width = max(width, c.Bytes)
	}
	panel := min(max(panelBytes/width, 1), l.Inner)
	for o := range l.Outer {
		for first := 0; first < l.Inner; first += panel {
			if err := ctx.Err(); err != nil {
				return err
			}
			k := min(panel, l.Inner-first)
			strips := make([]*format.Column, len(cols))
			for i, c := range cols {
				if c != nil {
					strips[i] = gather(c, l, o, first, k)
				}
			}
			for j := range k {
				parts := make([]*format.Column, len(cols))
				for i, s := range strips {
					if s != nil {
						n := l.Items * s.Bytes
						parts[i] = &format.Column{Item: s.Item, Data: s.Data[j*n : (j+1)*n : (j+1)*n]}
					}
				}
				if err := f(o*l.Inner+first+j, parts); err != nil {
					return err
				}
				for i, s := range strips {
					if s != nil {
						copy(s.Data[j*l.Items*s.Bytes:], parts[i].Data) // f may have made new ones
					}
				}
			}
			for i, c := range cols {
				if c != nil {
					scatter(c, strips[i], l, o, first, k)
				}
			}
		}
	}
	return nil
}

// gather returns k lanes, one behind the other: the column's own memory where they lie so.
func gather(c *format.Column, l *format.Lanes, outer, first, k int) *format.Column {
	w := c.Bytes
	if l.Inner == 1 {
		at := outer * l.Items * w
		return &format.Column{Item: c.Item, Data: c.Data[at : at+l.Items*w]}
	}
	s := format.NewColumn(c.Item, k*l.Items)
	move(c, s, l, outer, first, k, false)
	return s
}

// scatter is the inverse of gather.
func scatter(c, s *format.Column, l *format.Lanes, outer, first, k int) {
	if l.Inner != 1 {
		move(c, s, l, outer, first, k, true)
	}
}

// move copies k lanes of c to the strip s, or back.
func move(c, s *format.Column, l *format.Lanes, outer, first, k int, back bool) {
	at := outer*l.Items*l.Inner + first
	switch c.Bytes {
	case 1:
		moveItems(format.View[uint8](c)[at:], format.View[uint8](s), l, k, back)
	case 2:
		moveItems(format.View[uint16](c)[at:], format.View[uint16](s), l, k, back)
	case 4:
		moveItems(format.View[uint32](c)[at:], format.View[uint32](s), l, k, back)
	case 8:
		moveItems(format.View[uint64](c)[at:], format.View[uint64](s), l, k, back)
	default:
		for i := range l.Items {
			for j := range k {
				x, y := c.Data[(at+i*l.Inner+j)*c.Bytes:][:c.Bytes], s.Data[(j*l.Items+i)*c.Bytes:][:c.Bytes]
				if back {
					x, y = y, x
				}
				copy(y, x)
			}
		}
	}
}

func moveItems[U any](c, s []U, l *format.Lanes, k int, back bool) {
	for i := range l.Items {
		row := c[i*l.Inner:][:k]
		for j := range row {
			if back {
				row[j] = s[j*l.Items+i]
			} else {
				s[j*l.Items+i] = row[j]
			}
		}
	}
}

// runLanes is run for every lane on its own.
func (w *work) runLanes(ctx context.Context, l *format.Lanes) error {
	if l == nil {
		return w.run(ctx)
	}
	return eachLane(ctx, l, []*format.Column{w.keys, w.values, w.index}, func(_ int, p []*format.Column) error {
		lane := work{s: w.s, keys: p[0], values: p[1], index: p[2]}
		err := lane.run(ctx)
		p[1] = lane.values
		return err
	})
}

var errForms = errors.New("keys and values are arrays of different forms: save the values with the shape and order of the keys")

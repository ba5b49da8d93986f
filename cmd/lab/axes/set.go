package axes

import (
	"fmt"
	"slices"
	"strings"
)

// Set is the axes of one benchmark, in order; the first varies slowest.
type Set []Axis

// Cell is one combination of values. Names compare without case.
type Cell struct {
	set   Set
	index []int
}

// ParseSet reads axes in order. An axis that is given again replaces the
// earlier one at its place.
func ParseSet(texts []string) (Set, error) {
	var s Set
	for _, t := range texts {
		a, err := Parse(t)
		if err != nil {
			return nil, err
		}
		s = s.With(a)
	}
	_, err := s.Count()
	return s, err
}

// With returns the set with a added, or in the place of the axis of its name.
func (s Set) With(a Axis) Set {
	s = slices.Clone(s)
	for i := range s {
		if strings.EqualFold(s[i].Name, a.Name) {
			s[i] = a
			return s
		}
	}
	return append(s, a)
}

// Default returns the set with the axis text added unless one of its name is
// there already. It panics if text is no axis: it is for constants.
func (s Set) Default(text string) Set {
	a, err := Parse(text)
	if err != nil {
		panic(err)
	}
	if s.Find(a.Name) != nil {
		return s
	}
	return append(slices.Clone(s), a)
}

// Find returns the axis of that name, or nil.
func (s Set) Find(name string) *Axis {
	for i := range s {
		if strings.EqualFold(s[i].Name, name) {
			return &s[i]
		}
	}
	return nil
}

// Count returns the number of cells. It is an error to have more than MaxCells.
func (s Set) Count() (int, error) {
	n := 1
	for _, a := range s {
		if n *= len(a.Values); n > MaxCells {
			return 0, fmt.Errorf("the axes give more than %d cells: shorten %s", MaxCells, a)
		}
	}
	return n, nil
}

// Cells returns every combination; the last axis varies fastest.
func (s Set) Cells() ([]Cell, error) {
	n, err := s.Count()
	if err != nil {
		return nil, err
	}
	cells := make([]Cell, n)
	for i := range cells {
		idx := make([]int, len(s))
		for rest, k := i, len(s)-1; k >= 0; k-- {
			idx[k] = rest % len(s[k].Values)
			rest /= len(s[k].Values)
		}
		cells[i] = Cell{s, idx}
	}
	return cells, nil
}

// Get returns the cell's value on the named axis; ok says whether there is one.
func (c Cell) Get(name string) (value string, ok bool) {
	for i, a := range c.set {
		if strings.EqualFold(a.Name, name) {
			return a.Values[c.index[i]], true
		}
	}
	return "", false
}

// Items reads the named axis as a count: an exponent on a [pow2] axis, else a
// number as ParseCount takes it.
func (c Cell) Items(name string) (uint64, error) {
	v, ok := c.Get(name)
	if !ok {
		return 0, fmt.Errorf("there is no axis %s", name)
	}
	if c.set.Find(name).Pow2 {
		v = "2^" + v
	}
	n, err := ParseCount(v)
	if err != nil {
		return 0, fmt.Errorf("axis %s: %w", name, err)
	}
	return n, nil
}

package format

import (
	"fmt"
	"slices"
	"strings"
)

// Array is the form of an array of two dimensions and more.
type Array struct {
	Shape   []uint64
	Fortran bool // the first index changes fastest in memory, not the last
}

// Same says whether two arrays, or none, have the same items at the same places.
func (a *Array) Same(b *Array) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Fortran == b.Fortran && slices.Equal(a.Shape, b.Shape)
}

// String writes the shape: 3×4.
func (a *Array) String() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Shape), "[]"), " ", "×")
}

// Lanes are the sequences of an array along one axis: Outer × Inner of them, of Items
// items each, which lie Inner items apart.
type Lanes struct{ Outer, Items, Inner int }

// Lanes returns the sequences along an axis; a negative one counts from the end. An axis
// that the array does not have is an error.
func (a *Array) Lanes(axis int) (Lanes, error) {
	d := len(a.Shape)
	if axis < -d || axis >= d {
		return Lanes{}, fmt.Errorf("axis %d of an array of %d dimensions: give one from %d to %d", axis, d, -d, d-1)
	}
	if axis < 0 {
		axis += d
	}
	shape := slices.Clone(a.Shape)
	if a.Fortran {
		slices.Reverse(shape)
		axis = d - 1 - axis
	}
	product := func(part []uint64) int {
		n := 1
		for _, x := range part {
			n *= int(x)
		}
		return n
	}
	return Lanes{product(shape[:axis]), int(shape[axis]), product(shape[axis+1:])}, nil
}

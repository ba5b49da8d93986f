package values

import (
	"sync/atomic"
)

const (
	// arcStride is how many places there are from one to the next at which arcs begin.
	arcStride = 1 << 10
	// arcsAside is how many arcs a worker follows in turn, so that it waits for several
	// places of memory at a time.
	arcsAside = 16
	// arcSteps is how many steps a worker takes between two looks at the context.
	arcSteps = 1 << 12
)

// Arrange makes x[idx[i]] the new x[i] for every i, and of y alike, which is as long; a
// nil y, whose elements should be struct{}, has nothing to move. idx is a permutation, and another one afterwards. It works in
// place: beside x it takes its 1,024th part. If the context ends, x and y hold what they
// held, each still beside the other's, in some order.
//
// The cycles of the permutation are cut into arcs, at the places that arcStride divides.
// What is at these places is saved first; then every arc can be followed by itself, from
// its first place, whose element is saved, to the first of another arc.
func Arrange[X, Y any, I uint32 | uint64](h Host, x []X, y []Y, idx []I) error {
	if y == nil {
		y = make([]Y, len(x))
	}
	a := arcs[X, Y, I]{host: h, x: x, y: y[:len(x)], idx: idx[:len(x)]}
	if err := h.err(); err != nil {
		return err
	}
	n := len(x) / arcStride
	a.savedX, a.savedY = make([]X, n), make([]Y, n)
	a.begun, a.placed = make([]bool, n), make([]bool, n)
	for i := range n {
		a.savedX[i], a.savedY[i] = x[i*arcStride], y[i*arcStride]
	}
	workers := h.workers((n + arcsAside - 1) / arcsAside)
	holes := make([][]int, workers)
	together(workers, func(w int) { holes[w] = a.follow() })
	if a.late.Load() {
		a.close(holes)
		return h.err()
	}
	return a.rest()
}

// arcs is one Arrange.
type arcs[X, Y any, I uint32 | uint64] struct {
	host   Host
	x      []X
	y      []Y
	idx    []I // what has been filled is at its own place
	savedX []X
	savedY []Y
	begun  []bool // arcs whose first place has been left or filled
	placed []bool // arcs whose saved element is in its new place
	next   atomic.Int64
	late   atomic.Bool // the context has ended
}

// follow follows arcs, some in turn, until none is left. It returns the places that are to
// be filled, of arcs that it has left.
func (a *arcs[X, Y, I]) follow() []int {
	var holes [arcsAside]int
	open := 0
	for {
		for open < arcsAside {
			i := int(a.next.Add(1)) - 1
			if i >= len(a.begun) {
				break
			}
			a.begun[i] = true
			holes[open] = i * arcStride
			open++
		}
		if open == 0 {
			return nil
		}
		if a.host.err() != nil {
			a.late.Store(true)
			return append([]int(nil), holes[:open]...)
		}
		open = a.turns(&holes, open)
	}
}

// turns takes some steps on each of the first open arcs, and returns how many have not
// ended: those are the first then.
func (a *arcs[X, Y, I]) turns(holes *[arcsAside]int, open int) int {
	x, y, idx := a.x, a.y, a.idx
	for steps := arcSteps; steps > 0 && open > 0; steps -= open {
		for k := 0; k < open; k++ {
			hole := holes[k]
			from := int(idx[hole])
			idx[hole] = I(hole)
			if from%arcStride == 0 && from/arcStride < len(a.placed) {
				i := from / arcStride
				x[hole], y[hole], a.placed[i] = a.savedX[i], a.savedY[i], true
				open--
				holes[k] = holes[open]
				if open < arcsAside/2 {
					return open
				}
				k--
				continue
			}
			x[hole], y[hole] = x[from], y[from]
			holes[k] = from
		}
	}
	return open
}

// close puts the elements that are saved and nowhere else where arcs were left, and at
// first places whose element has gone elsewhere.
func (a *arcs[X, Y, I]) close(holes [][]int) {
	var free []int
	for _, h := range holes {
		free = append(free, h...)
	}
	for i := range a.begun {
		if a.placed[i] && !a.begun[i] {
			free = append(free, i*arcStride)
		}
	}
	for i := range a.begun {
		if a.begun[i] && !a.placed[i] {
			a.x[free[0]], a.y[free[0]] = a.savedX[i], a.savedY[i]
			free = free[1:]
		}
	}
}

// rest follows the cycles that go through no first place.
func (a *arcs[X, Y, I]) rest() error {
	x, y, idx := a.x, a.y, a.idx
	steps := 0
	for at := range idx {
		if steps++; steps >= arcSteps {
			if steps = 0; a.host.err() != nil {
				return a.host.err()
			}
		}
		if int(idx[at]) == at {
			continue
		}
		firstX, firstY, hole := x[at], y[at], at
		for from := int(idx[hole]); from != at; from = int(idx[hole]) {
			x[hole], y[hole], idx[hole] = x[from], y[from], I(hole)
			hole = from
			if steps++; steps >= arcSteps {
				if steps = 0; a.host.err() != nil {
					x[hole], y[hole] = firstX, firstY
					return a.host.err()
				}
			}
		}
		x[hole], y[hole], idx[hole] = firstX, firstY, I(hole)
	}
	return nil
}

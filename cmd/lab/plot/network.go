package plot

import (
	"fmt"
	"strings"
)

// Comparator compares two wires, A above B, and lets the greater key go to B,
// or to A with Up: its arrow points to where the greater key goes.
type Comparator struct {
	A, B    int
	Up      bool
	Swapped bool // the keys changed places
}

// NetworkStep is what a sorting network does at once.
type NetworkStep struct {
	Comparators []Comparator
	Keys        []float64 // on the wires behind the step, as shares from 0 to 1
	Frame       int       // of the animation that shows the step's end
	Stage       string    // written above the first step of a stage; its last word where room is short
}

// Network is a sorting network with the keys of one run on its wires.
type Network struct {
	Title  string
	Keys   []float64 // on the wires before the first step
	Steps  []NetworkStep
	In     []string       // texts at the left ends of the wires
	Out    []string       // and at the right ends
	Frames map[int]string // below the steps of one frame stands its number, with this as its tip
	W      float64
}

// Draw lays the network out from left to right. A step takes as many columns as
// its arrows need to stand apart.
func (n Network) Draw() *Figure {
	wires := len(n.Keys)
	row := max(8.0, min(22, 480/float64(max(wires, 1))))
	f := &Figure{W: n.W, Title: n.Title, Desc: n.describe()}
	top := 58 + f.heading(n.Title)
	f.H = top + row*float64(wires) + 34
	left, right := 12.0, 12.0
	for _, s := range n.In {
		left = max(left, TextWidth(s, tickSize)+18)
	}
	for _, s := range n.Out {
		right = max(right, TextWidth(s, tickSize)+18)
	}
	columns := make([][]int, len(n.Steps)) // of each comparator of each step
	units := 0.0                           // a gap between steps is one and a half columns
	for i, s := range n.Steps {
		var used int
		columns[i], used = apart(s.Comparators, wires)
		units += float64(used) + 1.5
	}
	unit := (n.W - left - right) / max(units+1, 1)
	y := func(wire int) float64 { return top + row*(float64(wire)+.5) }
	if row >= 11 {
		for i, s := range n.In {
			f.text(left-8, y(i)+4, s, min(tickSize, row), Muted, End)
		}
		for i, s := range n.Out {
			f.text(n.W-right+8, y(i)+4, s, min(tickSize, row), FG, Start)
		}
	}
	x, keys, frame := left, n.Keys, -1
	for i, s := range n.Steps {
		used := 0
		for _, c := range columns[i] {
			used = max(used, c+1)
		}
		begin := x
		middle := x + unit*(0.75+float64(used)/2)
		x += unit * (float64(used) + 1.5)
		end := x
		if i == len(n.Steps)-1 {
			end = n.W - right
		}
		// A key changes its wire at its arrow.
		for w := range wires {
			at := middle
			for k, c := range s.Comparators {
				if c.A == w || c.B == w {
					at = begin + unit*(1.25+float64(columns[i][k]))
				}
			}
			n.wire(f, begin, at, y(w), keys[w], s.Frame)
			n.wire(f, at, end, y(w), s.Keys[w], s.Frame)
		}
		for k, c := range s.Comparators {
			arrow(f, begin+unit*(1.25+float64(columns[i][k])), y(c.A), y(c.B), c, s.Frame, min(4.5, row/2, unit*0.6))
		}
		if s.Stage != "" {
			f.line(begin+unit*.2, top-12, begin+unit*.2, y(wires-1)+row/2, Grid, 1)
			label := s.Stage
			if TextWidth(label, tickSize)+6 > stageWidth(n.Steps[i:], columns[i:], unit) {
				label = label[strings.LastIndexByte(label, ' ')+1:]
			}
			f.text(begin+unit*.2+4, top-12, label, tickSize, Muted, Start)
		}
		if s.Frame != frame {
			frame = s.Frame
			m := f.line(begin+unit*.5, f.H-26, begin+unit*.5, f.H-18, Muted, 1)
			m.Frame = frame
			t := f.text(begin+unit*.5+3, f.H-14, fmt.Sprint(frame), 10, Muted, Start)
			t.Tip, t.Frame = n.Frames[frame], frame
		}
		keys = s.Keys
	}
	f.text(8, f.H-14, "step", 10, Muted, Start)
	return f
}

// stageWidth is the room of the stage that the first step begins.
func stageWidth(steps []NetworkStep, columns [][]int, unit float64) (w float64) {
	for i, s := range steps {
		if i > 0 && s.Stage != "" {
			break
		}
		used := 0
		for _, c := range columns[i] {
			used = max(used, c+1)
		}
		w += unit * (float64(used) + 1.5)
	}
	return w
}

func (n Network) wire(f *Figure, x1, x2, y, key float64, frame int) {
	ink, _ := heatInk(0.15 + 0.75*key)
	f.line(x1, y, x2, y, ink, 2.2).Frame = frame
}

// arrow is a comparator, bold if it swapped.
func arrow(f *Figure, x, a, b float64, c Comparator, frame int, head float64) {
	from, to, down := a, b, 1.0
	if c.Up {
		from, to, down = b, a, -1
	}
	ink, width := Muted, 1.0
	tip := fmt.Sprintf("wires %d and %d: left as they were", c.A, c.B)
	if c.Swapped {
		ink, width, tip = FG, 2, fmt.Sprintf("wires %d and %d: changed places", c.A, c.B)
	}
	f.add(Mark{Points: []Point{{x, from}}, Radius: head * .45, Fill: ink, Frame: frame, Tip: tip})
	f.line(x, from, x, to-down*head, ink, width).Frame = frame
	f.add(Mark{Points: []Point{{x - head*.75, to - down*head*1.5}, {x + head*.75, to - down*head*1.5}, {x, to}}, Closed: true, Fill: ink, Frame: frame, Tip: tip})
}

// apart gives every comparator a column in which no other crosses its wires,
// and returns how many there are.
func apart(cs []Comparator, wires int) (column []int, used int) {
	var free [][]bool // by column and wire
	column = make([]int, len(cs))
	for i, c := range cs {
		k := 0
	next:
		for ; k < len(free); k++ {
			for w := c.A; w <= c.B; w++ {
				if free[k][w] {
					continue next
				}
			}
			break
		}
		if k == len(free) {
			free = append(free, make([]bool, wires))
		}
		for w := c.A; w <= c.B; w++ {
			free[k][w] = true
		}
		column[i] = k
	}
	return column, len(free)
}

// Package plot draws figures as lists of marks and writes them as SVG, whose
// colours are a style sheet's, as PNG or as PDF. It knows nothing of sorting.
package plot

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Ink is a colour by role, so that one drawing serves light, dark and paper:
// a role of Theme such as "fg", "muted", "grid", "bg", "s0" … "s7", or
// "#rrggbb". Empty is no ink.
type Ink string

// The roles that are no series.
const (
	FG    Ink = "fg"    // text and axes
	Muted Ink = "muted" // labels of ticks, notes
	Grid  Ink = "grid"
	BG    Ink = "bg"
	Warn  Ink = "warn"
)

// Point is a place in pixels, y downwards.
type Point struct{ X, Y float64 }

// Anchor says which end of a text is at its point.
type Anchor uint8

// The anchors.
const (
	Start Anchor = iota
	Middle
	End
)

// Mark is one shape, circle or text.
type Mark struct {
	Points []Point // of a polyline or polygon; a circle's or text's place
	Closed bool
	Radius float64 // above 0: a circle

	Fill, Stroke Ink
	Width        float64   // of the stroke, pixels
	Dash         []float64 // lengths of dashes and gaps
	Opacity      float64   // of the fill; 0 counts as 1

	Text   string // "2^10" shows a raised exponent
	Size   float64
	Anchor Anchor
	Bold   bool
	Turned bool // reads upwards

	// Tip is shown when the pointer rests on the mark.
	Tip string
	// Series names what the mark belongs to, for a page's filter.
	Series string
	// Frame is the frame of an animation from which on the mark holds; 0: always.
	Frame int
}

// Figure is a drawing of W by H pixels.
type Figure struct {
	W, H  float64
	Title string // read aloud in the place of the picture
	Desc  string // what the picture shows, in words
	Marks []Mark
}

func (f *Figure) add(m Mark) { f.Marks = append(f.Marks, m) }

func (f *Figure) line(x1, y1, x2, y2 float64, ink Ink, width float64) *Mark {
	f.add(Mark{Points: []Point{{x1, y1}, {x2, y2}}, Stroke: ink, Width: width})
	return &f.Marks[len(f.Marks)-1]
}

func (f *Figure) rect(x, y, w, h float64, fill Ink) *Mark {
	f.add(Mark{Points: []Point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, Closed: true, Fill: fill})
	return &f.Marks[len(f.Marks)-1]
}

func (f *Figure) text(x, y float64, s string, size float64, ink Ink, a Anchor) *Mark {
	f.add(Mark{Points: []Point{{x, y}}, Text: s, Size: size, Fill: ink, Anchor: a})
	return &f.Marks[len(f.Marks)-1]
}

// TextWidth estimates the width of a text in a sans-serif face, a little too
// wide rather than too narrow.
func TextWidth(s string, size float64) float64 {
	n := float64(utf8.RuneCountInString(strings.ReplaceAll(s, "^", "")))
	return n * size * 0.58
}

// shorten cuts a text to about w pixels.
func shorten(s string, size, w float64) string {
	r := []rune(s)
	for len(r) > 1 && TextWidth(string(r), size) > w {
		r = append(r[:len(r)-2], '…')
	}
	return string(r)
}

// An exponent's size, and how far it stands above the line, as shares of the text's size.
const (
	raisedSize = 0.75
	raisedBy   = 0.35
)

// raised splits a text at its exponents: "2^10 keys" is "2", "10", " keys".
// Odd parts stand raised.
func raised(s string) []string {
	var out []string
	for {
		i := strings.IndexByte(s, '^')
		if i < 0 || i+1 >= len(s) || !strings.ContainsRune("0123456789-", rune(s[i+1])) {
			return append(out, s)
		}
		end := i + 2
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		out = append(out, s[:i], s[i+1:end])
		s = s[end:]
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

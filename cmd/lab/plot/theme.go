package plot

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// role is one colour on light and on dark ground.
type role struct{ name, light, dark string }

// roles hold series colours after Okabe and Ito, which stay apart for all
// common kinds of colour blindness; the light ones are darkened, the dark ones
// lightened, until lines reach a contrast of 3:1 (WCAG 1.4.11). Their yellow
// cannot reach it on white and is left out. A series also has a marker and a
// dash of its own, so that nothing rests on colour alone.
var roles = []role{
	{"fg", "#1b1f24", "#e8eaed"},
	{"muted", "#59636e", "#a3acb6"},
	{"grid", "#e1e4e8", "#32383f"},
	{"bg", "#ffffff", "#16191d"},
	{"warn", "#b3261e", "#ff8a80"},
	{"s0", "#0072b2", "#56b4e9"},
	{"s1", "#c14a00", "#ff9e57"},
	{"s2", "#007a5a", "#2fc79a"},
	{"s3", "#a8508a", "#e39ac9"},
	{"s4", "#8a6d00", "#e6c229"},
	{"s5", "#2b83ba", "#8ed1f5"},
	{"s6", "#5b4ba8", "#b3a6f2"},
	{"s7", "#4d4d4d", "#c8c8c8"},
}

// seriesInks is the number of series colours.
const seriesInks = 8

// SeriesInk is the colour of the i-th series.
func SeriesInk(i int) Ink { return Ink(fmt.Sprintf("s%d", i%seriesInks)) }

// seriesDash is the dash of the i-th series: solid for the first eight.
func seriesDash(i int) []float64 {
	return [][]float64{nil, {6, 3}, {2, 3}, {8, 3, 2, 3}}[i/seriesInks%4]
}

// Theme is the style sheet of SVG figures: a class f-ROLE fills, k-ROLE
// strokes, b-ROLE is a ground; all follow the reader's scheme, and paper is light. The selector
// holds the variables, ":root" for a page.
func Theme(selector string) string {
	vars := func(dark bool) string {
		var b strings.Builder
		for _, r := range roles {
			v := r.light
			if dark {
				v = r.dark
			}
			fmt.Fprintf(&b, "--%s:%s;", r.name, v)
		}
		return b.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s{%s}\n", selector, vars(false))
	fmt.Fprintf(&b, "@media screen and (prefers-color-scheme:dark){%s{%s}}\n", selector, vars(true))
	for _, r := range roles {
		fmt.Fprintf(&b, ".f-%[1]s{fill:var(--%[1]s)}.k-%[1]s{stroke:var(--%[1]s)}.b-%[1]s{background:var(--%[1]s)}\n", r.name)
	}
	return b.String()
}

// rgba is the ink on light ground.
func (k Ink) rgba() color.NRGBA {
	hex := string(k)
	for _, r := range roles {
		if r.name == hex {
			hex = r.light
		}
	}
	var c color.NRGBA
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		return color.NRGBA{A: 255}
	}
	c.A = 255
	return c
}

// viridis is sampled at even steps from the map of that name by van der Walt
// and Smith: even to the eye, also in grey and without red or green.
var viridis = [...][3]float64{
	{68, 1, 84}, {72, 40, 120}, {62, 74, 137}, {49, 104, 142}, {38, 130, 142},
	{31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37},
}

// heatInk is the colour for a share from 0 to 1, and the ink that is legible
// on it.
func heatInk(t float64) (fill, on Ink) {
	if math.IsNaN(t) {
		t = 0
	}
	t = max(0, min(1, t)) * float64(len(viridis)-1)
	i := min(int(t), len(viridis)-2)
	f := t - float64(i)
	var c [3]float64
	for k := range c {
		c[k] = viridis[i][k] + f*(viridis[i+1][k]-viridis[i][k])
	}
	on = "#ffffff"
	if luminance(c) > 0.18 {
		on = "#101010"
	}
	return Ink(fmt.Sprintf("#%02x%02x%02x", int(c[0]+.5), int(c[1]+.5), int(c[2]+.5))), on
}

// luminance is WCAG's relative luminance; at 0.18 black and white contrast alike.
func luminance(c [3]float64) float64 {
	for k, v := range c {
		if v /= 255; v <= 0.04045 {
			c[k] = v / 12.92
		} else {
			c[k] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

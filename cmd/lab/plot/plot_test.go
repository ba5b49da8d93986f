package plot

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.0123: "0.0123", 999.4: "999", 999.6: "1\u00a0000", 1234: "1\u00a0230", 99900: "99\u00a0900", 99960: "100k",
		-2500: "-2\u00a0500", 1.26e6: "1.26M", 4e9: "4G", 2e15: "2000T", math.NaN(): "0", math.Inf(1): "0",
	} {
		if got := Short(v); got != want && !math.IsInf(v, 0) {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		s     Scale
		base2 bool
		want  string
	}{
		{Scale{Lo: 256, Hi: 1 << 28, Log: true}, true, "2^8 2^12 2^16 2^20 2^24 2^28"},
		{Scale{Lo: 1, Hi: 16, Log: true}, true, "1 2 4 8 2^4"},
		{Scale{Lo: 3, Hi: 450, Log: true}, false, "5 10 20 50 100 200"},
		{Scale{Lo: 0, Hi: 1000}, false, "0 200 400 600 800 1\u00a0000"},
		{Scale{Lo: 100, Hi: 100}, false, "100"},
		{Scale{Lo: 1000, Hi: 1001, Log: true}, false, "1\u00a0000"},
	} {
		var got []string
		for _, x := range c.s.ticks(7, c.base2) {
			got = append(got, x.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v: %s, want %s", c.s, s, c.want)
		}
	}
}

func TestScale(t *testing.T) {
	s := Scale{Lo: 1, Hi: 100, Log: true, A: 200, B: 0}
	for v, want := range map[float64]float64{1: 200, 10: 100, 100: 0} {
		if got := s.At(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is at %g, want %g", v, got, want)
		}
	}
}

// TestInksAreLegible holds every colour of text and lines to the contrast that
// WCAG 2.2 asks of graphics, on both grounds.
func TestInksAreLegible(t *testing.T) {
	lum := func(hex string) float64 {
		c := Ink(hex).rgba()
		return luminance([3]float64{float64(c.R), float64(c.G), float64(c.B)})
	}
	contrast := func(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
	var light, dark float64
	for _, r := range roles {
		if r.name == "bg" {
			light, dark = lum(r.light), lum(r.dark)
		}
	}
	for _, r := range roles {
		if r.name == "bg" || r.name == "grid" {
			continue
		}
		if c := contrast(lum(r.light), light); c < 3 {
			t.Errorf("%s on light ground: %.2f", r.name, c)
		}
		if c := contrast(lum(r.dark), dark); c < 3 {
			t.Errorf("%s on dark ground: %.2f", r.name, c)
		}
	}
	for i := range 101 {
		fill, on := heatInk(float64(i) / 100)
		if c := contrast(lum(string(fill)), lum(string(on))); c < 4 {
			t.Errorf("text on the heat colour at %d %%: %.2f", i, c)
		}
	}
}

// TestPNG draws shapes whose pixels are known.
func TestPNG(t *testing.T) {
	f := &Figure{W: 40, H: 30}
	f.rect(0, 0, 10, 10, "#ff0000")
	f.line(0, 20, 40, 20, "#0000ff", 4)
	f.rect(20, 0, 10, 10, "#000000").Opacity = 0.5
	f.text(36, 28, "M", 12, "#00ff00", Start).Turned = true
	var b bytes.Buffer
	if err := f.WritePNG(&b, 2); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil || img.Bounds().Dx() != 80 || img.Bounds().Dy() != 60 {
		t.Fatalf("%v %v", img.Bounds(), err)
	}
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{{10, 10, color.RGBA{255, 0, 0, 255}}, {40, 40, color.RGBA{0, 0, 255, 255}}, {40, 34, color.RGBA{255, 255, 255, 255}}, {50, 10, color.RGBA{127, 127, 127, 255}}} {
		r, g, bl, _ := img.At(c.x, c.y).RGBA()
		for k, d := range []int{int(r>>8) - int(c.want.R), int(g>>8) - int(c.want.G), int(bl>>8) - int(c.want.B)} {
			if d < -2 || d > 2 {
				t.Errorf("pixel %d,%d, part %d: off by %d", c.x, c.y, k, d)
			}
		}
	}
	green := 0
	for y := 30; y < 60; y++ {
		for x := 50; x < 80; x++ {
			if r, g, _, _ := img.At(x, y).RGBA(); g > 0xf000 && r < 0x8000 {
				green++
			}
		}
	}
	if green < 20 {
		t.Errorf("the turned text has %d pixels", green)
	}
	if err := f.WritePNG(&b, 1e6); err == nil {
		t.Error("a picture of 40 million pixels a side was drawn")
	}
}

func TestStrokeTurnsOneWay(t *testing.T) {
	for _, closed := range []bool{false, true} {
		for _, dash := range [][]float64{nil, {3, 2}} {
			for i, p := range stroke([]Point{{0, 0}, {10, 3}, {4, 12}, {0, -5}}, closed, 2, dash) {
				area := 0.0
				for k, a := range p {
					b := p[(k+1)%len(p)]
					area += a.X*b.Y - b.X*a.Y
				}
				if area <= 0 {
					t.Errorf("polygon %d turns the other way: overlaps would cancel", i)
				}
			}
		}
	}
}

package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// WritePNG writes the figure on light ground, scale pixels for each of its own.
func (f *Figure) WritePNG(w io.Writer, scale float64) error {
	width, height := int(math.Ceil(f.W*scale)), int(math.Ceil(f.H*scale))
	if width < 1 || height < 1 || width > 1<<14 || height > 1<<14 {
		return fmt.Errorf("png: %d × %d pixels: at most 16384 each way", width, height)
	}
	c := &canvas{img: image.NewRGBA(image.Rect(0, 0, width, height)), scale: scale}
	draw.Draw(c.img, c.img.Bounds(), image.NewUniform(BG.rgba()), image.Point{}, draw.Src)
	for _, m := range f.Marks {
		if err := c.mark(m); err != nil {
			return fmt.Errorf("png: %w", err)
		}
	}
	return png.Encode(w, c.img)
}

type canvas struct {
	img   *image.RGBA
	scale float64
	faces map[faceKey]font.Face
}

type faceKey struct {
	size float64
	bold bool
}

func (c *canvas) mark(m Mark) error {
	if m.Text != "" {
		return c.text(m)
	}
	points := m.Points
	closed := m.Closed
	if m.Radius > 0 {
		points, closed = disc(m.Points[0], m.Radius), true
	}
	if m.Fill != "" {
		ink := m.Fill.rgba()
		if m.Opacity > 0 {
			ink.A = uint8(255*min(m.Opacity, 1) + .5)
		}
		c.fill([][]Point{points}, ink)
	}
	if m.Stroke != "" {
		c.fill(stroke(points, closed, m.Width, m.Dash), m.Stroke.rgba())
	}
	return nil
}

// fill paints the union of polygons that all turn the same way.
func (c *canvas) fill(polygons [][]Point, ink color.NRGBA) {
	// Only the part of the picture about the polygons is worked on.
	lo, hi := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range polygons {
		for _, q := range p {
			lo, hi = Point{min(lo.X, q.X), min(lo.Y, q.Y)}, Point{max(hi.X, q.X), max(hi.Y, q.Y)}
		}
	}
	if !finite(lo.X+lo.Y) || !finite(hi.X+hi.Y) {
		return
	}
	b := image.Rect(int(math.Floor(lo.X*c.scale)), int(math.Floor(lo.Y*c.scale)), int(math.Ceil(hi.X*c.scale))+1, int(math.Ceil(hi.Y*c.scale))+1)
	if b = b.Intersect(c.img.Bounds()); b.Empty() {
		return
	}
	z := vector.NewRasterizer(b.Dx(), b.Dy())
	for _, p := range polygons {
		for i, q := range p {
			x, y := float32(q.X*c.scale-float64(b.Min.X)), float32(q.Y*c.scale-float64(b.Min.Y))
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	z.Draw(c.img, b, image.NewUniform(ink), image.Point{})
}

// disc is a circle as a polygon.
func disc(at Point, r float64) (out []Point) {
	const corners = 32
	for i := range corners {
		s, co := math.Sincos(2 * math.Pi * float64(i) / corners)
		out = append(out, Point{at.X + r*co, at.Y + r*s})
	}
	return out
}

// stroke is a line of the given width as polygons that turn like disc's: a
// quad for every piece, a disc at every joint.
func stroke(p []Point, closed bool, width float64, dash []float64) (out [][]Point) {
	if closed && len(p) > 0 {
		p = append(append([]Point(nil), p...), p[0])
	}
	h := width / 2
	quad := func(a, b Point) {
		l := math.Hypot(b.X-a.X, b.Y-a.Y)
		if l == 0 {
			return
		}
		nx, ny := -(b.Y-a.Y)/l*h, (b.X-a.X)/l*h
		out = append(out, []Point{{a.X - nx, a.Y - ny}, {b.X - nx, b.Y - ny}, {b.X + nx, b.Y + ny}, {a.X + nx, a.Y + ny}})
	}
	at, left := 0, 0.0
	if len(dash) > 0 {
		left = dash[0]
	}
	for i := 1; i < len(p); i++ {
		a, b := p[i-1], p[i]
		if len(dash) == 0 {
			quad(a, b)
			if i > 1 && width > 1 {
				out = append(out, disc(a, h))
			}
			continue
		}
		l := math.Hypot(b.X-a.X, b.Y-a.Y)
		for from := 0.0; from < l; {
			to := min(l, from+max(left, 0.1))
			if at%2 == 0 {
				quad(Point{a.X + (b.X-a.X)*from/l, a.Y + (b.Y-a.Y)*from/l}, Point{a.X + (b.X-a.X)*to/l, a.Y + (b.Y-a.Y)*to/l})
			}
			left -= to - from
			if from = to; left <= 0.1 {
				at++
				left = dash[at%len(dash)]
			}
		}
	}
	return out
}

func (c *canvas) text(m Mark) error {
	var runs []string
	var widths []fixed.Int26_6
	var faces []font.Face
	var total fixed.Int26_6
	for i, part := range raised(m.Text) {
		size := m.Size
		if i%2 == 1 {
			size *= raisedSize
		}
		face, err := c.face(size, m.Bold)
		if err != nil {
			return err
		}
		w := font.MeasureString(face, part)
		runs, widths, faces, total = append(runs, part), append(widths, w), append(faces, face), total+w
	}
	at := fixed.Int26_6(0)
	switch m.Anchor {
	case Middle:
		at = -total / 2
	case End:
		at = -total
	}
	// A turned text is drawn level and then turned by pixels.
	x, y := fix(m.Points[0].X*c.scale), fix(m.Points[0].Y*c.scale)
	dst := c.img
	if m.Turned {
		b := c.img.Bounds()
		x, y = fix(float64(b.Dy())-m.Points[0].Y*c.scale), fix(m.Points[0].X*c.scale)
		left, line := (x + at).Floor(), int(math.Ceil(1.5*m.Size*c.scale))
		dst = image.NewRGBA(image.Rect(left-1, y.Floor()-line, left+total.Ceil()+2, y.Floor()+line))
	}
	for i, run := range runs {
		up := fixed.Int26_6(0)
		if i%2 == 1 {
			up = fix(raisedBy * m.Size * c.scale)
		}
		d := font.Drawer{Dst: dst, Src: image.NewUniform(m.Fill.rgba()), Face: faces[i], Dot: fixed.Point26_6{X: x + at, Y: y - up}}
		d.DrawString(run)
		at += widths[i]
	}
	if m.Turned {
		b := c.img.Bounds()
		for v := dst.Rect.Min.Y; v < dst.Rect.Max.Y; v++ {
			for u := dst.Rect.Min.X; u < dst.Rect.Max.X; u++ {
				if s := dst.RGBAAt(u, v); s.A != 0 && image.Pt(v, b.Dy()-1-u).In(b) {
					over(c.img, v, b.Dy()-1-u, s)
				}
			}
		}
	}
	return nil
}

// over paints a premultiplied colour on a pixel.
func over(img *image.RGBA, x, y int, s color.RGBA) {
	d := img.RGBAAt(x, y)
	mix := func(s, d, a uint8) uint8 { return s + uint8(uint32(d)*uint32(255-a)/255) }
	img.SetRGBA(x, y, color.RGBA{mix(s.R, d.R, s.A), mix(s.G, d.G, s.A), mix(s.B, d.B, s.A), 255})
}

func fix(v float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(v * 64)) }

// The fonts are parsed once for all figures.
var (
	regular = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })
	bolder  = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gobold.TTF) })
)

func (c *canvas) face(size float64, bold bool) (font.Face, error) {
	k := faceKey{size, bold}
	if f := c.faces[k]; f != nil {
		return f, nil
	}
	parse := regular
	if bold {
		parse = bolder
	}
	parsed, err := parse()
	if err != nil {
		return nil, err
	}
	// At 72 dots an inch a point is a pixel.
	f, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size * c.scale, DPI: 72})
	if err != nil {
		return nil, err
	}
	if c.faces == nil {
		c.faces = map[faceKey]font.Face{}
	}
	c.faces[k] = f
	return f, nil
}

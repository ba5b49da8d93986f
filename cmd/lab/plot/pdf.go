package plot

import (
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// point is a pixel in points, at 96 pixels and 72 points an inch.
const point = 0.75

// face is the name of the embedded font.
const face = "Go"

// WritePDF writes the figure as a page of its size, in light colours, with its fonts.
// One figure gives the same bytes each time.
func (f *Figure) WritePDF(w io.Writer) error {
	p := fpdf.NewCustom(&fpdf.InitType{OrientationStr: "P", UnitStr: "pt", Size: fpdf.SizeType{Wd: f.W * point, Ht: f.H * point}})
	p.SetMargins(0, 0, 0)
	p.SetAutoPageBreak(false, 0)
	p.SetCatalogSort(true)
	p.SetCreationDate(time.Unix(0, 0).UTC())
	p.SetModificationDate(time.Unix(0, 0).UTC())
	p.SetTitle(f.Title, true)
	p.SetSubject(f.Desc, true)
	p.AddUTF8FontFromBytes(face, "", goregular.TTF)
	p.AddUTF8FontFromBytes(face, "B", gobold.TTF)
	p.AddPage()
	p.SetLineJoinStyle("round")
	for _, m := range f.Marks {
		m.pdf(p)
	}
	if err := p.Output(w); err != nil {
		return fmt.Errorf("pdf: %w", err)
	}
	return nil
}

func (m Mark) pdf(p *fpdf.Fpdf) {
	if m.Text != "" {
		m.pdfText(p)
		return
	}
	path := func() {
		for i, q := range m.Points {
			if i == 0 {
				p.MoveTo(q.X*point, q.Y*point)
			} else {
				p.LineTo(q.X*point, q.Y*point)
			}
		}
		if m.Closed {
			p.ClosePath()
		}
	}
	draw := func(style string) {
		if m.Radius > 0 {
			p.Circle(m.Points[0].X*point, m.Points[0].Y*point, m.Radius*point, style)
			return
		}
		path()
		p.DrawPath(style)
	}
	if m.Fill != "" {
		if m.Opacity > 0 && m.Opacity < 1 {
			p.SetAlpha(m.Opacity, "Normal")
			defer p.SetAlpha(1, "Normal")
		}
		c := m.Fill.rgba()
		p.SetFillColor(int(c.R), int(c.G), int(c.B))
		draw("F")
	}
	if m.Stroke != "" {
		p.SetAlpha(1, "Normal")
		c := m.Stroke.rgba()
		p.SetDrawColor(int(c.R), int(c.G), int(c.B))
		p.SetLineWidth(m.Width * point)
		var dash []float64
		for _, d := range m.Dash {
			dash = append(dash, d*point)
		}
		p.SetDashPattern(dash, 0)
		draw("D")
	}
}

func (m Mark) pdfText(p *fpdf.Fpdf) {
	style := ""
	if m.Bold {
		style = "B"
	}
	c := m.Fill.rgba()
	p.SetTextColor(int(c.R), int(c.G), int(c.B))
	size := func(i int) float64 {
		if i%2 == 1 {
			return raisedSize * m.Size
		}
		return m.Size
	}
	parts, total := raised(m.Text), 0.0
	for i, part := range parts {
		p.SetFont(face, style, size(i)*point)
		total += p.GetStringWidth(part)
	}
	x, y := m.Points[0].X*point, m.Points[0].Y*point
	if m.Turned {
		p.TransformBegin()
		defer p.TransformEnd()
		p.TransformRotate(90, x, y)
	}
	switch m.Anchor {
	case Middle:
		x -= total / 2
	case End:
		x -= total
	}
	for i, part := range parts {
		up := 0.0
		if i%2 == 1 {
			up = raisedBy * m.Size * point
		}
		p.SetFont(face, style, size(i)*point)
		p.Text(x, y-up, part)
		x += p.GetStringWidth(part)
	}
}

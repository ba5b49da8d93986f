package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strconv"
)

// fontFamily is what the reader's machine has for interfaces; nothing is fetched.
const fontFamily = `system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif`

// SVG returns the figure as an element for a page that has Theme.
func (f *Figure) SVG() string {
	var b bytes.Buffer
	f.open(&b, "")
	f.body(&b)
	b.WriteString("</svg>")
	return b.String()
}

// WriteSVG writes the figure as a file of its own, which follows the reader's
// colour scheme.
func (f *Figure) WriteSVG(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	f.open(&b, ` xmlns="http://www.w3.org/2000/svg"`)
	fmt.Fprintf(&b, "<style>%ssvg{font-family:%s}</style>", Theme("svg"), fontFamily)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" class="f-bg"/>`)
	f.body(&b)
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (f *Figure) open(b *bytes.Buffer, attr string) {
	fmt.Fprintf(b, `<svg%s role="img" aria-label="%s" viewBox="0 0 %s %s" width="%s" height="%s">`,
		attr, html.EscapeString(f.Title), num(f.W), num(f.H), num(f.W), num(f.H))
	fmt.Fprintf(b, "<title>%s</title><desc>%s</desc>", html.EscapeString(f.Title), html.EscapeString(f.Desc))
}

func (f *Figure) body(b *bytes.Buffer) {
	for _, m := range f.Marks {
		m.svg(b)
	}
}

func (m Mark) svg(b *bytes.Buffer) {
	name := "path"
	switch {
	case m.Text != "":
		name = "text"
	case m.Radius > 0:
		name = "circle"
	}
	b.WriteString("<" + name)
	switch name {
	case "text":
		fmt.Fprintf(b, ` x="%s" y="%s" font-size="%s"`, num(m.Points[0].X), num(m.Points[0].Y), num(m.Size))
		if m.Anchor != Start {
			fmt.Fprintf(b, ` text-anchor="%s"`, [...]string{"", "middle", "end"}[m.Anchor])
		}
		if m.Bold {
			b.WriteString(` font-weight="600"`)
		}
		if m.Turned {
			fmt.Fprintf(b, ` transform="rotate(-90 %s %s)"`, num(m.Points[0].X), num(m.Points[0].Y))
		}
	case "circle":
		fmt.Fprintf(b, ` cx="%s" cy="%s" r="%s"`, num(m.Points[0].X), num(m.Points[0].Y), num(m.Radius))
	default:
		b.WriteString(` d="`)
		for i, p := range m.Points {
			b.WriteByte("ML"[min(i, 1)])
			b.WriteString(num(p.X) + " " + num(p.Y))
		}
		if m.Closed {
			b.WriteByte('Z')
		}
		b.WriteByte('"')
	}
	m.style(b)
	if m.Series != "" {
		fmt.Fprintf(b, ` data-s="%s"`, html.EscapeString(m.Series))
	}
	if m.Frame != 0 {
		fmt.Fprintf(b, ` data-k="%d"`, m.Frame)
	}
	b.WriteByte('>')
	if m.Tip != "" {
		fmt.Fprintf(b, "<title>%s</title>", html.EscapeString(m.Tip))
	}
	if name == "text" {
		for i, part := range raised(m.Text) {
			switch {
			case i%2 == 1:
				fmt.Fprintf(b, `<tspan dy="%s" font-size="%s">%s</tspan>`, num(-raisedBy*m.Size), num(raisedSize*m.Size), html.EscapeString(part))
			case i > 0 && part != "":
				fmt.Fprintf(b, `<tspan dy="%s">%s</tspan>`, num(raisedBy*m.Size), html.EscapeString(part))
			default:
				b.WriteString(html.EscapeString(part))
			}
		}
	}
	b.WriteString("</" + name + ">")
}

func (m Mark) style(b *bytes.Buffer) {
	class := ""
	paint := func(ink Ink, attr, prefix string) {
		switch {
		case ink == "" && attr == "fill":
			b.WriteString(` fill="none"`)
		case ink == "":
		case ink[0] == '#':
			fmt.Fprintf(b, ` %s="%s"`, attr, ink)
		default:
			class += " " + prefix + string(ink)
		}
	}
	paint(m.Fill, "fill", "f-")
	paint(m.Stroke, "stroke", "k-")
	if class != "" {
		fmt.Fprintf(b, ` class="%s"`, class[1:])
	}
	if m.Stroke != "" {
		fmt.Fprintf(b, ` stroke-width="%s" stroke-linejoin="round"`, num(m.Width))
		if len(m.Dash) > 0 {
			b.WriteString(` stroke-dasharray="`)
			for i, d := range m.Dash {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(num(d))
			}
			b.WriteByte('"')
		}
	}
	if m.Opacity > 0 && m.Opacity < 1 {
		fmt.Fprintf(b, ` fill-opacity="%s"`, num(m.Opacity))
	}
}

// num writes pixels to a tenth.
func num(v float64) string {
	if !finite(v) {
		v = 0
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if len(s) > 2 && s[len(s)-2:] == ".0" {
		s = s[:len(s)-2]
	}
	return s
}

package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/cmd/lab/plot"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS string

//go:embed script.js
var scriptJS string

// rSnippet reads the page's download and draws its main figure.
//
//go:embed read.R
var rSnippet string

// pageTemplate is made when it is first asked for: every program that links it starts.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"svg": Figure.SVG,
		"sup": Raise,
	}).Parse(pageHTML))
})

// StyleSheet is that of all pages: light and dark, for screen and paper.
func StyleSheet() string { return plot.Theme(":root") + styleCSS }

// power is a power of two as the package axes writes it.
var power = lazy.Regexp(`2\^(\d+)`)

// Raise escapes a text and raises its exponents: 2^20.
func Raise(s string) template.HTML {
	return template.HTML(power().ReplaceAllString(template.HTMLEscapeString(s), "2<sup>$1</sup>"))
}

// view is what the page's template sees.
type view struct {
	Title, Sub    string
	Style, Script any
	Verdict       verdict
	Sections      []section
	Animations    []animation
	Env           Environment
	Raw           raw
	R             string
	Series        []chip
	KeyTypes      []string
	Modes         []string
	Measured      bool
	Counters      []counterTable
	NoCounters    []string
	Words         []word
}

// Shown are the sections that have something to show.
func (v view) Shown() (out []section) {
	for _, s := range v.Sections {
		if v.filled(s) {
			out = append(out, s)
		}
	}
	return out
}

// Empty are the others, with what to run for them.
func (v view) Empty() (out []section) {
	for _, s := range v.Sections {
		if !v.filled(s) {
			out = append(out, s)
		}
	}
	if len(v.Animations) == 0 {
		out = append(out, section{ID: "animation", Title: "Animation of the real kernels",
			Missing: "gpusort profile -a Algo=radix-4way -a Elements=256 -d devices --record recording.json"})
	}
	return out
}

func (v view) filled(s section) bool {
	return len(s.Figures)+len(s.Tables) > 0 || s.ID == "timeline" && len(v.Counters)+len(v.NoCounters) > 0
}

// chip is a series in the filter.
type chip struct {
	Name string
	Ink  string
}

// Write writes the page. Title is its heading; empty takes a plain one.
func Write(w io.Writer, in Input, title string) error {
	d := newData(in)
	v := view{
		Title: title, Sub: d.summary(),
		Style: template.CSS(StyleSheet()), Script: template.JS(scriptJS),
		Verdict: newVerdict(d), Env: newEnvironment(d), R: rSnippet, Measured: len(d.measured()) > 0,
	}
	if v.Title == "" {
		v.Title = "Sorting benchmark"
	}
	v.Sections = sections(d)
	for _, s := range v.Sections {
		for _, f := range s.Figures {
			if f.KeyType != "" && !slices.Contains(v.KeyTypes, f.KeyType) {
				v.KeyTypes = append(v.KeyTypes, f.KeyType)
			}
			if f.Mode != "" && !slices.Contains(v.Modes, f.Mode) {
				v.Modes = append(v.Modes, f.Mode)
			}
		}
	}
	for _, s := range d.series {
		v.Series = append(v.Series, chip{s, string(plot.SeriesInk(d.style[s]))})
	}
	for _, r := range d.Recordings {
		v.Animations = append(v.Animations, d.animate(r))
	}
	v.Counters, v.NoCounters = counters(d)
	v.Words = words(d)
	var err error
	if v.Raw, err = newRaw(d); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := pageTemplate().Execute(w, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// summary is the line below the heading.
func (d *data) summary() string {
	day := ""
	for _, r := range d.Records {
		if len(r.Env.Started) >= 10 && r.Env.Started[:10] > day {
			day = r.Env.Started[:10]
		}
	}
	s := fmt.Sprintf("%d measured cells, %d sorts", len(d.measured()), len(d.series))
	for _, c := range d.measured() {
		if c.Env.Device != "" {
			s += " · " + c.Env.Device
			break
		}
	}
	for _, c := range d.measured() {
		if c.Env.CPU != "" {
			s += " · " + c.Env.CPU
			break
		}
	}
	if day != "" {
		s += " · " + day
	}
	return s
}

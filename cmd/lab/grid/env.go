package grid

import (
	"path"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/report"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// machines are the makers' names of what the cells ran on.
func (p Page) machines() (out []string) {
	for _, r := range p.used {
		if m := spotOf(r).machine; m != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// days are the first and the last on which a run began.
func (p Page) days() string {
	var all []string
	for _, r := range p.used {
		day, _, _ := strings.Cut(r.Env.Started, "T")
		all = append(all, day)
	}
	if lo, hi := slices.Min(all), slices.Max(all); lo != hi {
		return lo + " to " + hi
	}
	return all[0]
}

// environment says where everything comes from and how to do it again.
func (p Page) environment(s *sheet) {
	env := report.EnvironmentOf(report.Input{Records: p.used})
	s.head(2, "Environment")
	rows := [][]string{{"what", "value"}}
	for _, r := range env.Rows {
		rows = append(rows, []string{r[0], r[1]})
	}
	for _, name := range append([]string{p.Of}, p.Against...) {
		if v := p.version(name); v != "" {
			rows = append(rows, []string{name, v})
		}
	}
	if t := p.throttling(); t != "" {
		rows = append(rows, []string{"Held back", t})
	}
	s.table("l", rows)
	s.para("Raw results, one JSON object a line:")
	for _, f := range p.files {
		link := f.Link
		if link == "" {
			link = f.Path
		}
		s.add(item{path.Base(link), link, ": " + some(len(f.Records), "record")})
	}
	if len(env.Commands) > 0 {
		s.para("The runs:")
		s.code(env.Commands)
	}
	if p.command != "" {
		s.para("This page:")
		s.code([]string{p.command})
	}
}

// version is what a peer says of itself, and for the catalogue's sorts that
// they are of the commit above.
func (p Page) version(name string) string {
	var out []string
	for _, r := range p.used {
		v := r.Source
		if r.Policy != "" && r.Source != "catalog" {
			v += ", " + r.Policy
		}
		if v == "catalog" {
			v = "of the catalogue"
		}
		if r.Algo == name && v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return strings.Join(out, "; ")
}

// throttling are the reasons for which the device lowered its clocks.
func (p Page) throttling() string {
	var out []string
	for _, r := range p.used {
		for _, c := range []*result.Clocks{r.Before, r.After} {
			if c == nil {
				continue
			}
			for _, why := range c.Throttle {
				if !slices.Contains(out, why) {
					out = append(out, why)
				}
			}
		}
	}
	return strings.Join(out, ", ")
}

package report

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// timeline is where the time of profiled sorts goes.
func timeline(d *data) section {
	s := section{
		ID: "timeline", Title: "Step by step",
		Lead:    "One sort from upload to download; each step is the median over the profile's runs, with an event at every border, which costs a few microseconds a step.",
		Missing: "gpusort profile -a 'Algo=[merge-path,radix-4way]' -a 'Elements[pow2]=18' -d devices --json > steps.json",
	}
	for _, p := range d.Profiles {
		if p.Status != string(result.OK) || len(p.Steps) == 0 {
			continue
		}
		k := kindOf(p.Cell)
		f := k.figure("timeline", d.seriesOf(p.Cell, p.Env)+geometryOf(p.Cell))
		f.Wide = true
		all := d.spans(p)
		f.draw(all)
		f.Caption = busiest(p)
		s.Figures = append(s.Figures, f)
		if steps, zoom := enlarged(all); zoom {
			e := f
			e.ID += "-steps"
			e.Caption = ""
			e.draw(steps)
			s.Figures = append(s.Figures, e)
		}
	}
	return s
}

func (d *data) spans(p run.Profile) plot.Spans {
	t := plot.Spans{Title: d.seriesOf(p.Cell, p.Env) + geometryOf(p.Cell) + ", " + kindOf(p.Cell).String(), W: 1140, Format: result.Duration}
	at := 0.0
	add := func(lane, name string, ns int64, style int, tip string) {
		if ns < 0 {
			ns = 0
		}
		t.Spans = append(t.Spans, plot.Span{Lane: lane, Name: name, Start: at, Time: float64(ns), Style: style, Tip: tip})
		at += float64(ns)
	}
	tip := func(name string, ns int64, bytes uint64) string {
		gbps := 0.0
		if ns > 0 {
			gbps = float64(bytes) / float64(ns)
		}
		return fmt.Sprintf("%s\n%s, at least %sB: %s GB/s", name, result.Duration(float64(ns)), plot.Short(float64(bytes)), plot.Short(gbps))
	}
	add("transfers", "upload", p.Upload.NS, 1, tip("upload", p.Upload.NS, p.Upload.Bytes))
	// Steps of one kernel share a colour.
	style := map[string]int{}
	for _, st := range p.Steps {
		kernel := st.Op + st.Kernel
		if _, ok := style[kernel]; !ok {
			style[kernel] = (2 + len(style)) % 8
		}
		text := tip(st.Label, st.NS, st.MinBytes)
		if p.CopyGBps > 0 {
			text += fmt.Sprintf(", %.0f %% of a copy", 100*st.GBps()/p.CopyGBps)
		}
		if st.Threads > 0 {
			text += fmt.Sprintf("\n%d blocks × %d threads", st.Grid, st.Threads)
		}
		if st.Occupancy != nil {
			text += fmt.Sprintf("\noccupancy %.0f %%, limited by %s", 100*st.Occupancy.Share, st.Occupancy.Limiter)
		}
		add("steps", st.Label, st.NS, style[kernel], text)
	}
	add("transfers", "download", p.Download.NS, 1, tip("download", p.Download.NS, p.Download.Bytes))
	return t
}

// enlarged is the steps alone, where the transfers leave them little room.
func enlarged(all plot.Spans) (plot.Spans, bool) {
	out := all
	out.Title, out.Spans = "The steps of the same sort, enlarged", nil
	total, steps := 0.0, 0.0
	for _, s := range all.Spans {
		total += s.Time
		if s.Lane == "steps" {
			s.Start = steps
			steps += s.Time
			out.Spans = append(out.Spans, s)
		}
	}
	return out, steps > 0 && steps < total/2
}

// busiest says what matters most in a timeline.
func busiest(p run.Profile) string {
	var sum int64
	top := p.Steps[0]
	for _, s := range p.Steps {
		sum += max(s.NS, 0)
		if s.NS > top.NS {
			top = s
		}
	}
	if sum <= 0 {
		return ""
	}
	text := fmt.Sprintf("Longest step: %s, %s, %.0f %% of the steps' time", top.Label, result.Duration(float64(top.NS)), 100*float64(top.NS)/float64(sum))
	if p.CopyGBps > 0 {
		text += fmt.Sprintf(", at %.0f %% of the copy bandwidth of %s GB/s", 100*top.GBps()/p.CopyGBps, plot.Short(p.CopyGBps))
	}
	all := sum + max(p.Upload.NS, 0) + max(p.Download.NS, 0)
	return text + fmt.Sprintf(". Transfers take %.0f %% of the whole.", 100*float64(all-sum)/float64(all))
}

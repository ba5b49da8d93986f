package report

import (
	"fmt"
	"math"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/internal/key"
)

// roofline sets rates against what the memory allows for the fewest bytes that
// each algorithm's plan must move.
func roofline(d *data) section {
	s := section{
		ID: "roofline", Title: "Roofline",
		Lead: "Each point is a sort at the size that suits it best: across, how many items its plan sorts for each byte that it must at least move in device memory; up, what it reached by kernel time. The heavy line is the bandwidth of a plain copy on the same device: above it a sort would have to find its data in a cache. The upright line marks a sort that read and wrote everything once.",
		Missing: "gpusort bench -a 'Algo=[merge-path,radix-4way]' -a 'Elements[pow2]=[14:20:2]' -d devices --timeout 1s --json devices.jsonl\n" +
			"gpusort profile -a 'Algo=[merge-path,radix-4way]' -a 'Elements[pow2]=20' -d devices --json > profile.json",
		Then: "The second measures the roof. Host sorts tell no bytes.",
	}
	var with []cell
	for _, c := range d.ok {
		if c.MinBytes > 0 && c.Device != nil {
			with = append(with, c)
		}
	}
	type place struct {
		kind
		device string
	}
	var order []place
	groups := map[place][]cell{}
	for _, c := range with {
		k := kindOf(c.Cell)
		k.Items = 0
		p := place{k, c.DeviceID}
		if _, ok := groups[p]; !ok {
			order = append(order, p)
		}
		groups[p] = append(groups[p], c)
	}
	roofs := true
	done := map[place]bool{}
	for _, p := range order {
		// One input is enough: the plan's bytes do not depend on it.
		any := p
		any.Dist = ""
		if done[any] {
			continue
		}
		done[any] = true
		l, ok := d.roof(p.device, groups[p])
		l.Title = p.kind.String() + ", " + p.device
		f := p.figure("roofline", p.device)
		f.draw(l)
		s.Figures = append(s.Figures, f)
		roofs = roofs && ok
	}
	if !roofs {
		s.Note = "The roof of some devices is missing: gpusort profile -d DEVICE --json > profile.json measures the copy bandwidth; name that file too. Until then the lines are bandwidths to read off."
	}
	return s
}

func (d *data) roof(device string, cells []cell) (l plot.Lines, ok bool) {
	l = plot.Lines{XLabel: "items per byte moved", YLabel: "million items per second", XLog: true, YLog: true, W: 560, H: 350}
	x0, x1, y0, y1 := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, name := range distinct(cells, func(c cell) string { return c.series }) {
		var top cell
		for _, c := range cells {
			if c.series == name && (top.Device == nil || c.Rate(c.Device.Median) > top.Rate(top.Device.Median)) {
				top = c
			}
		}
		p := rates(top, top.Device)
		p.X = float64(top.Items) / float64(top.MinBytes)
		p.Tip += fmt.Sprintf("\n%s GB/s of least traffic", plot.Short(float64(top.MinBytes)/top.Device.Median))
		x0, x1, y0, y1 = min(x0, p.X), max(x1, p.X), min(y0, p.Lo), max(y1, p.Hi)
		l.Series = append(l.Series, plot.Line{Name: name, Style: d.style[name], Loose: true, Points: []plot.XY{p}})
	}
	once := 1.0
	if t, err := key.Parse(cells[0].KeyType); err == nil {
		once = 1 / float64(2*(t.Bytes()+cells[0].ValueBytes))
	}
	x0, x1 = x0/2, max(x1, once)*2
	// Bandwidth in GB/s times items per byte is 10^9 items per second.
	roof := 0.0
	for _, p := range d.Profiles {
		if p.Cell.DeviceID == device {
			roof = max(roof, p.CopyGBps)
		}
	}
	if roof > 0 {
		y1 = max(y1, roof*x1*1e3)
	}
	y0, y1 = y0/4, y1*2
	if roof <= 0 {
		y0, y1 = y0/4, y1*5
	}
	l.XRange, l.YRange = [2]float64{x0, x1}, [2]float64{y0, y1}
	slope := func(gbps float64, bold bool) {
		a, b := x0, x1
		if y := gbps * b * 1e3; y > y1 {
			b = y1 / gbps / 1e3
		}
		if y := gbps * a * 1e3; y < y0 {
			a = y0 / gbps / 1e3
		}
		// A stub in a corner says nothing.
		if b > a*math.Pow(x1/x0, 0.3) {
			l.Guides = append(l.Guides, plot.Guide{X1: a, Y1: gbps * a * 1e3, X2: b, Y2: gbps * b * 1e3, Label: plot.Short(gbps) + " GB/s", Bold: bold})
		}
	}
	if roof > 0 {
		slope(roof, true)
		slope(roof/10, false)
	} else {
		for e := -2; e <= 4; e++ {
			slope(math.Pow(10, float64(e)), false)
		}
	}
	l.Guides = append(l.Guides, plot.Guide{X1: once, Y1: y0, X2: once, Y2: y1, Label: "read and write once"})
	return l, roof > 0
}

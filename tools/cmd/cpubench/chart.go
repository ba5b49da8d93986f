package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gpusort/gpusort/cmd/lab/plot"
)

// plotCurve draws the curve cells of a file of results as an SVG: the rate of
// each contestant over n.
func plotCurve(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := plot.Lines{XLabel: "number of keys", YLabel: "million keys per second", XLog: true, YLog: true, W: 720, H: 400}
	at := map[string]int{}
	add := func(name string, n int, rate float64) {
		i, ok := at[name]
		if !ok {
			i = len(lines.Series)
			at[name] = i
			lines.Series = append(lines.Series, plot.Line{Name: name, Style: i})
		}
		p := &lines.Series[i].Points
		if len(*p) > 0 && (*p)[len(*p)-1].X == float64(n) {
			return // ours stands in the row of each peer
		}
		*p = append(*p, plot.XY{X: float64(n), Y: rate, Lo: rate, Hi: rate})
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		var r result
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return fmt.Errorf("read %s: %w", from, err)
		}
		if r.Name != "curve" {
			continue
		}
		lines.Title = fmt.Sprintf("%s keys, uniform, one thread", r.Type)
		add("gpusort", r.N, r.Ours)
		add(r.Peer, r.N, r.Theirs)
	}
	if len(lines.Series) == 0 {
		return fmt.Errorf("%s holds no curve: write one with -curve u64 -json %s", from, from)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := lines.Draw().WriteSVG(out); err != nil {
		return err
	}
	return out.Close()
}

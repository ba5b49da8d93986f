package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
)

// result is one comparison: rates in millions of keys per second.
type result struct {
	Name    string  `json:"name,omitempty"`
	Op      string  `json:"op"`
	Type    string  `json:"type"`
	Dist    string  `json:"dist"`
	N       int     `json:"n"`
	Level   string  `json:"level"`
	Workers int     `json:"workers"`
	Rounds  int     `json:"rounds"`
	Ours    float64 `json:"gpusort"`
	Peer    string  `json:"peer"`
	Theirs  float64 `json:"theirs"`
	Ratio   float64 `json:"ratio"`
	Bar     float64 `json:"bar,omitempty"` // least ratio; 0: none
}

// report prints results as a Markdown table and keeps them for a summary.
type report struct {
	file *os.File // JSON lines; may be nil
	rows []result
}

func newReport(path string) (*report, error) {
	if path == "" {
		return &report{}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return &report{file: f}, err
}

func (r *report) close() {
	if r.file != nil {
		_ = r.file.Close()
	}
}

func (r *report) row(x result) {
	if len(r.rows) == 0 {
		fmt.Println("| op | type | distribution | n | level | workers | gpusort M/s | peer | M/s | ratio | bar | met |")
		fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	}
	r.rows = append(r.rows, x)
	bar, met := "", ""
	if x.Bar > 0 {
		bar, met = fmt.Sprint(x.Bar), "yes"
		if x.Ratio < x.Bar {
			met = "**no**"
		}
	}
	fmt.Printf("| %s | %s | %s | %.3g | %s | %d | %.4g | %s | %.4g | %.2f | %s | %s |\n", x.Op, x.Type, x.Dist, float64(x.N),
		x.Level, x.Workers, x.Ours, x.Peer, x.Theirs, x.Ratio, bar, met)
	if r.file != nil {
		if line, err := json.Marshal(x); err == nil {
			_, _ = r.file.Write(append(line, '\n'))
		}
	}
}

// summary prints the geometric mean of the ratios per bar or peer, and the
// bars that are not met.
func (r *report) summary() {
	type sum struct {
		name string
		logs float64
		n    int
	}
	var sums []sum
	missed, set := 0, 0
	for _, x := range r.rows {
		name := x.Name + " / " + x.Peer
		i := slices.IndexFunc(sums, func(s sum) bool { return s.name == name })
		if i < 0 {
			i, sums = len(sums), append(sums, sum{name: name})
		}
		sums[i].logs += math.Log(x.Ratio)
		sums[i].n++
		if x.Bar > 0 {
			set++
			if x.Ratio < x.Bar {
				missed++
			}
		}
	}
	fmt.Println()
	for _, s := range sums {
		fmt.Printf("geometric mean of %d ratios, %s: %.2f\n", s.n, s.name, math.Exp(s.logs/float64(s.n)))
	}
	if set > 0 {
		fmt.Printf("%d of %d bars met\n", set-missed, set)
	}
	for _, x := range r.rows {
		if x.Ratio < x.Bar {
			fmt.Printf("missed: %s %s %s %s %.3g %s workers %d: %.2f × %s, bar %g\n", x.Name, x.Op, x.Type, x.Dist, float64(x.N), x.Level, x.Workers, x.Ratio, x.Peer, x.Bar)
		}
	}
}

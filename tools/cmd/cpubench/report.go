package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
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
	// Of paired cells, whose Ratio is the median of those of rounds: the quartiles.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
	// Rounds that were left out since the host ran others in the meantime.
	Stolen int `json:"stolen,omitempty"`
	// Of sorts that are cancelled, milliseconds from then on: the median and the
	// worst by the clock, and the worst in CPU time of all workers. Ours, Theirs
	// and Ratio are then 1/s: of the worst, of the bar, and the one by the other.
	MedianMs float64 `json:"median_ms,omitempty"`
	WorstMs  float64 `json:"worst_ms,omitempty"`
	CPUMs    float64 `json:"cpu_ms,omitempty"`
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
	bar, met := "", ""
	if x.Bar > 0 {
		bar, met = fmt.Sprint(x.Bar), x.met()
	}
	ratio := fmt.Sprintf("%.2f", x.Ratio)
	if x.Low > 0 {
		ratio += fmt.Sprintf(" (%.2f … %.2f of %d)", x.Low, x.High, x.Rounds-x.Stolen)
	}
	fmt.Printf("| %s | %s | %s | %.3g | %s | %d | %.4g | %s | %.4g | %s | %s | %s |\n", x.Op, x.Type, x.Dist, float64(x.N),
		x.Level, x.Workers, x.Ours, x.Peer, x.Theirs, ratio, bar, met)
	r.keep(x)
}

// met says whether x meets its bar.
func (x result) met() string {
	if x.Ratio < x.Bar {
		return "**no**"
	}
	return "yes"
}

// keep adds x to the rows and to the file.
func (r *report) keep(x result) {
	r.rows = append(r.rows, x)
	if r.file != nil {
		if line, err := json.Marshal(x); err == nil {
			_, _ = r.file.Write(append(line, '\n'))
		}
	}
}

// cancel prints the row of a cell of cancelled sorts.
func (r *report) cancel(c cell, all []cancelled, left int) {
	if len(r.rows) == 0 || r.rows[len(r.rows)-1].Name != c.name {
		fmt.Println("\n| op | type | distribution | n | level | workers | cancelled | left out | median ms | worst ms | worst CPU ms | bar ms | met |")
		fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	}
	var wall, cpu []time.Duration
	for _, d := range all {
		wall, cpu = append(wall, d.wall), append(cpu, d.cpu)
	}
	mid, most := worst(wall)
	_, busy := worst(cpu)
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	x := result{Name: c.name, Op: c.op, Type: c.typ, Dist: c.dist, N: c.n, Level: simd.Current().String(), Workers: c.workers,
		Rounds: len(all), Peer: "bar", Theirs: 1 / cancelBar.Seconds(), Bar: 1, MedianMs: ms(mid), Stolen: left, WorstMs: ms(most), CPUMs: ms(busy)}
	// A sort that is over before any moment to cancel it is within the bar.
	x.Ours = 1 / max(most, time.Microsecond).Seconds()
	x.Ratio = x.Ours / x.Theirs
	fmt.Printf("| %s | %s | %s | %.3g | %s | %d | %d | %d | %.2f | %.2f | %.2f | %g | %s |\n", x.Op, x.Type, x.Dist, float64(x.N),
		x.Level, x.Workers, x.Rounds, x.Stolen, x.MedianMs, x.WorstMs, x.CPUMs, ms(cancelBar), x.met())
	r.keep(x)
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

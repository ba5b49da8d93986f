// Package report turns results into one offline HTML page and into single
// figures: what was fastest, how throughput goes with size, distribution and
// geometry, where the time went, and everything needed to doubt and repeat it.
package report

import (
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// Input is what a report is made of.
type Input struct {
	Records  []result.Record
	Profiles []run.Profile
	// Recordings are small sorts, step by step.
	Recordings []run.Recording
	// Sources are the names of the files, for the page's foot.
	Sources []string
	// Replaced counts records that a later one of the same cell took the place of.
	Replaced int
}

// cell is a record with what the sections look it up by.
type cell struct {
	result.Record
	series string
}

// data is the input in the order of its first appearance.
type data struct {
	Input
	ok     []cell              // measured sorts, with samples
	ops    []cell              // other operations, likewise
	files  []cell              // programs that sort files, likewise
	names  map[string][]string // of the devices behind an ID
	series []string
	style  map[string]int // of a series, the same in every figure
}

func newData(in Input) *data {
	d := &data{Input: in, style: map[string]int{}, names: map[string][]string{}}
	for _, r := range in.Records {
		d.name(r.Cell, r.Env)
	}
	for _, p := range in.Profiles {
		d.name(p.Cell, p.Env)
	}
	for _, r := range in.Records {
		if r.Status != result.OK || r.Judged() == nil || r.Judged().Median <= 0 || r.Items == 0 {
			continue
		}
		c := cell{r, d.seriesOf(r.Cell, r.Env)}
		switch {
		case c.OfFile():
			d.files = append(d.files, c)
		case c.Op != "":
			d.ops = append(d.ops, c)
		default:
			d.ok = append(d.ok, c)
		}
		d.see(c.series)
	}
	return d
}

func (d *data) see(series string) {
	if _, ok := d.style[series]; !ok {
		d.style[series] = len(d.series)
		d.series = append(d.series, series)
	}
}

// machine is what a cell ran on, by the maker's name.
func machine(c result.Cell, e result.Env) string {
	if c.Backend == "cpu" {
		return e.CPU
	}
	return e.Device
}

func (d *data) name(c result.Cell, e result.Env) {
	if m := machine(c, e); m != "" && !slices.Contains(d.names[c.DeviceID], m) {
		d.names[c.DeviceID] = append(d.names[c.DeviceID], m)
	}
}

// seriesOf names a line: the algorithm and where it ran; by the machine's name
// too where one ID stands for several.
func (d *data) seriesOf(c result.Cell, e result.Env) string {
	s := c.Algo + " · " + c.DeviceID
	if len(d.names[c.DeviceID]) > 1 {
		s += " " + machine(c, e)
	}
	if c.Warm {
		s += " warm"
	}
	if c.Graph {
		s += " graph"
	}
	if c.HostClock {
		s += " by the host's clock"
	}
	if c.Workers != 0 {
		s += fmt.Sprintf(" parallel=%d", c.Workers)
	}
	if c.Input == run.Same {
		s += " same input"
	}
	return s
}

// geometryOf names launch parameters that are not the policy's own.
func geometryOf(c result.Cell) (s string) {
	if c.Threads != 0 {
		s += fmt.Sprintf(" t=%d", c.Threads)
	}
	if c.Blocks != 0 {
		s += fmt.Sprintf(" b=%d", c.Blocks)
	}
	return s
}

// kind is what a figure holds constant.
type kind struct {
	KeyType, Mode string
	Dist          string // empty where the figure varies it
	Items         uint64 // 0 where the figure varies it
	MaxValue      uint64
}

func kindOf(c result.Cell) kind {
	mode := c.Mode
	if c.ValueBytes != 0 {
		mode = fmt.Sprintf("%s/u%d", c.Mode, 8*c.ValueBytes)
	}
	if c.Desc {
		mode += " descending"
	}
	if c.NaNLast {
		mode += " NaN last"
	}
	dist := c.Dist
	if dist == fmt.Sprintf("max-%d", c.MaxValue) {
		dist = "uniform" // up to MaxValue, which the kind has
	}
	return kind{c.KeyType, mode, dist, c.Items, c.MaxValue}
}

// String reads as in "u32 keys, uniform, 2^20 keys".
func (k kind) String() string {
	s := k.KeyType + " " + k.Mode
	if k.Dist != "" {
		s += ", " + k.Dist
	}
	if k.MaxValue != 0 {
		s += fmt.Sprintf(", keys ≤ %d", k.MaxValue)
	}
	if k.Items != 0 {
		s += ", n = " + count(k.Items)
	}
	return s
}

// group sorts cells by what a figure holds constant, in order of appearance.
func group(cells []cell, by func(kind) kind) (order []kind, groups map[kind][]cell) {
	groups = map[kind][]cell{}
	for _, c := range cells {
		k := by(kindOf(c.Cell))
		if _, ok := groups[k]; !ok {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	return order, groups
}

// distinct lists values of cells in order of appearance.
func distinct[T comparable](cells []cell, of func(cell) T) (out []T) {
	seen := map[T]bool{}
	for _, c := range cells {
		if v := of(c); !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// best keeps one cell for each series and value of x: the one with the
// policy's own geometry, or where only others were measured the fastest.
func best[T comparable](cells []cell, x func(cell) T) (out []cell) {
	type key struct {
		series string
		x      T
	}
	at := map[key]int{}
	own := func(c cell) bool { return c.Threads == 0 && c.Blocks == 0 }
	for _, c := range cells {
		k := key{c.series, x(c)}
		i, ok := at[k]
		switch {
		case !ok:
			at[k] = len(out)
			out = append(out, c)
		case own(out[i]):
		case own(c), c.Judged().Median < out[i].Judged().Median:
			out[i] = c
		}
	}
	return out
}

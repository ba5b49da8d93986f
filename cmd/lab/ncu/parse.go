// Package ncu runs a command under NVIDIA Nsight Compute and reads back what
// the hardware counters say of each kernel.
package ncu

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Metric is one counter that is read, with the words for tables.
type Metric struct{ Name, Short string }

// Metrics are read for each kernel: the table of the English report. Shares
// are per cent of the hardware's peak.
var Metrics = []Metric{
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy %"},
	{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "compute %"},
	{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "memory %"},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM %"},
	{"sm__inst_executed.avg.per_cycle_active", "IPC"},
	{"smsp__thread_inst_executed_per_inst_executed.ratio", "threads per instruction"},
}

// Kernel is what was measured of one kernel.
type Kernel struct {
	Name     string             `json:"kernel"`
	Launches int                `json:"launches"`
	Values   map[string]float64 `json:"values"` // median over the launches, by metric name
}

// parse reads the raw page as comma-separated values: lines of the tool's own
// talk, a header that begins with "ID", a line of units, one line per launch.
func parse(text string) ([]Kernel, error) {
	var table []string
	for _, line := range strings.Split(text, "\n") {
		if len(table) > 0 && strings.HasPrefix(line, `"`) || strings.HasPrefix(line, `"ID"`) {
			table = append(table, line)
		}
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("ncu measured nothing: %s", complaint(text))
	}
	rows, err := csv.NewReader(strings.NewReader(strings.Join(table, "\n"))).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("the table of ncu: %w", err)
	}
	at := slices.Index(rows[0], "Kernel Name")
	if at < 0 {
		return nil, fmt.Errorf("the table of ncu has no kernel names, but %q", rows[0])
	}
	var out []Kernel
	samples := map[string]map[string][]float64{}
	for _, row := range rows[1:] {
		if row[0] == "" { // units
			continue
		}
		name, _, _ := strings.Cut(row[at], "(")
		i := slices.IndexFunc(out, func(k Kernel) bool { return k.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, Kernel{Name: name, Values: map[string]float64{}})
			samples[name] = map[string][]float64{}
		}
		out[i].Launches++
		for _, m := range Metrics {
			c := slices.Index(rows[0], m.Name)
			if c < 0 {
				continue
			}
			// Thousands are set off by commas in some locales.
			if v, err := strconv.ParseFloat(strings.ReplaceAll(row[c], ",", ""), 64); err == nil {
				samples[name][m.Name] = append(samples[name][m.Name], v)
			}
		}
	}
	for _, k := range out {
		for m, v := range samples[k.Name] {
			k.Values[m] = stat.Median(v)
		}
	}
	return out, nil
}

// complaint is the tool's last error or warning, else its last line.
func complaint(text string) string {
	last := "it wrote nothing"
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "==ERROR==") {
			return strings.TrimSpace(strings.TrimPrefix(line, "==ERROR=="))
		}
		if line != "" {
			last = line
		}
	}
	return last
}

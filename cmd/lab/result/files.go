package result

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// FileColumns are the headings of FileRow.
var FileColumns = []string{"program", "on", "format", "input", "rows", "MB", "memory given", "samples", "wall", "±", "CPU time", "peak of memory", "MB/s"}

// OfFile says that the record is of a program that sorted a file.
func (r Record) OfFile() bool { return r.Op == "files" }

// CPU summarises the processor times, or is nil.
func (r Record) CPU() *stat.Summary { return summary(r.CPUNS) }

// FileRow returns an OK record of a file as a row of its short table.
func (r Record) FileRow() []string {
	format, budget, peak := r.Format, "–", "–"
	if r.StringLen != 0 {
		format += fmt.Sprintf(" len=%d", r.StringLen)
	}
	if r.Budget != 0 {
		budget = units.Bytes(r.Budget)
	}
	if r.PeakBytes != 0 {
		peak = units.Bytes(r.PeakBytes)
	}
	algo, input := r.Algo, r.Dist
	if r.Workers != 0 {
		algo += fmt.Sprintf(" parallel=%d", r.Workers)
	}
	if r.Input == "same" {
		input += " same"
	}
	cpu := "–"
	if s := r.CPU(); s != nil {
		cpu = Duration(s.Median)
	}
	return []string{
		algo, r.DeviceID, format, input, axes.FormatCount(r.Items), fmt.Sprintf("%.4g", float64(r.FileBytes)/1e6), budget,
		fmt.Sprint(len(r.WallNS)), Duration(r.Wall.Median), Noise(r.Wall), cpu, peak, fmt.Sprintf("%.4g", float64(r.FileBytes)/r.Wall.Median*1e3),
	}
}

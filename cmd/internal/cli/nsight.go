package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gpusort/gpusort/cmd/lab/ncu"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// nsight runs this program again under Nsight Compute for every CUDA cell and
// adds what the tool measured, or why it did not.
func (p *profileCmd) nsight(ctx context.Context, all []run.Profile) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for i := range all {
		x := &all[i]
		if x.Status != string(result.OK) || x.Cell.Backend != "cuda" {
			continue
		}
		command := []string{self, "profile", "--no-counters", "--runs=1", "-d", x.Cell.DeviceID, fmt.Sprintf("--seed=%d", x.Cell.Seed)}
		for _, a := range run.CellAxes(x.Cell) {
			command = append(command, "-a", a)
		}
		if x.Kernels, err = ncu.Run(ctx, "gs_", command...); err != nil {
			if ctx.Err() != nil {
				return err
			}
			x.NoCounters = err.Error()
		}
	}
	return nil
}

func (p *profileCmd) printKernels(x run.Profile) {
	if x.NoCounters != "" {
		fmt.Fprintf(p.out, "no counters: %s\n", x.NoCounters)
	}
	if len(x.Kernels) == 0 {
		return
	}
	head, right := table.Row{"kernel"}, []int{}
	for i, m := range ncu.Metrics {
		head, right = append(head, m.Short), append(right, i+2)
	}
	t := p.newTable(head, right...)
	for _, k := range x.Kernels {
		row := table.Row{k.Name}
		for _, m := range ncu.Metrics {
			if v, ok := k.Values[m.Name]; ok {
				row = append(row, fmt.Sprintf("%.4g", v))
			} else {
				row = append(row, "–")
			}
		}
		t.AppendRow(row)
	}
	t.Render()
}

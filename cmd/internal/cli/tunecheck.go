package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/calibrate"
	"github.com/gpusort/gpusort/internal/engine/crossover"
)

// autoBar is how much longer than the fastest auto may take.
const autoBar = 1.2

// checkAuto times auto's choices and says which is the worst.
func (d *tuneCmd) checkAuto(ctx context.Context) error {
	if err := d.room(); err != nil {
		return err
	}
	t, err := crossover.Load()
	if err != nil {
		return err
	}
	if t == nil {
		fmt.Fprintln(d.err, "gpusort: nothing was measured with this version: auto chooses by a model ('gpusort tune' measures)")
	}
	p := d.newProgress()
	all, err := calibrate.Check(ctx, calibrate.Options{MostBytes: uint64(d.most), Progress: p.counted("checking")})
	p.close()
	if err != nil {
		return err
	}
	if d.json {
		return printJSON(d.out, all)
	}
	d.printChecked(all)
	return nil
}

// printChecked writes a line for each size, and the worst ratio.
func (d *tuneCmd) printChecked(all []calibrate.Checked) {
	var ids []string
	for id := range all[0].Forced {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	head := table.Row{"Type", "Keys", "Auto chose", "Auto"}
	for _, id := range ids {
		head = append(head, id)
	}
	right := []int{2, 4, 5 + len(ids), 6 + len(ids)}
	for i := range ids {
		right = append(right, 5+i)
	}
	w := d.newTable(append(head, "Choice ÷ best", "Auto ÷ best"), right...)
	worst, wrong, over := all[0], all[0], 0
	for _, c := range all {
		row := table.Row{c.Type, units.Count(c.Items), c.Choice, units.Duration(seconds(c.Auto))}
		for _, id := range ids {
			row = append(row, units.Duration(seconds(c.Forced[id])))
		}
		w.AppendRow(append(row, fmt.Sprintf("%.2f", c.Regret()), fmt.Sprintf("%.2f", c.Ratio())))
		if c.Ratio() > worst.Ratio() {
			worst = c
		}
		if c.Regret() > wrong.Regret() {
			wrong = c
		}
		if c.Regret() > autoBar {
			over++
		}
	}
	w.Render()
	say := func(what string, ratio float64, c calibrate.Checked) {
		best, _ := c.Best()
		fmt.Fprintf(d.out, "%s: %.2f, %s keys of %s, where auto chose %s and %s was the fastest\n", what, ratio, units.Count(c.Items), c.Type, c.Choice, best)
	}
	say("worst choice", wrong.Regret(), wrong)
	say("worst time, choosing and noise included", worst.Ratio(), worst)
	fmt.Fprintf(d.out, "%d of %d choices cost more than %.1f\n", over, len(all), autoBar)
}

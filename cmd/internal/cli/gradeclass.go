package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/cmd/lab/grade/class"
	labreport "github.com/gpusort/gpusort/cmd/lab/report"
)

// runClass grades several submissions and writes the class into a folder.
func (g *gradeCmd) runClass(c *cobra.Command, submissions []string, o grade.Options) error {
	for _, kind := range gradeFiles() {
		if *g.files[kind] != "" {
			return usagef(c, "--%s is for one submission; a class goes to the folder of -o", kind)
		}
	}
	switch {
	case g.output == "":
		return usagef(c, "several submissions are a class: where shall it go? give -o FOLDER")
	case c.Flags().Changed("pass"):
		return usagef(c, "--pass is for one submission")
	case g.seed != 0:
		return usagef(c, "--seed is for one submission: a class gets inputs that nobody could know")
	}
	if err := os.MkdirAll(g.output, 0o755); err != nil {
		return err
	}
	n := 0
	run := func(ctx context.Context, path string) (grade.Report, error) {
		one := o
		one.Submission = path
		if g.errTerm {
			one.Progress = func(s string) {
				fmt.Fprintf(g.bars, "\r\x1b[K%d of %d: %s: %s", n+1, len(submissions), visible(filepath.Base(path)), visible(s))
			}
		}
		return grade.Run(ctx, one)
	}
	// What is known is written at once: an interrupted class keeps its grades.
	done := func(r class.Row) error {
		n++
		if r.Err != "" {
			return nil
		}
		base := filepath.Join(g.output, r.File)
		return errors.Join(
			g.writeTo(base+".json", format.Text, func(w io.Writer) error { return r.Report.Write(w, grade.FormatJSON) }),
			g.writeTo(base+".html", format.Text, func(w io.Writer) error { return labreport.WriteGrade(w, r.Report) }))
	}
	all, err := class.Run(c.Context(), submissions, run, done)
	if g.errTerm {
		fmt.Fprint(g.bars, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	err = errors.Join(
		g.writeTo(filepath.Join(g.output, "class.csv"), format.Text, all.WriteCSV),
		g.writeTo(filepath.Join(g.output, "index.html"), format.Text, func(w io.Writer) error { return labreport.WriteClass(w, all) }))
	if err != nil {
		return err
	}
	g.printClass(all)
	if n := all.Ungraded(); n > 0 {
		return fmt.Errorf("%d of %d submissions could not be graded; the table says why", n, len(submissions))
	}
	return nil
}

func (g *gradeCmd) printClass(c class.Class) {
	for _, r := range c.Rows {
		if r.Err == "" {
			fmt.Fprintln(g.out, r.Report.Confinement.Line())
			break
		}
	}
	t := g.newTable(table.Row{"rank", "submission", "points", "of", "remarks"}, 1, 3, 4)
	for _, r := range c.Rows {
		t.AppendRow(table.Row{r.Rank, visible(r.Name), fmt.Sprintf("%.4g", r.Report.Score), fmt.Sprintf("%.4g", r.Report.Max), visible(r.Remark())})
	}
	t.Render()
	for _, p := range c.Alike {
		fmt.Fprintf(g.out, "%.0f %% alike: %s and %s\n", 100*p.Share, visible(p.A), visible(p.B))
	}
	fmt.Fprintf(g.out, "Open %s; %s is for spreadsheets.\n", filepath.Join(g.output, "index.html"), filepath.Join(g.output, "class.csv"))
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/cmd/lab/grade/child"
	labreport "github.com/gpusort/gpusort/cmd/lab/report"
)

type gradeCmd struct {
	*app
	rubric     string
	output     string // folder of a class
	device     string
	sorter     string
	seed       uint64
	template   string
	unconfined bool
	require    bool
	pass       float64
	files      map[string]*string // by output format
}

func (a *app) gradeCommand() *cobra.Command {
	g := &gradeCmd{app: a, files: map[string]*string{}}
	c := &cobra.Command{
		Use:   "grade SUBMISSION… --rubric FILE [flags]",
		Short: "Grade somebody's sort by a rubric",
		Long: `Grade a sort that somebody else wrote: OpenCL C (.cl; PoCL is enough), the device
code of a .cu, or a shared library (.so). The submission runs in a process of its
own. Clock, buffers and inputs are the grader's. Every run has a new input, and
every result is checked. Several submissions, or a folder of them, are a class, whose
table, leaderboard and grades go to a folder. docs/grading.md describes submissions and rubrics,
docs/grading-threats.md what a submission can and cannot do.`,
		Example: `  gpusort grade --template cl > mysort.cl
  gpusort grade --template rubric > lab2.toml
  gpusort grade mysort.cl --rubric lab2.toml
  gpusort grade mysort.cl --rubric lab2.toml --gradescope results.json --junit grade.xml --html grade.html
  gpusort grade submissions/ --rubric lab2.toml --require-sandbox -o class/`,
		RunE: func(c *cobra.Command, args []string) error { return g.run(c, args) },
	}
	f := c.Flags()
	f.Var((*fileValue)(&g.rubric), "rubric", "rubric `FILE` (TOML)")
	f.VarP((*fileValue)(&g.output), "output", "o", "write the table, the leaderboard and the grades of several submissions to a `FOLDER`")
	f.StringVar(&g.template, "template", "", "print what to start from: a submission of a `KIND`, cl, cu or so, or a rubric")
	f.StringVarP(&g.device, "device", "d", "", "`ID`: cuda:0, opencl:0, or cpu for libraries; default: the rubric's")
	f.StringVar(&g.sorter, "sorter", "", "`NAME` of a library's sorter; default: the first that fits")
	f.Uint64Var(&g.seed, "seed", 0, "seed of the inputs, to repeat a grading; default: drawn")
	f.BoolVar(&g.require, "require-sandbox", false, "refuse to grade where this machine cannot confine a submission")
	f.Float64Var(&g.pass, "pass", 0, "exit with 1 if the grade is below so many `POINTS`")
	f.BoolVar(&g.unconfined, "unconfined", false, "let the submission keep this user's rights, where the kernel cannot take them away")
	for _, kind := range gradeFiles() {
		g.files[kind] = f.String(kind, "", fmt.Sprintf("write the grade as %s to `FILE`; - is standard output", kind))
	}
	choices(c, "template", append(names(grade.Kinds(), func(k grade.Kind) string { return string(k) }), rubricTemplate))
	return c
}

// rubricTemplate is the template that is no submission.
const rubricTemplate = "rubric"

// gradeChildCommand is the process of a submission; the grader starts it.
func (a *app) gradeChildCommand() *cobra.Command {
	return &cobra.Command{
		Use: child.Command, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			os.Exit(child.Main())
			return nil
		},
	}
}

func (g *gradeCmd) run(c *cobra.Command, args []string) error {
	if g.template == rubricTemplate {
		_, err := fmt.Fprint(g.out, grade.RubricTemplate())
		return err
	}
	if g.template != "" {
		source, err := grade.Template(grade.Kind(g.template))
		if err != nil {
			return usagef(c, "--template: %v", err)
		}
		_, err = fmt.Fprint(g.out, source)
		return err
	}
	switch {
	case len(args) == 0:
		return usagef(c, "what is to be graded? give a .cl, .cu or .so")
	case g.rubric == "":
		return usagef(c, "by which rules? give --rubric; gpusort grade --template rubric prints one to start from")
	}
	r, err := grade.ReadRubric(c.Context(), g.rubric)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	args, folders, err := g.submissionsOf(args)
	if err != nil {
		return err
	}
	o := grade.Options{
		Submission: args[0], Rubric: r, Device: g.device, Sorter: g.sorter, Seed: g.seed,
		Command: []string{exe, child.Command}, Unconfined: g.unconfined, RequireSandbox: g.require,
	}
	if g.errTerm {
		o.Progress = func(s string) { fmt.Fprintf(g.bars, "\r\x1b[K%s", visible(s)) }
	}
	if len(args) > 1 || folders || g.output != "" {
		return g.runClass(c, args, o)
	}
	rep, err := grade.Run(c.Context(), o)
	if g.errTerm {
		fmt.Fprint(g.bars, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	if err := g.write(rep); err != nil {
		return err
	}
	if rep.Score < g.pass {
		return negative{}
	}
	return nil
}

// write writes the files that were asked for, and the text unless one of them
// is standard output.
func (g *gradeCmd) write(rep grade.Report) error {
	stdout := false
	var errs []error
	for _, kind := range gradeFiles() {
		name := *g.files[kind]
		if name == "" {
			continue
		}
		stdout = stdout || name == "-"
		errs = append(errs, g.writeFile(rep, kind, name))
	}
	if !stdout {
		g.print(rep)
	}
	return errors.Join(errs...)
}

func (g *gradeCmd) writeFile(rep grade.Report, kind, name string) error {
	if kind == pageFormat {
		return g.writeTo(name, format.Text, func(w io.Writer) error { return labreport.WriteGrade(w, rep) })
	}
	return g.writeTo(name, format.Text, func(w io.Writer) error { return rep.Write(w, kind) })
}

// pageFormat is the report page of a submission, beside grade's formats.
const pageFormat = "html"

// gradeFiles are the formats that a grade is written in, but for the text.
func gradeFiles() []string { return append(grade.Formats()[1:], pageFormat) }

func (g *gradeCmd) print(rep grade.Report) {
	fmt.Fprintf(g.out, "%s\n%s\n%s on %s, %s %s, seed %d\n", rep.Confinement.Line(), rep.Title, rep.Submission, strings.TrimSpace(rep.Device+" "+rep.DeviceName), rep.Key, rep.What, rep.Seed)
	if rep.Replay {
		fmt.Fprintln(g.out, "A replay: the inputs could be known before, so these points are not for a class.")
	}
	if rep.Refused != "" {
		fmt.Fprintf(g.out, "No points: %s\n", strings.ReplaceAll(rep.Refused, "\n", quoted))
	}
	t := g.newTable(table.Row{"criterion", "points", "of", "how"}, 2, 3)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 4, WidthMax: 78, WidthMaxEnforcer: text.WrapSoft}})
	for _, i := range rep.Items {
		points := fmt.Sprintf("%.4g", i.Points)
		if i.Status == grade.Skipped {
			points = "–"
		}
		// A message of several lines could look like another row.
		detail := strings.Join(strings.Fields(i.Detail), " ")
		if rep.Refused != "" {
			detail = ""
		}
		t.AppendRow(table.Row{i.Name, points, fmt.Sprintf("%.4g", i.Max), detail})
	}
	t.AppendFooter(table.Row{"total", fmt.Sprintf("%.4g", rep.Score), fmt.Sprintf("%.4g", rep.Max), "in " + units.Duration(rep.Elapsed)})
	t.Style().Format.Footer = 0
	t.Render()
	if rep.Kernels != nil {
		g.printGraded(rep)
	}
	if rep.PeakMemory > 0 {
		fmt.Fprintf(g.out, "Most memory in the submission's control group, libraries and files included: %s.\n", units.Bytes(rep.PeakMemory))
	}
	if p := strings.TrimSpace(rep.Printed); p != "" {
		fmt.Fprintf(g.out, "The submission printed, which counts for nothing:%s%s\n", quoted, strings.ReplaceAll(p, "\n", quoted))
	}
}

// quoted begins a line that a submission wrote, so that none looks like the
// grader's.
const quoted = "\n  | "

func (g *gradeCmd) printGraded(rep grade.Report) {
	t := g.newTable(table.Row{"kernel", "launches", "threads", "registers", "shared", "spills", "occupancy"}, 2, 3, 4, 5, 6, 7)
	for _, k := range rep.Kernels {
		o := "–"
		if k.Occupancy > 0 {
			o = fmt.Sprintf("%.0f%% (%s)", 100*k.Occupancy, k.Limiter)
		}
		t.AppendRow(table.Row{k.Name, k.Launches, k.Threads, orDash(k.Registers), orDash(k.SharedBytes), orDash(k.LocalBytes), o})
	}
	t.Render()
}

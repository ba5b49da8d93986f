package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/tools/internal/build"
	"github.com/gpusort/gpusort/tools/internal/policy"
)

func tableCommand(args []string, w io.Writer) error {
	f := flag.NewFlagSet("tune table", flag.ContinueOnError)
	take := f.String("take", "", "write the row of this `variant` into policies.json, with the source of its numbers")
	root := f.String("root", "..", "root of the repository")
	rest, err := interspersed(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 2 {
		return fmt.Errorf("table takes the folder that build wrote and the one that run.sh wrote\n%s", usage)
	}
	s, err := openStore(rest[0])
	if err != nil {
		return err
	}
	if len(s.Entries) == 0 {
		return fmt.Errorf("%s holds no variants.json: 'tune build -o' writes it", rest[0])
	}
	recs, err := result.ReadFile(filepath.Join(rest[1], "tune.jsonl"))
	if err != nil {
		return err
	}
	all, trouble, err := groups(s, recs)
	if err != nil {
		return err
	}
	if *take != "" {
		return takeRow(w, *root, s, all, rest[1], *take)
	}
	_, err = io.WriteString(w, report(s, all, trouble, rest[1]))
	return err
}

// report is the Markdown: a table for each case, and what was not measured.
func report(s *store, all []group, trouble []string, results string) string {
	var b strings.Builder
	for _, g := range all {
		b.WriteString(g.table(results))
	}
	if lines := unmeasured(s, all, results); len(lines)+len(trouble) > 0 {
		b.WriteString("\n### Not measured\n\n")
		for _, l := range append(lines, trouble...) {
			fmt.Fprintf(&b, "- %s\n", l)
		}
	}
	return strings.TrimLeft(b.String(), "\n")
}

// table is one case: parameters that differ, the median of the rounds' medians
// with its interval, and what the compiler said.
func (g group) table(results string) string {
	var b strings.Builder
	first, env := g.list[0], g.of.Env
	var list []entry
	for _, m := range g.list {
		list = append(list, m.entry)
	}
	kernels, params := shown(list), differing(list)
	fmt.Fprintf(&b, "\n### %s: `%s`\n\n", first.Experiment, g.name)
	fmt.Fprintf(&b, "%s, driver %s, %s. Commit %.12s, %s %s. `%s`\n\n", env.Device, env.DriverVersion, env.Started[:min(10, len(env.Started))],
		first.Commit, first.Compiler, strings.Join(first.Flags, " "), strings.Join(commands(list), "`, `"))
	b.WriteString("| variant")
	for _, p := range params {
		fmt.Fprintf(&b, " | %s", first.Params[p])
	}
	b.WriteString(" | median µs | interval | Mkeys/s | × committed | rounds | samples | verified | registers | spilled bytes |\n|---")
	b.WriteString(strings.Repeat("|---:", len(params)+6) + "|---|---|---|\n")
	for _, m := range g.list {
		title := "`" + m.Name + "`"
		if m.Committed {
			title = "**" + title + "** (committed)"
		}
		b.WriteString("| " + title)
		for _, p := range params {
			fmt.Fprintf(&b, " | %d", m.Values[p])
		}
		state := "**no**"
		if n, err := verified(results, m.entry); err == nil {
			state = fmt.Sprintf("%d cases", n)
		}
		fmt.Fprintf(&b, " | %.1f | %.1f … %.1f | %.0f | %s | %d | %d | %s | %s | %s |\n", m.Median/1e3, m.Lo/1e3, m.Hi/1e3, g.of.Rate(m.Median)/1e6,
			times(m.ratio), m.Samples, m.samples, state, figures(m.entry, kernels, registers), spilled(m.entry))
	}
	sure := first.Confidence
	for _, m := range g.list {
		sure = min(sure, m.Confidence)
	}
	fmt.Fprintf(&b, "\nMedian over the rounds, each a process; the interval holds it with at least %.0f %% confidence. × committed: above 1 is faster, by the rounds in pairs.\n", 100*sure)
	return b.String()
}

func times(ratio float64) string {
	if ratio == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", ratio)
}

// spilled names the kernels that spill, with the bytes.
func spilled(e entry) string {
	var which []string
	for _, u := range e.Kernels {
		if u.Spills() > 0 {
			which = append(which, u.Kernel)
		}
	}
	if len(which) == 0 {
		return "0"
	}
	return figures(e, which, build.Usage.Spills)
}

// differing are the parameters that are not the same in all entries.
func differing(list []entry) (out []int) {
	for p := range list[0].Params {
		if slices.ContainsFunc(list, func(e entry) bool { return p < len(e.Values) && e.Values[p] != list[0].Values[p] }) {
			out = append(out, p)
		}
	}
	return out
}

// commands are those that built the entries, in order, each once.
func commands(list []entry) (out []string) {
	for _, e := range list {
		if !slices.Contains(out, e.Command) {
			out = append(out, e.Command)
		}
	}
	return out
}

// unmeasured says of every variant without a figure why.
func unmeasured(s *store, all []group, results string) (out []string) {
	for _, e := range s.Entries {
		if e.Reason != "" {
			out = append(out, fmt.Sprintf("`%s` (%s): %s", e.Name, row(e), e.Reason))
			continue
		}
		if slices.ContainsFunc(all, func(g group) bool {
			return slices.ContainsFunc(g.list, func(m measured) bool { return m.Name == e.Name })
		}) {
			continue
		}
		why := "not reached"
		if _, err := verified(results, e); err != nil {
			why = "not verified: " + err.Error()
		}
		out = append(out, fmt.Sprintf("`%s` (%s): %s", e.Name, row(e), why))
	}
	return out
}

// row names the instance: "onesweep, 32-bit keys".
func row(e entry) string {
	return fmt.Sprintf("%s, %d-bit %s", e.Module, e.KeyBits, policy.Suffix(e.ValueBytes))
}

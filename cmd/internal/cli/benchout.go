package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/internal/driver"
)

type flagOf = pflag.Flag

// benchOut is where records go: JSON lines as they come, the rest at the end.
type benchOut struct {
	b       *benchCmd
	jsonl   *os.File
	created bool // the file of --json is this run's
	old     []result.Record
	records []result.Record
	done    map[string]bool
	order   map[string]int // of keys, as the axes give them
}

// openOutputs opens the JSON lines first, so that a path that cannot be written
// is found before anything is measured. An existing file is only continued, with
// inputs of the same seeds.
func (b *benchCmd) openOutputs(all []run.Options) (*benchOut, error) {
	o := &benchOut{b: b, done: map[string]bool{}, order: map[string]int{}}
	if b.resume && (b.json == "" || b.json == "-") {
		return nil, errors.New("--resume continues the file of --json: give one")
	}
	if b.json == "" || b.json == "-" {
		return o, nil
	}
	if b.resume {
		recs, err := result.ReadFile(b.json)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, r := range recs {
			if !slices.ContainsFunc(all, func(x run.Options) bool { return x.Seed == r.Seed }) {
				return nil, fmt.Errorf("%s has cells of --seed %d, such as %s, not of %d: go on with that seed, or choose another file", b.json, r.Seed, r.Case, all[0].Seed)
			}
			if r.Input == "" {
				return nil, fmt.Errorf("%s has cells such as %s, all of whose samples sorted one input, by an older gpusort: choose another file", b.json, r.Case)
			}
			// A failed cell gets another chance.
			if r.Status != result.Failed {
				o.done[r.Key()] = true
				o.old = append(o.old, r)
			}
		}
		if err == nil {
			return o, o.rewrite()
		}
	}
	f, err := os.OpenFile(b.json, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already: continue it with --resume, or choose another name", b.json)
	}
	o.jsonl, o.created = f, err == nil
	return o, err
}

// rewrite replaces the file by its good records, which drops what an
// interruption cut, and leaves it open for more.
func (o *benchOut) rewrite() error {
	var text bytes.Buffer
	for _, r := range o.old {
		if err := result.WriteJSON(&text, r); err != nil {
			return err
		}
	}
	s, err := o.b.create(o.b.json, format.Text)
	if err != nil {
		return err
	}
	defer s.discard()
	if _, err := s.Write(text.Bytes()); err != nil {
		return err
	}
	if err := s.commit(); err != nil {
		return err
	}
	o.jsonl, err = os.OpenFile(o.b.json, os.O_WRONLY|os.O_APPEND, 0)
	return err
}

// emit keeps a record and writes it at once.
func (o *benchOut) emit(r result.Record) error {
	o.records = append(o.records, r)
	o.done[r.Key()] = true
	switch {
	case o.jsonl != nil:
		return result.WriteJSON(o.jsonl, r)
	case o.b.json == "-":
		return result.WriteJSON(o.b.out, r)
	}
	return nil
}

// close removes a file that no record came to: it would stand in the way of the
// command that is put right.
func (o *benchOut) close() {
	if o.jsonl != nil {
		// finish has reported what Close could say.
		_ = o.jsonl.Close()
	}
	if o.created && len(o.records) == 0 {
		// What cannot be removed is empty.
		_ = os.Remove(o.b.json)
	}
}

// finish writes the tables of all records, those of a resumed file included.
func (o *benchOut) finish() error {
	var errs []error
	if o.jsonl != nil {
		errs = append(errs, o.jsonl.Close())
		o.jsonl = nil
	}
	// Cells of a group end in any order; tables keep the axes' order.
	slices.SortStableFunc(o.records, func(x, y result.Record) int { return o.order[x.Key()] - o.order[y.Key()] })
	all := append(o.old, o.records...)
	b, stdout := o.b, false
	for _, x := range []struct {
		name  string
		write func(io.Writer, []result.Record) error
	}{{b.csv, result.WriteCSV}, {b.md, result.WriteMarkdown}, {b.gobench, result.WriteGo}} {
		if x.name == "" {
			continue
		}
		stdout = stdout || x.name == "-"
		s, err := b.create(x.name, format.Text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		err = x.write(s, all)
		if err == nil {
			err = s.commit()
		}
		s.discard()
		errs = append(errs, err)
	}
	if !stdout && b.json != "-" && len(all) > 0 {
		b.printRecords(all)
	}
	return errors.Join(errs...)
}

// printRecords shows measured cells as tables, and below them the others by
// reason.
func (b *benchCmd) printRecords(all []result.Record) {
	for _, t := range result.Tables(all) {
		b.printTable(t.Rows, t.Figures, len(t.Rows[0]))
	}
	for _, r := range result.Reasons(all) {
		fmt.Fprintln(b.out, r)
	}
	if b.outTerm {
		// A chart that cannot be written is no loss: the table is there.
		_ = result.WriteChart(b.out, all, chartWidth)
	}
}

// chartWidth fits the narrowest usual terminal.
const chartWidth = 78

// benchProgress is one line on a terminal that is written over.
type benchProgress struct {
	*app
	shown bool
	last  time.Time
}

func (p *benchProgress) show(r run.Progress) {
	if !p.errTerm || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	line := fmt.Sprintf("%d/%d %s, sample %d", r.Done, r.Cells, r.Case, r.Samples+1)
	if r.Left > 0 {
		line += ", about " + r.Left.Round(time.Second).String() + " left"
	}
	// A line that wraps would not be written over.
	fmt.Fprintf(p.bars, "\r\x1b[K%.*s", min(p.errWidth()-1, 110), line)
	p.shown = true
}

func (p *benchProgress) clear() {
	if p.shown {
		fmt.Fprint(p.bars, "\r\x1b[K")
		p.shown = false
	}
}

// hint tells of the smaller share, where nothing of an experiment can run.
func (b *benchCmd) hint(all []run.Options) {
	if !b.small && !b.noSmall && all[0].Experiment != "" {
		fmt.Fprintln(b.err, "gpusort: nothing of this can be measured here: --small runs the share for a machine without a GPU")
	}
}

func (b *benchCmd) printPlan(all []run.Options) error {
	var total time.Duration
	cells, refused := 0, 0
	for _, o := range all {
		j, err := run.New(o)
		if err != nil {
			return err
		}
		for _, e := range j.Estimate() {
			why := ""
			switch {
			case e.Refused != nil:
				why = "  not measured: " + strings.TrimPrefix(e.Refused.Error(), driver.ErrUnsupported.Error()+": ")
				refused++
			case e.Memory > 0:
				why = "  at least " + units.Bytes(e.Memory) + " of memory"
				cells++
			default:
				cells++
			}
			fmt.Fprintf(b.out, "%s@%s%s\n", e.Cell.ID(), e.Cell.DeviceID, why)
			total += e.Longest
		}
		j.Close()
	}
	fmt.Fprintf(b.out, "%d cells, at most about %s of sampling", cells, units.Duration(total))
	if refused > 0 {
		fmt.Fprintf(b.out, "; %d cells cannot be measured here", refused)
	}
	fmt.Fprintln(b.out)
	if cells == 0 && refused > 0 {
		b.hint(all)
	}
	return nil
}

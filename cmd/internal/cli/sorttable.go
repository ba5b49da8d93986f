package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/key/csvkey"
	"github.com/gpusort/gpusort/internal/key/jsonkey"
	"github.com/gpusort/gpusort/internal/run"
)

// tableSort is what opening the inputs tells of columns and a heading.
type tableSort struct {
	inputs []run.Input
	format run.Format // nil: lines
	first  []byte     // what the output begins with
	sample []byte     // the first rows
	csv    *csvkey.Table
	jsonl  *jsonkey.Format
}

// ofTable reports whether rows are ordered by columns.
func (r *rowFlags) ofTable() bool { return r.by != "" }

// tableKinds are the formats that columns are of, in the order of package columns.
var tableKinds = []string{"csv", "tsv", "jsonl"}

// settleTable refuses a format of rows without keys.
func (l *lineSort) settleTable() error {
	if !l.ofTable() && slices.Contains(tableKinds, l.rows) {
		return usageOfLines("--format %s says how rows are written: say by --by which columns order them", l.rows)
	}
	return nil
}

// columns are the keys of --by.
func (l *lineSort) columns() ([]by.Key, error) {
	keys, err := by.Parse(l.by, by.Key{Desc: l.spec.Global.Reverse, NullsFirst: l.nulls == "first", NaNLast: l.nan.last})
	if err != nil {
		return nil, usageError{fmt.Errorf("--by: %w", err), "gpusort sort"}
	}
	return keys, nil
}

// openInputs opens what has to be looked at before anything is sorted: the inputs of a table
// and those with a heading.
func (l *lineSort) openInputs(ctx context.Context) (err error) {
	for _, name := range l.files {
		l.inputs = append(l.inputs, l.input(ctx, name))
	}
	switch {
	case l.ofTable():
		return l.openTable()
	case l.heading > 0:
		return l.behead(run.Heading{Format: l.lines, Rows: l.heading})
	}
	return nil
}

// openTable finds out how the inputs are written and where their columns are.
func (l *lineSort) openTable() error {
	keys, err := l.columns()
	if err != nil {
		return err
	}
	o := csvkey.Options{Keys: keys, Heading: l.heading, Name: l.inputName, Longest: int(max(16<<20, l.budgetOfLines()/8))}
	kind := l.rows
	if kind == "" {
		kind = kindOfTable(l.files[0])
	}
	if kind == "" && l.spec.Separator < 0 && l.heading < 0 {
		if kind, err = l.kindByContent(); err != nil {
			return err
		}
	}
	switch kind {
	case "jsonl":
		return l.openJSON(keys)
	case "tsv":
		o.Separator, o.Sure = '\t', true
	case "csv":
		o.Sure = true
	}
	if l.spec.Separator >= 0 {
		o.Separator, o.Sure = byte(l.spec.Separator), true
	}
	if bytes.IndexByte([]byte("\"\n\r\x00"), o.Separator) >= 0 && l.spec.Separator >= 0 {
		return usageOfLines("-t %q: that cannot be between the fields of a table", o.Separator)
	}
	if l.csv, err = csvkey.Open(l.inputs, o); err != nil {
		return err
	}
	l.inputs, l.format, l.first, l.sample = l.csv.Inputs, l.csv.Format, l.csv.First, l.csv.Sample
	return nil
}

// kindByContent tells JSON Lines by the brace that the first input begins with.
func (l *lineSort) kindByContent() (kind string, err error) {
	var head []byte
	for i, in := range l.inputs {
		if head, l.inputs[i], err = run.Peek(in, lookBytes); err != nil {
			return "", err
		}
		if text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(run.Mark)), " \t\r\n"); len(text) > 0 {
			if text[0] == '{' {
				return "jsonl", nil
			}
			break
		}
	}
	return "", nil
}

// openJSON takes the rows for JSON Lines.
func (l *lineSort) openJSON(keys []by.Key) (err error) {
	switch {
	case l.spec.Separator >= 0:
		return usageOfLines("-t is of CSV: JSON Lines have no separator")
	case l.heading > 0:
		return usageOfLines("--header is of CSV and lines: JSON Lines have no heading")
	}
	l.jsonl = jsonkey.New(keys)
	l.format = l.jsonl
	return l.behead(run.Heading{Format: l.jsonl})
}

// kindOfTable is the format that a name says; compressed files have it before the last
// ending.
func kindOfTable(name string) string {
	if k := columns.ByOutput(name); k.Text() {
		return tableKinds[k-columns.CSV]
	}
	return ""
}

// behead takes the heading of the first input that is not empty off all of them.
func (l *lineSort) behead(h run.Heading) (err error) {
	l.first, l.sample, err = h.OffAll(l.inputs, l.inputName)
	return err
}

// inputName is what messages call an input.
func (l *lineSort) inputName(i int) string { return saidInput(l.files[i]) }

// ofRow names the input of an error about a row.
func (l *lineSort) ofRow(err error) error {
	var e *run.RowError
	if errors.As(err, &e) {
		what := "row"
		if l.jsonl != nil {
			what = "line"
		}
		return fmt.Errorf("%s: %s %d: %w", l.inputName(e.Input), what, e.Row, e.Err)
	}
	return err
}

// tellOdd says what did not fit the guesses.
func (l *lineSort) tellOdd() {
	if l.csv == nil {
		return
	}
	for _, c := range l.csv.Columns {
		if text, any := c.Odd(); any {
			fmt.Fprintf(l.err, "sort: column %s: not all values are of kind %v, as the first ones are: %s and its like stand beside empty ones; --by %s:text orders all as text, %s:%v refuses them\n",
				c.Title, c.Kind, by.Shorten([]byte(text)), c.Name, c.Name, c.Kind)
		}
	}
}

package cli

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/by"
)

// rowsName is what is sorted.
func (l *lineSort) rowsName() string {
	switch {
	case l.ofTable():
		return "rows"
	case l.ofRecords():
		return "records"
	}
	return "lines"
}

// runExplain says what would be sorted by what, and how, and sorts nothing.
func (l *lineSort) runExplain() error {
	say := func(format string, args ...any) { fmt.Fprintf(l.out, format+"\n", args...) }
	switch {
	case l.csv != nil:
		say("%s", strings.Join(l.explainCSV(), "\n"))
	case l.jsonl != nil:
		say("%s", strings.Join(l.explainJSON(), "\n"))
	case l.ofRecords():
		say("records of %d bytes", l.records.Size)
	default:
		say("lines of text, in the order of sort(1) in the C locale")
	}
	o := l.options()
	memory := "memory: up to " + units.Bytes(o.Budget)
	switch size := l.size(); {
	case size < 0:
		say("%s; the size of the input is not known: what does not fit goes to temporary files", memory)
	case l.merge:
		say("%s; %s are merged", memory, units.Bytes(uint64(size)))
	case o.Runs(size, l.sample) == 1:
		say("%s; %s are sorted in memory", memory, units.Bytes(uint64(size)))
	default:
		say("%s; %s are sorted in some %d runs, which go to temporary files and are merged", memory, units.Bytes(uint64(size)), o.Runs(size, l.sample))
	}
	return nil
}

// tied is how rows of tables are ordered besides.
const tied = "rows whose keys tie keep their order"

// explainCSV says how a table is written and what orders it.
func (l *lineSort) explainCSV() (lines []string) {
	t := l.csv
	heading := "no heading"
	switch {
	case t.Heading == 1:
		heading = "the first row is the heading"
	case t.Heading > 1:
		heading = fmt.Sprintf("the first %d rows are the heading", t.Heading)
	}
	lines = append(lines, fmt.Sprintf("CSV with %q between fields, %s", t.Separator, heading))
	for i, c := range t.Columns {
		what := fmt.Sprintf("key %d: column %d", i+1, c.Place+1)
		if t.Heading > 0 {
			what += " " + c.Title
		}
		lines = append(lines, what+", "+explainKey(c.Key, c.Guessed))
	}
	if to := l.toColumns(); to != columns.None && l.merge {
		lines = append(lines, fmt.Sprintf("output: %v, of text where --types and --by say no type", to))
	} else if to != columns.None {
		lines = append(lines, fmt.Sprintf("output: %v; a column has the type that gives all of its values back, unless --types or --by says one", to))
	}
	return append(lines, tied)
}

// explainJSON says what orders rows of JSON.
func (l *lineSort) explainJSON() (lines []string) {
	lines = append(lines, "JSON Lines: one value a line")
	for i, k := range l.jsonl.Keys {
		lines = append(lines, fmt.Sprintf("key %d: %s, %s", i+1, k.Name, explainKey(k, false)))
	}
	return append(lines, tied)
}

// explainKey says how the values of a column are compared.
func explainKey(c by.Key, guessed bool) string {
	words := []string{c.Kind.String()}
	if c.Kind == by.Guess {
		words[0] = "values of any kind"
	}
	if c.Layout != "" {
		words[0] += " as " + c.Layout
	}
	if guessed {
		words[0] += " (guessed)"
	}
	direction, nulls := "ascending", "last"
	if c.Desc {
		direction = "descending"
	}
	if c.NullsFirst {
		nulls = "first"
	}
	return strings.Join(append(words, direction, "empty values "+nulls), ", ")
}

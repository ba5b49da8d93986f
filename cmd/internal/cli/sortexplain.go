package cli

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/by"
)

// rowsName is what is sorted.
func (l *lineSort) rowsName() string {
	if l.ofTable() {
		return "rows"
	}
	return "lines"
}

// runExplain says what would be sorted by what, and how, and sorts nothing.
func (l *lineSort) runExplain() error {
	say := func(format string, args ...any) { fmt.Fprintf(l.out, format+"\n", args...) }
	if l.table == nil {
		say("lines of text, in the order of sort(1) in the C locale")
	} else {
		for _, line := range l.explainTable() {
			say("%s", line)
		}
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

// explainTable says how a table is written and what orders it.
func (l *lineSort) explainTable() (lines []string) {
	t := l.table
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
		lines = append(lines, what+", "+explainKey(c.Column))
	}
	return append(lines, "rows whose keys tie keep their order")
}

// explainKey says how the values of a column are compared.
func explainKey(c *by.Column) string {
	words := []string{c.Kind.String()}
	if c.Layout != "" {
		words[0] += " as " + c.Layout
	}
	if c.Guessed {
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

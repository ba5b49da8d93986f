package cli

import (
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/key/by"
)

// NewColumns writes rows of text as columns, where OpenTables is not nil.
var NewColumns func(w io.Writer, text *columns.Text, o columns.Options) io.WriteCloser

// toColumns is the kind of file of columns that rows of text are written as, if the name of
// the output says so.
func (s *sortCmd) toColumns() columns.Kind {
	if !s.ofTable() {
		return columns.None
	}
	return columns.ByName(s.output)
}

// settleColumns settles the types of rows of text that become columns.
func (l *lineSort) settleColumns() error {
	if l.toColumns() == columns.None {
		return nil
	}
	if err := l.toColumns().Compresses(l.packing); err != nil {
		return usageError{err, "gpusort sort"}
	}
	said, err := l.saidTypes()
	if err != nil {
		return usageError{fmt.Errorf("--types: %w", err), "gpusort sort"}
	}
	l.text = columns.NewText(l.csv.Format, l.csv.Names, said, !l.merge)
	l.format = l.text
	return nil
}

// columnsTo has what is written to a sink become columns.
func (l *lineSort) columnsTo(s *sink) {
	o := columns.Options{Options: l.runOptions(), Compression: l.packing, GroupRows: l.group, As: l.toColumns()}
	w := NewColumns(s.Writer, l.text, o)
	s.Writer, s.pack = w, w
}

// saidTypes are the kinds of columns that --types says, or else --by, by place.
func (l *lineSort) saidTypes() (map[int]by.Key, error) {
	said := map[int]by.Key{}
	for _, c := range l.csv.Columns {
		if !c.Guessed && c.Kind != by.Number {
			said[c.Place] = c.Key
		}
	}
	if l.types == "" {
		return said, nil
	}
	keys, err := by.Parse(l.types, by.Key{})
	if err != nil {
		return nil, err
	}
	var rest *by.Key
	for i, k := range keys {
		switch {
		case k.Kind == by.Number:
			return nil, fmt.Errorf("column %s: number says how values compare, not what they are: say one of i64, u64 and f64", k.Name)
		case k.Kind == by.Guess:
			return nil, fmt.Errorf("column %s has no type: add one of i64, u64, f64, text, bool, date and time", k.Name)
		case k.Name == "*":
			rest = &keys[i]
			continue
		}
		place, err := k.Find(l.csv.Names)
		if err != nil {
			return nil, err
		}
		said[place] = k
	}
	for place := range l.csv.Names {
		if _, ok := said[place]; rest != nil && !ok {
			said[place] = *rest
		}
	}
	return said, nil
}

package table

import (
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/by"
)

// Explain says what would be sorted and by what. It returns the error of a sort that would not
// begin.
func (t *Table) Explain(o Options) (lines []string, err error) {
	if err := t.orderBy(o.By); err != nil {
		return nil, err
	}
	o = o.complete()
	out, err := t.sink(io.Discard, o, o.groupBytes())
	if err != nil {
		return nil, err
	}
	out.stop()
	files := "1 file"
	if n := len(t.Names); n > 1 {
		files = units.Count(n) + " files"
	}
	rows := "rows that only reading will count"
	if n := t.Rows(); n >= 0 {
		rows = units.Count(n) + " rows"
	}
	lines = append(lines, fmt.Sprintf("%s of %v, %s of %d columns", files, t.Kind(), rows, len(t.Columns())))
	for i := range t.keys() {
		lines = append(lines, fmt.Sprintf("key %d: %s", i+1, t.describe(i)))
	}
	return append(lines, "rows whose keys tie keep their order"), nil
}

// wordsOf says the direction of a key.
func wordsOf(k by.Key) string {
	direction, nulls := "ascending", "last"
	if k.Desc {
		direction = "descending"
	}
	if k.NullsFirst {
		nulls = "first"
	}
	return direction + ", missing values " + nulls
}

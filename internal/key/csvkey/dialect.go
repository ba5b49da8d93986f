package csvkey

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/key/by"
)

// dialect is one way to read a sample.
type dialect struct {
	separator byte
	heading   int
	rows      [][][]byte // the fields of each row
	ends      []uint32   // of rows in the sample
	named     bool       // the columns that keys name are in the heading
	even      bool       // all rows have as many fields, two at least
}

// likeness rows are those that tell how a table is written. All of a sample tell types.
const likenessRows = 200

// separators are those that are guessed, the most likely first.
var separators = []byte{',', '\t', ';', '|'}

// dialect finds the separator: that in whose heading the keys' names are, else that by which
// all rows have as many fields, and the most.
func (t *Table) dialect(text []byte, whole bool) (*dialect, error) {
	try := separators
	if t.Separator != 0 {
		try = []byte{t.Separator}
	}
	var best *dialect
	for _, s := range try {
		d := read(text, s, whole, likenessRows)
		if len(d.rows) == 0 {
			continue
		}
		d.judge(t.Options)
		if best == nil || d.better(best) {
			best = d
		}
	}
	switch {
	case best == nil:
		return nil, fmt.Errorf("its first row is not whole within %d KiB: is it CSV?", len(text)>>10)
	case !t.Sure && !best.named && (!best.even || len(best.rows) < 2):
		return nil, errors.New("this does not look like a table: give --format csv or jsonl, and for CSV perhaps -t and the separator")
	}
	d := read(text, best.separator, whole, -1)
	d.heading = best.heading
	return d, nil
}

// read reads at most so many rows of a sample.
func read(text []byte, separator byte, ended bool, most int) *dialect {
	d := &dialect{separator: separator}
	d.ends = split(text[:wholeBytes(text, separator, ended)], separator, nil)
	if most >= 0 && len(d.ends) > most {
		d.ends = d.ends[:most]
	}
	from := uint32(0)
	for _, end := range d.ends {
		d.rows = append(d.rows, fields(text[from:end], separator))
		from = end
	}
	return d
}

// fields returns all fields of a row without their quotes. What is wrong with a row is told
// when it is sorted.
func fields(row []byte, separator byte) (all [][]byte) {
	row = bytes.TrimSuffix(bytes.TrimSuffix(row, []byte{'\n'}), []byte{'\r'})
	for at := 0; at <= len(row); {
		text, next, err := field(row, at, separator)
		if err != nil {
			end := index(row, at, separator)
			text, next = row[at:end], end+1
		} else if len(text) > 0 && text[0] == quote {
			text = bytes.ReplaceAll(text[1:len(text)-1], []byte(`""`), []byte(`"`))
		}
		all = append(all, text)
		at = next
	}
	return all
}

// judge settles the heading and how likely the dialect is.
func (d *dialect) judge(o Options) {
	first := d.rows[0]
	d.even = len(first) > 1
	for _, r := range d.rows {
		blank := len(r) == 1 && len(r[0]) == 0
		d.even = d.even && (blank || len(r) == len(first))
	}
	names, asked := d.names(1), false
	d.named = true
	for _, k := range o.Keys {
		if k.Number == 0 {
			_, err := k.Find(names)
			asked, d.named = true, d.named && err == nil
		}
	}
	d.named = d.named && asked && o.Heading != 0
	switch {
	case o.Heading >= 0:
		d.heading = o.Heading
	case asked || d.looksLikeHeading():
		d.heading = 1
	}
}

// looksLikeHeading reports whether the first row has texts alone, which are names in all of
// its fields, or one of which stands above values of another kind: then names may be missing,
// or the same.
func (d *dialect) looksLikeHeading() bool {
	seen, named := map[string]bool{}, true
	for _, text := range d.rows[0] {
		var g by.Guesser
		if g.Add(text); g.Kind() != by.Text {
			return false
		}
		name := strings.TrimSpace(string(text))
		named = named && name != "" && !seen[name]
		seen[name] = true
	}
	for i, text := range d.rows[0] {
		if named || len(bytes.TrimSpace(text)) > 0 && d.kind(i, 1) != by.Text {
			return true
		}
	}
	return false
}

// better reports whether d is more likely than e.
func (d *dialect) better(e *dialect) bool {
	switch {
	case d.named != e.named:
		return d.named
	case d.even != e.even:
		return d.even
	}
	return d.even && len(d.rows[0]) > len(e.rows[0])
}

// names are the fields of the first row, or their numbers if there is no heading.
func (d *dialect) names(heading int) []string {
	names := make([]string, len(d.rows[0]))
	for i, text := range d.rows[0] {
		if names[i] = string(text); heading == 0 {
			names[i] = strconv.Itoa(i + 1)
		}
	}
	return names
}

// kind is that of a column's values in the sample.
func (d *dialect) kind(place, heading int) by.Kind {
	var g by.Guesser
	for _, r := range d.rows[min(heading, len(d.rows)):] {
		if place < len(r) {
			g.Add(r[place])
		}
	}
	return g.Kind()
}

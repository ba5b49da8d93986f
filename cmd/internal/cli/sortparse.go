package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
)

// sortMode is what is sorted.
type sortMode uint8

const (
	modeLines   sortMode = 1 << iota
	modeRecords          // of one length
	modeTable            // rows of CSV, TSV or JSON Lines
	modeColumns          // Parquet or Arrow
	modeNumbers
	modeText  = modeLines | modeTable
	modeRows  = modeTable | modeColumns // with columns
	modeBytes = modeText | modeRecords
	modeNamed = modeBytes | modeColumns // all but numbers
)

// String names what is sorted.
func (m sortMode) String() string {
	if m&modeRows == modeRows {
		return strings.TrimPrefix((m&^modeRows).String()+", columns", ", ")
	}
	var all []string
	for i, name := range []string{"lines", "records", "rows of CSV, TSV and JSON Lines", "rows of Parquet and Arrow", "numbers"} {
		if m>>i&1 == 1 {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

// modesOf says what flags are of. Those that are not here are of everything.
var modesOf = map[string]sortMode{
	"ignore-leading-blanks": modeLines, "dictionary-order": modeLines, "ignore-case": modeLines, "general-numeric-sort": modeLines,
	"human-numeric-sort": modeLines, "ignore-nonprinting": modeLines, "month-sort": modeLines, "numeric-sort": modeLines, "random-sort": modeLines,
	"version-sort": modeLines, "sort": modeLines, "random-source": modeLines, "zero-terminated": modeLines, "debug": modeLines,
	"key": modeLines | modeRecords, "unique-by": modeLines | modeRecords, "record": modeRecords,
	"field-separator": modeText, "header": modeText, "count": modeText, "merge": modeBytes, "split": modeBytes,
	"by": modeRows, "nulls": modeRows, "compression": modeColumns, "row-group": modeColumns, "types": modeColumns, "nan": modeRows | modeNumbers,
	"unique": modeNamed, "top": modeNamed, "files0-from": modeNamed,
	"type": modeNumbers, "out-format": modeNumbers, "algo": modeNumbers, "equal-zeros": modeNumbers, "argsort": modeNumbers, "index": modeNumbers,
	"values": modeNumbers, "value-type": modeNumbers, "values-out": modeNumbers, "axis": modeNumbers, "round": modeNumbers, "loose-integers": modeNumbers,
}

// mode is what the options, or else the names of inputs, say is sorted, and which of them
// says it; 0 if only the content tells.
func (s *sortCmd) mode(options []given, files []string) (m sortMode, by string) {
	switch {
	case s.record > 0:
		return modeRecords, "--record"
	case s.rows == "lines":
		return modeLines, "--format lines"
	case s.by != "":
		return modeTable, "--by"
	case s.rows != "":
		return modeTable, "--format " + s.rows
	case s.kind.Kind != format.Auto:
		return modeNumbers, "--format " + s.kind.String()
	}
	rows := false
	for _, o := range options {
		if modesOf[o.flag.Name] == modeNumbers {
			return modeNumbers, "--" + o.flag.Name
		}
		rows = rows || !o.takes(modeNumbers)
	}
	for _, name := range files {
		if kind, _ := format.Guess(packed.Inner(name)); !rows && (kind == format.Raw || kind == format.NPY) {
			return modeNumbers, name
		}
	}
	return 0, ""
}

// modes is what an option is of.
func (o given) modes() sortMode {
	m, ok := modesOf[o.flag.Name]
	switch {
	case ok:
		return m
	case o.flag.Name != "format":
		return modeNamed | modeNumbers
	case o.value == "lines":
		return modeLines | modeRecords
	case slices.Contains(tableKinds, o.value):
		return modeTable
	}
	return modeNumbers
}

// takes reports whether an option is one of a mode.
func (o given) takes(m sortMode) bool { return o.modes()&m != 0 }

// said is how messages call an option.
func (o given) said() string {
	if o.flag.Name == "format" {
		return "--format " + o.value
	}
	return "--" + o.flag.Name
}

// refuse returns an error if an option is not of what is sorted, as by says. Of several formats
// the last one holds, so the others are of nothing.
func refuse(options []given, m sortMode, by string) error {
	for i, o := range options {
		isFormat := func(o given) bool { return o.flag.Name == "format" }
		switch {
		case o.takes(m), isFormat(o) && slices.ContainsFunc(options[i+1:], isFormat):
		case by == "":
			return usageOfLines("%s is of %v, and %v are sorted: leave it out", o.said(), o.modes(), m)
		case m&modeRows != 0 && o.modes() == modeLines:
			return usageOfLines("%s is of lines, and %s sorts %v: give a column's kind behind its name, as in --by price:number,name:text:desc", o.said(), by, m)
		default:
			return usageOfLines("%s is of %v, and %s sorts %v: leave one of them out", o.said(), o.modes(), by, m)
		}
	}
	return nil
}

// newLineSort takes the options, which are all set, for rows.
func newLineSort(s *sortCmd, files []string) (*lineSort, error) {
	l := &lineSort{sortCmd: s, files: files, delim: '\n', asIs: s.rows == "lines"}
	if s.zero {
		l.delim = 0
	}
	if s.reverse {
		l.spec.Global.Set('r')
	}
	l.records.Size = s.record
	if d := s.device; d != "auto" && d != "cpu" {
		return nil, usageOfLines("--device %s: lines are sorted on the CPU; numbers need --type", d)
	}
	if !s.names0.given {
		return l, nil
	}
	if len(files) > 0 {
		return nil, usageOfLines("extra file %q: --files0-from names all inputs", files[0])
	}
	return l, l.readNames()
}

// set sets the flags to what was given.
func set(options []given) error {
	for _, o := range options {
		if err := o.flag.Value.Set(o.value); err != nil {
			return usageError{fmt.Errorf("--%s %q: %w", o.flag.Name, o.value, err), "gpusort sort"}
		}
	}
	return nil
}

package cli

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
)

// misnamed returns an error if the name of the output says that it holds something else than
// rows of a format, which come out as they are; None is text of no known format. Columns and
// CSV are written as columns, and columns as text, if the name says so.
func (l *lineSort) misnamed(got columns.Kind) error {
	name, as := l.output, columns.ByOutput(packed.Inner(l.output))
	kind, typ := format.Guess(packed.Inner(name))
	switch {
	case l.asIs:
		return nil
	case packed.ByName(name) != packed.None && (as.Columns() || as == columns.None && got.Columns()):
		return usageOfLines("%s is named like a compressed file, but files of Parquet and Arrow are compressed inside: leave out the last ending, and choose a codec by --compression", name)
	case l.ofRecords() && l.saidRaw() && (as != columns.None || kind == format.Text):
		return l.errName(columns.None, "end it in .bin")
	case as == columns.None && kind == format.Text && got.Columns():
		return l.errName(got, "end it in .csv, .tsv, .jsonl, .parquet or .arrow")
	case as == columns.None && (kind == format.Raw || kind == format.NPY):
		if l.ofRecords() && kind == format.Raw && (typ == nil || l.records.Size%typ.Bytes() == 0) {
			return nil
		}
		remedy := "choose another name"
		if got == columns.None {
			remedy += ", or sort numbers by --type"
		}
		return l.errName(got, remedy)
	case as == got, as == columns.None, as.Text() && (got == columns.None || got.Columns()), as.Columns() && got.Columns():
		return nil
	case as.Text(), l.ofTable() && got == columns.JSON:
		return l.errName(got, "end it in "+got.Ending())
	case l.ofTable() && !l.count:
		return nil
	case l.ofTable():
		return usageOfLines("%s is named like %v, which is made without --count: choose another name, or leave it out", name, as)
	}
	return l.errName(got, "choose another name, or sort rows by --by")
}

// errName is the error of an output that is named like something else than it gets.
func (l *lineSort) errName(got columns.Kind, remedy string) error {
	gets := l.rowsName()
	if got != columns.None {
		gets += " of " + got.String()
	}
	if !l.ofTable() && !got.Columns() {
		remedy += "; --format lines writes them all the same"
	}
	return usageOfLines("%s is named like %s, but gets %s: %s", l.output, saidByName(l.output), gets, remedy)
}

// saidByName is what the name of an output says.
func saidByName(name string) string {
	kind, typ := format.Guess(packed.Inner(name))
	switch as := columns.ByOutput(packed.Inner(name)); {
	case as != columns.None:
		return as.String()
	case typ != nil:
		return fmt.Sprintf("a file of %v", *typ)
	case kind == format.NPY:
		return "a NumPy array"
	case kind == format.Text:
		return "text"
	}
	return "a file of raw numbers"
}

// saidRaw reports whether the name of the first input is one of raw data.
func (l *lineSort) saidRaw() bool {
	kind, _ := format.Guess(packed.Inner(l.files[0]))
	return kind == format.Raw
}

// saidRows is the format that --format or else the names of all inputs say, or None.
func (l *lineSort) saidRows() columns.Kind {
	for i, kind := range tableKinds {
		if l.rows == kind {
			return columns.CSV + columns.Kind(i)
		}
	}
	said := columns.None
	for i, name := range l.files {
		if k := columns.ByOutput(name); i == 0 || k == said {
			said = k
		} else {
			return columns.None
		}
	}
	return said
}

// settleName refuses an output that is misnamed, once the inputs are known.
func (l *lineSort) settleName() error {
	got := l.saidRows()
	switch {
	case l.jsonl != nil:
		got = columns.JSON
	case l.csv != nil && l.csv.Separator != '\t':
		got = columns.CSV
	case l.csv != nil && (got != columns.CSV || columns.ByOutput(l.output) != got):
		got = columns.TSV // but for one that is named like CSV and stays so
	case l.ofRecords() && got.Columns() && columns.ByOutput(l.output) != got:
		got = columns.None
	}
	return l.misnamed(got)
}

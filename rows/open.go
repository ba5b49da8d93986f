package rows

import (
	"errors"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/key/csvkey"
	"github.com/gpusort/gpusort/internal/key/jsonkey"
	"github.com/gpusort/gpusort/internal/key/linekey"
	"github.com/gpusort/gpusort/internal/key/recordkey"
	"github.com/gpusort/gpusort/internal/run"
)

// kind is what rows are.
type kind uint8

const (
	ofLines kind = iota
	ofCSV
	ofJSON
	ofRecords
)

// CSV are the rows of readers, one after another, as RFC 4180 has them: a field in quotes may
// hold separators, line breaks and, written twice, quotes. Rows end with LF or CRLF; they are
// written as they were read. What separates fields is guessed unless Separator says it. Their
// order is that of ByColumns. All readers begin with the same heading, or none does.
func CSV(readers ...io.Reader) Source {
	s := Lines(readers...)
	s.kind = ofCSV
	return s
}

// JSONLines are the lines of readers, each of which is a JSON value. They are written as they
// were read. Their order is that of ByColumns.
func JSONLines(readers ...io.Reader) Source {
	s := Lines(readers...)
	s.kind = ofJSON
	return s
}

// Records are the rows of readers, one after another, that all have the length of RecordSize.
func Records(readers ...io.Reader) Source {
	s := Lines(readers...)
	s.kind = ofRecords
	return s
}

// inputName is what errors call a reader.
func inputName(i int) string { return fmt.Sprintf("input %d", i+1) }

// opened is how rows of sources are sorted.
type opened struct {
	options run.Options
	kind    kind
	inputs  [][]run.Input // without their headings
	heading run.Heading   // that all of them have; without a Format none is looked for
	pulled  []*pulled     // among the inputs, some of which may never be closed
}

// close ends all iterators.
func (o *opened) close() {
	for _, p := range o.pulled {
		defer p.Close()
	}
}

// open settles how rows of sources are sorted, and takes their headings off. It looks at no more than most
// bytes of them, or as many as their first rows have if that is 0. What is opened is to be closed.
func (s *Sorter) open(src []Source, most int) (o opened, err error) {
	settled := false
	defer func() {
		if !settled {
			o.close()
		}
	}()
	var all []run.Input
	for _, one := range src {
		switch {
		case one.inputs == nil:
			return o, errors.New("the zero Source holds no rows: use Lines, CSV, JSONLines or Records")
		case one.delim != src[0].delim || one.kind != src[0].kind:
			return o, errors.New("the sources' rows are written or end differently: give all of them the same form")
		}
		for _, in := range one.inputs {
			if one.seq != nil {
				p := &pulled{rows: one.seq}
				in, o.pulled = p.open, append(o.pulled, p)
			}
			all = append(all, in)
		}
	}
	o.options, o.kind = s.options, src[0].kind
	if err := s.fits(o.kind); err != nil {
		return o, err
	}
	if o.kind == ofCSV {
		t, err := csvkey.Open(all, csvkey.Options{Keys: s.columns, Separator: byte(max(0, s.spec.Separator)), Heading: s.heading, Sure: true, Name: inputName,
			Longest: int(max(16<<20, o.options.Budget/8)), Most: most})
		if err != nil {
			return o, err
		}
		o.options.Format, all = t.Format, t.Inputs
		o.heading = run.Heading{Format: t.Format, Rows: t.Heading, First: t.First, Most: most}
	} else if err := o.behead(s, all, src[0].delim, most); err != nil {
		return o, err
	}
	o.options.Unique = s.spec.Unique
	for _, one := range src {
		n := len(one.inputs)
		o.inputs, all = append(o.inputs, all[:n]), all[n:]
	}
	settled = true
	return o, nil
}

// fits refuses keys of another kind of rows.
func (s *Sorter) fits(kind kind) error {
	lines := len(s.spec.Keys) > 0 || s.spec.Global != linekey.Options{}
	only := s.spec.Global
	only.Reverse = false
	switch {
	case kind == ofLines && len(s.columns) > 0:
		return errors.New("ByColumns orders rows of CSV and JSONLines: lines have By")
	case (kind == ofCSV || kind == ofJSON) && (len(s.columns) == 0 || lines):
		return errors.New("By and With order lines: CSV and JSONLines have ByColumns")
	case kind == ofRecords && (s.records.Size == 0 || len(s.columns) > 0 || len(s.spec.Keys) > 0 || only != linekey.Options{}):
		return errors.New("Records need RecordSize, and are ordered by ByBytes")
	case kind != ofRecords && s.records.Size > 0:
		return errors.New("RecordSize is of Records")
	}
	return nil
}

// behead settles the format of what is no CSV, and takes headings off.
func (o *opened) behead(s *Sorter, all []run.Input, delim byte, most int) (err error) {
	switch o.kind {
	case ofJSON:
		o.options.Format = jsonkey.New(s.columns)
		o.heading = run.Heading{Format: o.options.Format, Most: most}
	case ofRecords:
		o.options.Format, o.options.Desc = s.records, s.spec.Global.Reverse
		for i, in := range all {
			all[i] = wholeRecords(in, i, s.records.Size)
		}
		return nil
	default:
		l := linekey.Lines{Schema: s.spec.Compile(), Delim: delim}
		o.options.Format, o.options.Tail, o.options.Desc = l, l.Tail(), l.Desc()
		if s.heading <= 0 {
			return nil
		}
		o.heading = run.Heading{Format: l, Rows: s.heading, Most: most}
	}
	o.heading.First, _, err = o.heading.OffAll(all, inputName)
	return err
}

// wholeRecords is an input that has to end with a record.
func wholeRecords(in run.Input, i, size int) run.Input {
	return func() (io.ReadCloser, error) {
		r, err := in()
		if err != nil {
			return nil, err
		}
		return &recordkey.Reader{ReadCloser: r, Name: inputName(i), Size: size}, nil
	}
}

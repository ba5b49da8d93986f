package rows

import (
	"errors"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/key/csvkey"
	"github.com/gpusort/gpusort/internal/key/jsonkey"
	"github.com/gpusort/gpusort/internal/key/linekey"
	"github.com/gpusort/gpusort/internal/run"
)

// kind is what rows are.
type kind uint8

const (
	ofLines kind = iota
	ofCSV
	ofJSON
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

// inputName is what errors call a reader.
func inputName(i int) string { return fmt.Sprintf("input %d", i+1) }

// open settles how rows of sources are sorted, and takes their headings off.
func (s *Sorter) open(src []Source, dst Sink) (o run.Options, inputs [][]run.Input, w *run.Headed, err error) {
	fail := func(err error) (run.Options, [][]run.Input, *run.Headed, error) { return o, nil, nil, err }
	var all []run.Input
	for _, one := range src {
		switch {
		case one.inputs == nil || dst.w == nil:
			return fail(errors.New("the zero Source and Sink hold no rows: use Lines, CSV or JSONLines, and LinesTo"))
		case one.delim != src[0].delim || one.kind != src[0].kind:
			return fail(errors.New("the sources' rows are written or end differently: give all of them the same form"))
		}
		all = append(all, one.inputs...)
	}
	o, w = s.options, &run.Headed{W: dst.w}
	lines := len(s.spec.Keys) > 0 || s.spec.Global != linekey.Options{}
	switch kind := src[0].kind; {
	case kind == ofLines && len(s.columns) > 0:
		return fail(errors.New("ByColumns orders rows of CSV and JSONLines: lines have By"))
	case kind != ofLines && (len(s.columns) == 0 || lines):
		return fail(errors.New("By and With order lines: CSV and JSONLines have ByColumns"))
	case kind == ofCSV:
		var t *csvkey.Table
		t, err = csvkey.Open(all, csvkey.Options{Keys: s.columns, Separator: byte(max(0, s.spec.Separator)), Heading: s.heading, Sure: true, Name: inputName,
			Longest: int(max(16<<20, o.Budget/8))})
		if err == nil {
			o.Format, w.First, all = t.Format, t.First, t.Inputs
		}
	case kind == ofJSON:
		o.Format = jsonkey.New(s.columns)
		w.First, _, err = run.Heading{Format: o.Format}.OffAll(all, inputName)
	default:
		l := linekey.Lines{Schema: s.spec.Compile(), Delim: src[0].delim}
		o.Format, o.Tail, o.Desc = l, l.Tail(), l.Desc()
		if s.heading > 0 {
			w.First, _, err = run.Heading{Format: l, Rows: s.heading}.OffAll(all, inputName)
		}
	}
	if err != nil {
		return fail(err)
	}
	o.Unique = s.spec.Unique
	for _, one := range src {
		n := len(one.inputs)
		inputs, all = append(inputs, all[:n]), all[n:]
	}
	return o, inputs, w, nil
}

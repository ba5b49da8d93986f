package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/outfile"
	"github.com/gpusort/gpusort/cmd/internal/packed"
)

// sink is where data go: a file that replaces the old one when complete, or
// standard output.
type sink struct {
	io.Writer
	file *outfile.File // nil for standard output
	pack io.Closer     // ends what is packed on its way; or nil
}

// create opens an output; "" and "-" are standard output, which takes binary
// data only if it is no terminal.
func (a *app) create(name string, kind format.Kind) (*sink, error) {
	return a.createOr(name, kind, "give -o FILE")
}

// createOr is create with what the command's user may do if it is one.
func (a *app) createOr(name string, kind format.Kind, remedy string) (*sink, error) {
	if name == "" || name == "-" {
		if a.outTerm && kind != format.Text {
			return nil, fmt.Errorf("%v data are not for a terminal: %s", kind, remedy)
		}
		return &sink{Writer: a.out}, nil
	}
	f, err := outfile.Create(a.ctx, name)
	if err != nil {
		return nil, err
	}
	if f.Direct() {
		return &sink{Writer: begins{f, &a.begun}, file: f}, nil
	}
	return &sink{Writer: f, file: f}, nil
}

// createPacked is createOr for what is compressed if the name says so.
func (a *app) createPacked(name string, kind format.Kind, remedy string) (*sink, error) {
	k := packed.ByName(name)
	s, err := a.createOr(name, kind, remedy)
	if err != nil || k == packed.None {
		return s, err
	}
	w, err := packed.NewWriter(k, s.Writer)
	if err != nil {
		s.discard()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.Writer, s.pack = w, w
	return s, nil
}

// creatable returns the error that creating a file would return, for what is to be told
// without writing it. What a terminal takes is another matter: the sort may go elsewhere.
func (a *app) creatable(name string, packs bool) error {
	if name == "" || name == "-" {
		return nil
	}
	if k := packed.ByName(name); packs && k != packed.None {
		if _, err := packed.NewWriter(k, io.Discard); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return outfile.Creatable(a.ctx, name)
}

// writeTo creates an output, has it written and completes it.
func (a *app) writeTo(name string, kind format.Kind, write func(io.Writer) error) error {
	out, err := a.create(name, kind)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := write(out); err != nil {
		return err
	}
	return out.commit()
}

// writing begins the phase in which bytes go to s. Where they appear on a terminal
// there is no bar any more, for it would clear lines of them.
func (a *app) writing(p *progress, s *sink, bytes int64) func(int64) {
	if s.file == nil && a.outTerm {
		p.close()
		return func(int64) {}
	}
	return p.phase("writing", bytes)
}

// phases are those of package run for a sort that writes to s.
func (a *app) phases(p *progress, s *sink) func(name string, bytes int64) func(int64) {
	return func(name string, bytes int64) func(int64) {
		if name == "writing" || name == "merging" {
			return a.writing(p, s, bytes)
		}
		return p.phase(name, bytes)
	}
}

// written gives back the room on the disk that a file has behind its end. What is packed may still
// grow.
func (s *sink) written() error {
	if s.file == nil || s.pack != nil {
		return nil
	}
	return s.file.Trim()
}

func (s *sink) commit() error {
	if s.pack != nil {
		if err := s.pack.Close(); err != nil {
			return err
		}
	}
	if s.file == nil {
		return nil
	}
	return s.file.Commit()
}

// discard gives an uncommitted file up.
func (s *sink) discard() {
	if s != nil && s.file != nil {
		s.file.Discard()
	}
}

// printJSON writes v indented.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// newTable makes a table that prints to standard output, no wider than the terminal; the
// columns named by right, from 1, are aligned right.
func (a *app) newTable(header table.Row, right ...int) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(a.out)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	if a.color {
		style.Color.Header = text.Colors{text.Bold}
	}
	t.SetStyle(style)
	f := &fitted{Writer: t, right: right, above: func(line string) { fmt.Fprintln(a.out, line) }}
	if a.outWidth != nil {
		f.width = a.outWidth()
	}
	if header != nil {
		f.AppendHeader(header)
	}
	return f
}

// printTable prints rows of text, of which the first is the heading. Columns first to last, from 1,
// are aligned right.
func (a *app) printTable(rows [][]string, first, last int) {
	var right []int
	for n := first; n <= last; n++ {
		right = append(right, n)
	}
	cells := func(row []string) (out table.Row) {
		for _, c := range row {
			out = append(out, c)
		}
		return out
	}
	t := a.newTable(cells(rows[0]), right...)
	for _, row := range rows[1:] {
		t.AppendRow(cells(row))
	}
	t.Render()
}

package csvkey

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// Options say what is known of a table.
type Options struct {
	Keys      []by.Key
	Separator byte // between fields; 0: to be guessed
	Heading   int  // rows that are no data, the first of which names the columns; −1: to be guessed
	Sure      bool // it is CSV whatever it looks like
	// Name returns what messages call an input.
	Name func(input int) string
	// Longest is the most bytes of a field in quotes; 0: 16 MiB. Without a bound, a quote that
	// nothing closes would take in all that follows.
	Longest int
	// Most is the most bytes of the first input that are looked at; 0: as many as a row may have.
	Most int
}

// Table is what was found out of the inputs, and how to sort them.
type Table struct {
	Options
	Format  *Format
	Names   []string // of the columns, as the first row's fields; their numbers if there is no heading
	First   []byte   // what the output begins with: byte-order mark and heading of the first input
	Columns []Column // that order rows
	Sample  []byte   // the first rows, the last of which may be cut off
	Inputs  []run.Input
}

// Open looks at the first input that is not empty, and takes the headings off all of them.
// It opens inputs up to that one.
func Open(inputs []run.Input, o Options) (*Table, error) {
	t := &Table{Options: o, Inputs: append([]run.Input(nil), inputs...)}
	if t.Longest == 0 {
		t.Longest = 16 << 20
	}
	if t.Most == 0 {
		t.Most = t.Longest
	}
	for i, in := range inputs {
		var sample []byte
		var whole bool
		var err error
		if sample, whole, t.Inputs[i], err = run.PeekUntil(in, run.SampleBytes, t.Most, t.tells); err != nil {
			return nil, err
		}
		if string(sample) == run.Mark { // there is nothing behind it
			t.First, sample, t.Inputs[i] = sample, nil, run.Heading{}.Off(t.Inputs[i], o.Name(i))
		}
		if len(sample) > 0 {
			if err := t.look(sample, whole); err != nil {
				return nil, fmt.Errorf("%s: %w", o.Name(i), err)
			}
			h := run.Heading{Format: t.Format, Rows: t.Heading, First: t.First, Most: t.Most}
			for k := range t.Inputs[i:] {
				t.Inputs[i+k] = h.Off(t.Inputs[i+k], o.Name(i+k))
			}
			return t, nil
		}
	}
	t.Heading = 0 // there are no rows
	t.Format = &Format{separator: t.Separator, newline: []byte{'\n'}, longest: t.Longest}
	for _, k := range o.Keys {
		t.Format.columns = append(t.Format.columns, Column{Column: by.NewColumn(k, false), Title: k.Name})
	}
	t.Columns = t.Format.columns
	return t, nil
}

// tells reports whether a sample tells how the table is written, and has a whole row behind the heading.
func (t *Table) tells(sample []byte) bool {
	d, err := t.dialect(bytes.TrimPrefix(sample, []byte(run.Mark)), false)
	return err == nil && len(d.rows) > d.heading
}

// look finds out how rows are written, from the beginning of an input, and which columns are
// the keys.
func (t *Table) look(sample []byte, whole bool) error {
	text := bytes.TrimPrefix(sample, []byte(run.Mark))
	if i := bytes.IndexByte(text, '\r'); i >= 0 && bytes.IndexByte(text, '\n') < 0 && i < len(text)-1 {
		return errors.New("its rows end with CR alone: write line feeds, as tr '\\r' '\\n' does")
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return errors.New("it is written in UTF-16: write UTF-8, as iconv -f UTF-16 -t UTF-8 does")
	}
	d, err := t.dialect(text, whole)
	if err != nil {
		return err
	}
	t.Separator, t.Heading = d.separator, d.heading
	f := &Format{separator: t.Separator, newline: []byte{'\n'}, longest: t.Longest}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		f.newline = []byte("\r\n")
	}
	t.Names = d.names(t.Heading)
	h := run.Heading{Format: f, Rows: t.Heading, Most: t.Most}
	if t.First, err = h.Of(sample, whole); err != nil {
		return err
	}
	t.Sample = sample[min(len(t.First), len(sample)):]
	for i, k := range t.Keys {
		place, err := k.Find(t.Names)
		if err != nil && k.Number == 0 && t.Heading == 0 {
			err = fmt.Errorf("there is no heading (--header 0) to find column %q in: give its number", k.Name)
		}
		if err != nil {
			return err
		}
		guessed := k.Kind == by.Guess
		if guessed {
			k.Kind = d.kind(place, t.Heading)
		}
		title := fmt.Sprint(place + 1)
		if t.Heading > 0 {
			title = t.Names[place]
		}
		f.columns = append(f.columns, Column{by.NewColumn(k, guessed), place, title})
		f.want(place, i)
	}
	t.Format, t.Columns = f, f.columns
	return nil
}

// want adds a field that is a key.
func (f *Format) want(place, key int) {
	i := len(f.wants)
	for i > 0 && f.wants[i-1].place > place {
		i--
	}
	f.wants = append(f.wants, want{})
	copy(f.wants[i+1:], f.wants[i:])
	f.wants[i] = want{place, key}
}

// wholeBytes is how many bytes of text are whole rows, all of them where the input ends.
func wholeBytes(text []byte, separator byte, ended bool) int {
	n, _ := cut(text, separator)
	if ended {
		n = len(text)
	}
	return n
}

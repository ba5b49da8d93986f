// Package rows sorts rows of any amount within a budget of memory: what does not fit
// goes to temporary files. Rows are lines of text; their order is that of sort(1) in the
// C locale.
//
//	s, err := rows.New(rows.Budget(256<<20), rows.By("2,2n", "1,1"))
//	…
//	stats, err := s.Sort(ctx, rows.Lines(in), rows.LinesTo(out))
package rows

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/key/linekey"
	"github.com/gpusort/gpusort/internal/run"
)

// Sorter sorts rows. Any number of goroutines may use it.
type Sorter struct {
	spec    linekey.Spec
	options run.Options
}

// Option is a condition of a Sorter.
type Option func(*Sorter) error

// New returns a sorter. Without options it orders whole rows by their bytes.
func New(options ...Option) (*Sorter, error) {
	s := &Sorter{spec: linekey.Spec{Separator: -1}, options: run.Options{Budget: defaultBudget}}
	for _, o := range options {
		if err := o(s); err != nil {
			return nil, fmt.Errorf("rows: New: %w", err)
		}
	}
	if err := s.spec.Check(); err != nil {
		return nil, fmt.Errorf("rows: New: %w", err)
	}
	return s, nil
}

// defaultBudget is the memory that a sort takes where none is given.
const defaultBudget = 1 << 30

// Budget is the most memory in bytes that a sort takes, apart from what the program has
// already; the default is 1 GiB. What is less than works, some 24 MiB, is raised. Tables
// that grow with the rows lie outside of Go's heap; buffers within it are collected in time
// if the program calls debug.SetMemoryLimit.
func Budget(bytes uint64) Option {
	return func(s *Sorter) error { s.options.Budget = bytes; return nil }
}

// By orders rows by keys, as -k of sort(1) has them: F[.C][OPTS][,F[.C][OPTS]]. The
// letters OPTS are among bdfghiMnrV. Rows whose keys tie are ordered by all of their bytes.
func By(keys ...string) Option {
	return func(s *Sorter) error {
		for _, text := range keys {
			k, err := linekey.ParseKey(text)
			if err != nil {
				return err
			}
			s.spec.Keys = append(s.spec.Keys, k)
		}
		return nil
	}
}

// With sets options of sort(1) that hold for keys without letters, such as "nr".
func With(letters string) Option {
	return func(s *Sorter) error {
		for _, c := range []byte(letters) {
			if !s.spec.Global.Set(c) {
				return fmt.Errorf("With: %q is no option: there are bdfghiMnRrV", c)
			}
		}
		return nil
	}
}

// Separator is the byte between fields. Without it a field begins with the blanks before
// it.
func Separator(b byte) Option {
	return func(s *Sorter) error { s.spec.Separator = int(b); return nil }
}

// Stable keeps rows whose keys tie in their order.
func Stable() Option {
	return func(s *Sorter) error { s.spec.Stable = true; return nil }
}

// Unique keeps the first of rows whose keys tie.
func Unique() Option {
	return func(s *Sorter) error { s.spec.Unique = true; return nil }
}

// TempDirs are the folders of temporary files, which are used in turn; the default is
// os.TempDir.
func TempDirs(dirs ...string) Option {
	return func(s *Sorter) error { s.options.Temp = dirs; return nil }
}

// Workers is how many goroutines work at a time; the default is one a processor.
func Workers(n int) Option {
	return func(s *Sorter) error {
		if n < 1 {
			return fmt.Errorf("Workers(%d): give at least 1", n)
		}
		s.options.Workers = n
		return nil
	}
}

// Stats is what a sort did.
type Stats struct {
	Rows, Bytes int64 // read
	Written     int64 // rows
	Runs        int   // sorted in memory, one after another
	Spilled     int64 // bytes of temporary files
	Passes      int   // merges that a row went through, at most
}

// Sort writes the rows of src to dst in order. After an error, that of ctx among them,
// dst has got a part of the rows or none.
func (s *Sorter) Sort(ctx context.Context, src Source, dst Sink) (Stats, error) {
	o, err := s.formatted(src, dst)
	if err != nil {
		return Stats{}, err
	}
	return done(run.Sort(ctx, o, src.inputs, -1, dst.w))
}

// Merge writes the rows of sources, each of which is in order, to dst in order.
func (s *Sorter) Merge(ctx context.Context, dst Sink, src ...Source) (Stats, error) {
	var inputs [][]run.Input
	var o run.Options
	for i, one := range src {
		if i > 0 && one.delim != src[0].delim {
			return Stats{}, errors.New("rows: Merge: the sources' rows end with different bytes")
		}
		var err error
		if o, err = s.formatted(one, dst); err != nil {
			return Stats{}, err
		}
		inputs = append(inputs, one.inputs)
	}
	if len(src) == 0 {
		return Stats{}, nil
	}
	return done(run.Merge(ctx, o, inputs, dst.w))
}

// formatted are the options for rows as src has them.
func (s *Sorter) formatted(src Source, dst Sink) (run.Options, error) {
	if src.inputs == nil || dst.w == nil {
		return run.Options{}, errors.New("rows: the zero Source and Sink hold no rows: use Lines and LinesTo")
	}
	l := linekey.Lines{Schema: s.spec.Compile(), Delim: src.delim}
	o := s.options
	o.Format, o.Tail, o.Desc, o.Unique = l, l.Tail(), l.Desc(), s.spec.Unique
	return o, nil
}

func done(st run.Stats, err error) (Stats, error) {
	if err != nil {
		err = fmt.Errorf("rows: %w", err)
	}
	return Stats{st.Rows, st.Bytes, st.RowsOut, st.Runs, st.Spilled, st.Passes}, err
}

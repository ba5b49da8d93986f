// Package rows sorts rows of any amount within a budget of memory: what does not fit
// goes to temporary files. Rows are lines of text, whose order is that of sort(1) in the
// C locale, or those of CSV and JSON Lines, which are ordered by columns.
//
//	s, err := rows.New(rows.Budget(256<<20), rows.By("2,2n", "1,1"))
//	…
//	stats, err := s.Sort(ctx, rows.Lines(in), rows.LinesTo(out))
//
//	s, err := rows.New(rows.ByColumns("city,price:desc"))
//	…
//	stats, err := s.Sort(ctx, rows.CSV(in), rows.LinesTo(out))
package rows

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/key/linekey"
	"github.com/gpusort/gpusort/internal/key/recordkey"
	"github.com/gpusort/gpusort/internal/run"
)

// Sorter sorts rows. Any number of goroutines may use it.
type Sorter struct {
	spec    linekey.Spec
	named   []string // what ByColumns names
	usual   by.Key   // what columns have that their words leave open
	columns []by.Key
	records recordkey.Records
	heading int // −1 if that is not known
	options run.Options
}

// Option is a condition of a Sorter.
type Option func(*Sorter) error

// New returns a sorter. Without options it orders whole rows by their bytes.
func New(options ...Option) (*Sorter, error) {
	s := &Sorter{spec: linekey.Spec{Separator: -1}, heading: -1, options: run.Options{Budget: defaultBudget}}
	for _, o := range options {
		if err := o(s); err != nil {
			return nil, fmt.Errorf("rows: New: %w", err)
		}
	}
	if err := s.settle(); err != nil {
		return nil, fmt.Errorf("rows: New: %w", err)
	}
	return s, nil
}

// settle reads what needs all options, and refuses those that exclude each other.
func (s *Sorter) settle() error {
	for _, text := range s.named {
		k, err := by.Parse(text, s.usual)
		if err != nil {
			return fmt.Errorf("ByColumns: %w", err)
		}
		s.columns = append(s.columns, k...)
	}
	if s.records.Size > 0 {
		if err := s.records.Check(); err != nil {
			return err
		}
	} else if len(s.records.Fields) > 0 {
		return errors.New("ByBytes orders records: give their length by RecordSize")
	}
	return s.spec.Check()
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

// ByColumns orders rows of CSV and JSON Lines by columns, as --by of the command has them:
// COLUMN[:WORD]…[,COLUMN…]. A column is a name, its number from 1, or in JSON a path such as
// user.age. The words are number, i64, u64, f64, text, bool, date[=LAYOUT], time[=LAYOUT],
// zone=NAME, asc, desc, and first or last for missing values. Text that is not of the kind that
// a word says is an error. Without a word, the kind of a column of CSV is guessed from the first
// rows, and values of other kinds stand beside missing ones; JSON has kinds of its own.
// Rows whose keys tie keep their order.
func ByColumns(keys string) Option {
	return func(s *Sorter) error { s.named = append(s.named, keys); return nil }
}

// Usually is what columns have whose words leave it open: the descending order, missing values
// before all others, and NaN behind all other numbers.
func Usually(desc, nullsFirst, nanLast bool) Option {
	return func(s *Sorter) error {
		s.usual = by.Key{Desc: desc, NullsFirst: nullsFirst, NaNLast: nanLast}
		return nil
	}
}

// RecordSize is the length of the rows of Records.
func RecordSize(bytes int) Option {
	return func(s *Sorter) error {
		if bytes < 1 {
			return fmt.Errorf("RecordSize(%d): give at least 1", bytes)
		}
		s.records.Size = bytes
		return nil
	}
}

// ByBytes orders Records by parts of them, as -k of the command has those of records:
// FROM:TO[:TYPE][:desc]. Without it they are ordered by all of their bytes.
func ByBytes(keys ...string) Option {
	return func(s *Sorter) error {
		for _, text := range keys {
			f, err := recordkey.ParseField(text)
			if err != nil {
				return err
			}
			s.records.Fields = append(s.records.Fields, f)
		}
		return nil
	}
}

// Heading is how many rows each reader begins with that are not sorted: they are written once,
// before all others. The default is 0 for lines, and for CSV what the first row looks like.
func Heading(rows int) Option {
	return func(s *Sorter) error {
		if rows < 0 {
			return fmt.Errorf("Heading(%d): give at least 0", rows)
		}
		s.heading = rows
		return nil
	}
}

// Separator is the byte between fields. Without it a field of a line begins with the blanks
// before it, and that of CSV is guessed.
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

// Heap is told how many bytes Go's heap may have from now on, so that the process keeps the
// budget: a program that does nothing else gives it debug.SetMemoryLimit.
func Heap(set func(bytes int64) int64) Option {
	return func(s *Sorter) error { s.options.Heap = set; return nil }
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
//
// If a reader, a writer, an iterator or another function that the sort was given panics, Sort
// panics with the same value, whichever goroutine called it, once its goroutines have ended,
// and temporary files and memory are given back. So it is with runtime.Goexit, which testing.T.FailNow
// calls. The Sorter can be used again.
func (s *Sorter) Sort(ctx context.Context, src Source, dst Sink) (Stats, error) {
	o, w, err := s.openTo([]Source{src}, dst)
	if err != nil {
		return Stats{}, fmt.Errorf("rows: Sort: %w", err)
	}
	defer o.close()
	st, err := run.Sort(ctx, o.options, o.inputs[0], -1, w)
	return done(st, w, err)
}

// Merge writes the rows of sources, each of which is in order, to dst in order. Of panics and
// runtime.Goexit holds what Sort says.
func (s *Sorter) Merge(ctx context.Context, dst Sink, src ...Source) (Stats, error) {
	if len(src) == 0 {
		return Stats{}, nil
	}
	o, w, err := s.openTo(src, dst)
	if err != nil {
		return Stats{}, fmt.Errorf("rows: Merge: %w", err)
	}
	defer o.close()
	st, err := run.Merge(ctx, o.options, o.inputs, w)
	return done(st, w, err)
}

// openTo opens sources, and has the heading written first.
func (s *Sorter) openTo(src []Source, dst Sink) (o opened, w *run.Headed, err error) {
	if dst.w == nil {
		return o, nil, errors.New("the zero Sink takes no rows: use LinesTo")
	}
	o, err = s.open(src, 0)
	return o, &run.Headed{W: dst.w, First: o.heading.First}, err
}

// done writes the heading if there were no rows.
func done(st run.Stats, w *run.Headed, err error) (Stats, error) {
	if err == nil {
		err = w.Begin()
	}
	if err != nil {
		err = fmt.Errorf("rows: %w", err)
	}
	return statsOf(st), err
}

func statsOf(st run.Stats) Stats {
	return Stats{st.Rows, st.Bytes, st.RowsOut, st.Runs, st.Spilled, st.Passes}
}

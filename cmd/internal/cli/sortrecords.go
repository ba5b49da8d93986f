package cli

import (
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/key/linekey"
	"github.com/gpusort/gpusort/internal/key/recordkey"
	"github.com/gpusort/gpusort/internal/run"
)

// recordSort is what a sort of records has besides.
type recordSort struct {
	records recordkey.Records // of Size 0 if lines are sorted
	unique  run.Format        // whose keys are those of --unique-by
}

func (r *recordSort) ofRecords() bool { return r.records.Size > 0 }

// readKeys reads the keys of lines or records.
func (l *lineSort) readKeys() error {
	for _, text := range l.keys {
		if !l.ofRecords() {
			k, err := linekey.ParseKey(text)
			if err != nil {
				return err
			}
			l.spec.Keys = append(l.spec.Keys, k)
			continue
		}
		f, err := recordkey.ParseField(text)
		if err != nil {
			return err
		}
		l.records.Fields = append(l.records.Fields, f)
	}
	l.keys = nil
	if err := l.readUnique(); err != nil {
		return err
	}
	if !l.ofRecords() {
		return nil
	}
	return l.records.Check()
}

// readUnique reads the keys of --unique-by.
func (l *lineSort) readUnique() error {
	spec := linekey.Spec{Separator: l.spec.Separator, Stable: true}
	records := recordkey.Records{Size: l.records.Size}
	for _, text := range l.uniqueBy {
		if l.ofRecords() {
			f, err := recordkey.ParseField(text)
			if err != nil {
				return fmt.Errorf("--unique-by: %w", err)
			}
			records.Fields = append(records.Fields, f)
			continue
		}
		k, err := linekey.ParseKey(text)
		if err != nil {
			return fmt.Errorf("--unique-by: %w", err)
		}
		spec.Keys = append(spec.Keys, k)
	}
	if l.ofRecords() {
		l.unique = records
		return records.Check()
	}
	l.unique = linekey.Lines{Schema: spec.Compile(), Delim: l.delim}
	return spec.Check()
}

// wholeRecords is an input that has to end with a record.
func (l *lineSort) wholeRecords(name string, in run.Input) run.Input {
	return func() (io.ReadCloser, error) {
		r, err := in()
		if err != nil {
			return nil, err
		}
		return &recordkey.Reader{ReadCloser: r, Name: saidInput(name), Size: l.records.Size}, nil
	}
}

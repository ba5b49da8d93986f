// Package steady tells whether files were written while they were read.
package steady

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// State is the length of a regular file, and when it was written last. The zero State is that of
// anything else, which is never found changed.
type State struct{ was fs.FileInfo }

// Of is the State of a file that is about to be read.
func Of(f *os.File) State { return of(f.Stat()) }

// OfName is Of for a file that is opened later, perhaps several times.
func OfName(name string) State { return of(os.Stat(name)) }

func of(st fs.FileInfo, err error) State {
	if err != nil || !st.Mode().IsRegular() {
		return State{}
	}
	return State{st}
}

// Check returns an error, without the name of the file, if that was written since, as far as its length and
// its time tell: a write of the same length within the clock tick of the one before is not seen.
func (s State) Check(f *os.File) error { return s.check(false, f.Stat) }

// CheckBegin is Check of a file that may have become longer since, as a log does: of one that did it is taken
// that what was there has stayed.
func (s State) CheckBegin(f *os.File) error { return s.check(true, f.Stat) }

// CheckName is Check of what the name means now, which must be the same file.
func (s State) CheckName(name string) error {
	return s.check(false, func() (fs.FileInfo, error) {
		st, err := os.Stat(name)
		if err == nil && !os.SameFile(s.was, st) {
			err = errors.New("replaced while it was read: wait until it is complete, or take a copy")
		}
		return st, err
	})
}

func (s State) check(grows bool, now func() (fs.FileInfo, error)) error {
	if s.was == nil {
		return nil
	}
	st, err := now()
	switch {
	case err != nil:
		return err
	case st.Size() > s.was.Size() && grows:
		return nil
	case st.Size() != s.was.Size():
		return fmt.Errorf("changed from %d to %d bytes while it was read: wait until it is complete, or take a copy", s.was.Size(), st.Size())
	case !st.ModTime().Equal(s.was.ModTime()):
		return errors.New("written while it was read: wait until it is complete, or take a copy")
	}
	return nil
}

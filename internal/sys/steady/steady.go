// Package steady tells whether files were written while they were read.
package steady

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// State is the length of a regular file, and when it was written last. The zero State is that of
// anything else, which is never found changed.
type State struct {
	regular bool
	size    int64
	written time.Time
}

// Of is the State of a file that is about to be read.
func Of(f *os.File) State {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return State{}
	}
	return State{true, st.Size(), st.ModTime()}
}

// Check returns an error, without the name of the file, if that was written since, as far as its length and
// its time tell: a write of the same length within the clock tick of the one before is not seen.
func (s State) Check(f *os.File) error { return s.check(f, false) }

// CheckBegin is Check of a file that may have become longer since, as a log does: of one that did it is taken
// that what was there has stayed.
func (s State) CheckBegin(f *os.File) error { return s.check(f, true) }

func (s State) check(f *os.File, grows bool) error {
	if !s.regular {
		return nil
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case st.Size() > s.size && grows:
		return nil
	case st.Size() != s.size:
		return fmt.Errorf("changed from %d to %d bytes while it was read: wait until it is complete, or take a copy", s.size, st.Size())
	case !st.ModTime().Equal(s.written):
		return errors.New("written while it was read: wait until it is complete, or take a copy")
	}
	return nil
}

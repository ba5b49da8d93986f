//go:build !linux

package outfile

import (
	"errors"
	"io/fs"
	"os"
)

// openNameless fails: a file has a name here.
func openNameless(string, fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func link(*os.File, string) error { return errors.ErrUnsupported }

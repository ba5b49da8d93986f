package run

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// createGone makes a file in dir that never has a name, or, where file systems have no
// such files, one whose name is removed at once.
func createGone(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return f, err
	}
	if f, err = os.CreateTemp(dir, "gpusort-*.tmp"); err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

func forget(*os.File) {}

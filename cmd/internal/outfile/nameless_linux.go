package outfile

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openNameless makes a file without a name, which is gone when the process ends. It
// fails where the file system has none, and where /proc is missing, without which it
// could not get a name.
func openNameless(dir string, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, perm)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(descriptor(f)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// link gives a file without a name one that is free.
func link(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, descriptor(f), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: err}
	}
	return nil
}

func descriptor(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

//go:build darwin || freebsd || linux || netbsd

package outfile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// copyAttributes gives f the extended attributes of the file at path, access lists
// among them. It leaves out what a user may not set, or the file system does not hold,
// and signatures of the old contents.
func copyAttributes(f *os.File, path string) error {
	list, err := attribute(func(b []byte) (int, error) { return unix.Listxattr(path, b) })
	if err != nil {
		return nil // none can be had
	}
	for name := range strings.SplitSeq(string(list), "\x00") {
		if name == "" || name == "security.ima" || name == "security.evm" {
			continue
		}
		value, err := attribute(func(b []byte) (int, error) { return unix.Getxattr(path, name, b) })
		if err != nil {
			continue // removed meanwhile, or secret
		}
		err = unix.Fsetxattr(int(f.Fd()), name, value, 0)
		switch {
		case err == nil, errors.Is(err, os.ErrPermission), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL):
		default:
			return fmt.Errorf("keeping its attribute %s: %w", name, err)
		}
	}
	return nil
}

// attribute reads what get writes: its length is asked for first.
func attribute(get func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := get(nil)
		if err != nil || n == 0 {
			return nil, err
		}
		b := make([]byte, n)
		n, err = get(b)
		if err == unix.ERANGE {
			continue // it became longer
		}
		return b[:max(n, 0)], err
	}
}

//go:build !unix

package outfile

import (
	"io/fs"
	"os"
)

// inherit keeps the permissions; the directory decides the owner here.
func inherit(f *os.File, old fs.FileInfo, _ string) error { return f.Chmod(old.Mode().Perm()) }

// replaceable reports true: a directory that forbids it says so at once.
func replaceable(fs.FileInfo, string) bool { return true }

//go:build !unix

package run

import "os"

// createGone makes a file in dir; forget removes it.
func createGone(dir string) (*os.File, error) { return os.CreateTemp(dir, "gpusort-*.tmp") }

// forget removes a file that is closed.
func forget(f *os.File) { os.Remove(f.Name()) }

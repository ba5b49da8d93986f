//go:build unix && !linux

package run

import "os"

// createGone makes a file in dir whose name is removed at once.
func createGone(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "gpusort-*.tmp")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

func forget(*os.File) {}

//go:build unix

package cli

import (
	"fmt"
	"os"
	"syscall"
)

// replaceBy has the program at path take this one's place, with the same arguments.
func replaceBy(path string) error {
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, os.Args, os.Environ()))
}

//go:build unix

package cli

import (
	"fmt"
	"os"
	"syscall"
)

// replaceBy has the program at path take this one's place, with arguments.
func replaceBy(path string, args []string) error {
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, append([]string{path}, args...), os.Environ()))
}

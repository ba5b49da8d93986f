//go:build !unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// replaceBy runs the program at path with arguments and ends with its exit code.
func replaceBy(path string, args []string) error {
	c := exec.Command(path, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	var failed *exec.ExitError
	if err == nil || errors.As(err, &failed) {
		os.Exit(c.ProcessState.ExitCode())
	}
	return fmt.Errorf("starting %s: %w", path, err)
}

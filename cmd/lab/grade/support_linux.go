//go:build amd64 || arm64

package grade

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// supported prepares this process: where Landlock is absent, a process of the
// same user could open its memory if it could be dumped.
func supported() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the grader's memory from other processes: %w", err)
	}
	return nil
}

// note keeps what was printed last.
func (g *grader) note(s *session) {
	if t := s.printed.String(); t != "" {
		g.printed = t
	}
}

package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Tree returns the command with its sub-commands, for what is generated from them:
// manual pages and shell completions. It is not for running.
func Tree() *cobra.Command {
	a := &app{ctx: context.Background(), in: strings.NewReader(""), out: io.Discard, err: io.Discard, errWidth: func() int { return chartWidth }}
	return a.root()
}

// Package cli is the command gpusort-cluster: flags, messages and exit codes.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cluster"
	_ "github.com/gpusort/gpusort/cluster/internal/store/cloud" // the object stores
)

// The exit codes.
const (
	exitOK    = 0
	exitNo    = 1 // verify: the answer is no
	exitError = 2 // another try may succeed
	exitFinal = 3 // it will not
)

// app is what the sub-commands share.
type app struct {
	host     cluster.Host
	in       io.Reader
	out, err io.Writer
}

var errNo = errors.New("the answer is no")

// Main runs a command line, without the program's name, and returns the exit code.
func Main(args []string, in, out, errs *os.File) int {
	endings := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) { // as a shell has it for its background
		endings = append(endings, os.Interrupt)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings...)
	defer stop()
	ctx = leased(ctx, in)
	a := &app{in: in, out: out, err: errs}
	a.host.Heap = debug.SetMemoryLimit
	c := a.root()
	c.SetArgs(args)
	c.SetOut(out)
	c.SetErr(errs)
	err := c.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNo):
		return exitNo
	}
	fmt.Fprintf(errs, "gpusort-cluster: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) || cluster.Final(err) {
		return exitFinal
	}
	return exitError
}

// usageError is a wrong command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:           "gpusort-cluster",
		Short:         "Sort rows in object stores on many machines",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q: gpusort-cluster --help lists them", args[0])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.CompletionOptions.DisableDefaultCmd = true
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	c.AddCommand(a.sample(), a.cut(), a.split(), a.merge(), a.finish(), a.clean(), a.verify(), a.run())
	c.AddCommand(a.streams()...)
	return c
}

// args are between least and most arguments; −1: any number.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usageError{fmt.Errorf("%s takes %s, not %d arguments", c.Name(), what, len(args))}
		}
		err := c.ValidateRequiredFlags()
		if err == nil {
			err = c.ValidateFlagGroups()
		}
		if err != nil {
			return usageError{err}
		}
		return nil
	}
}

// report is the line that a task writes.
type report struct {
	Task     string         `json:"task"`
	Manifest string         `json:"manifest,omitempty"`
	Ranges   int            `json:"ranges,omitempty"`
	Files    int            `json:"files,omitempty"`
	Objects  []cluster.Part `json:"objects,omitempty"` // of finish, as in the manifest
	Samples  int            `json:"samples,omitempty"`
	Rows     int64          `json:"rows"`
	Bytes    int64          `json:"bytes"`
	Sum      string         `json:"sum,omitempty"`
	Done     bool           `json:"done_before"`
	Store    any            `json:"store"`
}

func (a *app) report(r report) error {
	r.Store = a.host.Requests()
	return json.NewEncoder(a.out).Encode(r)
}

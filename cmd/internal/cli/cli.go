// Package cli is the gpusort command: its sub-commands, flags, messages and
// exit codes. Sorting is the root package's, files are cmd/internal/format's.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/gpusort/gpusort/cmd/internal/outfile"
	"github.com/gpusort/gpusort/cmd/internal/patient"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/variant"
)

// The exit codes. A signal ends the command with 128 plus its number, so 130
// for an interrupt from the keyboard.
const (
	exitOK       = 0
	exitDisorder = 1 // --check, verify, selftest: the answer is no
	exitError    = 2
	exitSignal   = 128
)

// app is what every sub-command needs of its surroundings.
type app struct {
	ctx      context.Context // of the command line; its end gives up what waits
	heed     func()          // has signals heeded from then on; or nil
	widen    func()          // has standard input and output hold more, if they are pipes; or nil
	in       io.Reader
	out, err io.Writer
	outFile  *os.File   // standard output
	outTerm  bool       // it is a terminal
	bars     io.Writer  // standard error for progress, which moves the cursor
	errTerm  bool       // standard error is a terminal whose cursor may be moved
	errWidth func() int // its columns, or those of the narrowest usual one
	outWidth func() int // columns of standard output; 0: any number, as in a file
	color    bool       // standard output is a terminal that wants colour
	// begun: something was written to where it cannot be taken back from, standard
	// output or a pipe.
	begun atomic.Bool
}

// negative is the answer "no" of a command that worked; its text, if any, has
// been printed.
type negative struct{}

func (negative) Error() string { return "the answer is no" }

// interrupted is the cause of a cancelled context.
type interrupted struct{ sig syscall.Signal }

func (i interrupted) Error() string { return "stopped by a signal: " + i.sig.String() }

// kept is the error of interrupted work of which something remains.
type kept struct {
	error
	text string // what, and how to go on
}

func (k kept) Unwrap() error { return k.error }

// usageError is a wrong flag or argument.
type usageError struct {
	error
	path string // of the sub-command
}

func (u usageError) Unwrap() error { return u.error }

// Main runs the command line args, without the program's name, and returns the
// exit code. A first interrupt cancels the work, which then removes its
// temporary files; a second one ends the process without waiting for that.
func Main(args []string, stdin, stdout, stderr *os.File) int {
	if err := checkDescriptors(); err != nil {
		fmt.Fprintf(stderr, "gpusort: %v\n", err)
		return exitError
	}
	saveAddressSpace()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ignoreFileSizeSignal()
	a := &app{
		heed: func() { heedSignals(cancel) }, in: stdin, out: stdout, err: stderr,
		outFile: stdout, outTerm: term.IsTerminal(int(stdout.Fd())), errTerm: term.IsTerminal(int(stderr.Fd())) && takesCursor(),
	}
	a.errWidth = func() int {
		if w, _, err := term.GetSize(int(stderr.Fd())); err == nil && w > 1 {
			return w
		}
		return chartWidth
	}
	a.outWidth = func() int {
		if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
			return w
		}
		if w, _, err := term.GetSize(int(stdout.Fd())); err == nil && a.outTerm {
			return w
		}
		return 0
	}
	a.color = a.outTerm && takesCursor()
	a.widen = func() { widenPipe(stdin); widenPipe(stdout) }
	return a.run(ctx, args)
}

// await has signals heeded. Before, they end the process, which leaves nothing behind then.
func (a *app) await() {
	if a.heed != nil {
		a.heed()
	}
}

// heedSignals has a first signal cancel the work, and a second one end the process.
func heedSignals(cancel context.CancelCauseFunc) {
	surviveBrokenPipe()
	sigs := make(chan os.Signal, 1)
	// What nohup, or a shell for its background, had ignored is ignored: Go tells so of hangups
	// and interrupts.
	for _, sig := range endings {
		if !signal.Ignored(sig) {
			signal.Notify(sigs, sig)
		}
	}
	go func() {
		sig, _ := (<-sigs).(syscall.Signal)
		cancel(interrupted{sig})
		sig, _ = (<-sigs).(syscall.Signal)
		outfile.Abandon()
		os.Exit(exitSignal + int(sig))
	}()
}

// run executes one command line.
func (a *app) run(ctx context.Context, args []string) int {
	a.bars, a.err = a.err, newMessages(a.err, args)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &stdout{w: begins{patient.Writer{Ctx: ctx, W: a.out}, &a.begun}, stop: stop}
	a.ctx, a.out = ctx, out
	if words := clusterWords(args); words != nil {
		return a.exit(ctx, out, "gpusort", startCluster(words))
	}
	if len(args) > 0 && args[0] == "sort" {
		rest, err := a.sortMain(ctx, args[1:])
		if rest == nil {
			return a.exit(ctx, out, "sort", err)
		}
		args = rest
	}
	// Nothing is measured or sorted with other code than was asked for. Of a
	// folder that cannot be read package variant has told.
	if _, err := kernel.Variant(); err != nil {
		if _, told := variant.Active(); told == nil {
			fmt.Fprintf(a.err, "gpusort: %v\n", err)
		}
		return exitError
	}
	if err := simd.CheckEnv(); err != nil {
		fmt.Fprintf(a.err, "gpusort: %v\n", err)
		return exitError
	}
	root := a.root()
	root.SetArgs(args)
	a.await()
	return a.exit(ctx, out, "gpusort", root.ExecuteContext(ctx))
}

// exit tells of an error, with the program's name before it, and returns the exit code.
func (a *app) exit(ctx context.Context, out *stdout, program string, err error) int {
	if err == nil {
		err = out.lost()
	}
	var sig interrupted
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &negative{}):
		return exitDisorder
	case errors.As(context.Cause(ctx), &sig):
		if sig.sig == syscall.SIGPIPE {
			return exitSignal + int(sig.sig) // whoever read had enough
		}
		var k kept
		if !errors.As(err, &k) {
			k.text = "no output was written"
			if a.begun.Load() {
				k.text = "the output is incomplete"
			}
		}
		fmt.Fprintf(a.err, "%s: %v; %s\n", program, sig, k.text)
		return exitSignal + int(sig.sig)
	case errors.As(err, &usage):
		fmt.Fprintf(a.err, "%s: %v\nTry '%s --help'.\n", program, err, usage.path)
	case strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(a.err, "gpusort: %v\nTry 'gpusort --help'.\n", strings.TrimSpace(err.Error()))
	case errors.Is(err, syscall.EMFILE):
		fmt.Fprintf(a.err, "%s: %v: %s\n", program, err, allowFiles)
	default:
		fmt.Fprintf(a.err, "%s: %s\n", program, strings.TrimPrefix(err.Error(), "gpusort: "))
	}
	return exitError
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "gpusort",
		Short: "Sort numbers on the fastest device present",
		Long: `gpusort sorts files of numbers on the fastest device present: CUDA, OpenCL or
the CPU. The same input gives the same bits on all of them.

Sizes and counts may be written 1000, 50M, 1e6, 2^28 or 1.5GiB.
Data go to standard output, messages and progress to standard error.`,
		Example: `  gpusort gen --type u64 --n 50M -o keys.u64
  gpusort sort keys.u64 -o sorted.u64
  gpusort verify sorted.u64 --against keys.u64
  printf '3\n1\n2\n' | gpusort sort --type i32 --format text`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       readVersion().line(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{flagError(err), c.CommandPath()} })
	root.AddCommand(a.sortCommand(), a.genCommand(), a.verifyCommand(), a.devicesCommand(), a.algorithmsCommand(), a.selftestCommand(),
		a.explainCommand(), a.tuneCommand(), a.demoCommand(), a.runCommand(), a.benchCommand(), a.compareCommand(), a.profileCommand(), a.reportCommand(),
		a.gradeCommand(), a.gradeChildCommand(), a.versionCommand())
	root.CompletionOptions.HiddenDefaultCmd = false
	refuseUnknown(root)
	root.SetUsageTemplate(a.wrapFlags(root.UsageTemplate()) + exitCodes)
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false
		c.Flags().VisitAll(func(f *flagOf) { f.Usage = strings.ReplaceAll(f.Usage, "\n", " ") })
		c.DisableFlagsInUseLine = true
	}
	return root
}

// helpWidth is that of help where the terminal is wider or there is none.
const helpWidth = 80

// wrapFlags makes help's list of flags keep within the terminal.
func (a *app) wrapFlags(template string) string {
	width := helpWidth
	if a.outWidth != nil && a.outWidth() > 0 {
		width = min(a.outWidth(), helpWidth)
	}
	return strings.ReplaceAll(template, "FlagUsages", fmt.Sprintf("FlagUsagesWrapped %d", width))
}

// refuseUnknown makes errors of help for no command and completions for no shell,
// which cobra answers with help and success.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(c *cobra.Command, args []string) error {
				if _, _, err := root.Find(args); err != nil {
					return usageError{err, root.Name()}
				}
				return nil
			}
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				if len(args) == 0 {
					return c.Help()
				}
				return usagef(c, "completion: %v", errChoice(args[0], names(c.Commands(), (*cobra.Command).Name)...))
			}
		}
	}
}

const exitCodes = `
Exit codes: 0 success; 1 the answer is no (disorder, difference, failed
self-test); 2 error; 130 interrupted (128 + signal).
`

// usagef makes a usage error of c.
func usagef(c *cobra.Command, format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...), c.CommandPath()}
}

// atMost checks the number of file arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef(c, "extra argument %q: %s takes at most %d", args[n], c.Name(), n)
		}
		return nil
	}
}

// exactly checks the number of file arguments.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef(c, "%s needs %d file name(s), got %d", c.Name(), n, len(args))
		}
		return atMost(n)(c, args)
	}
}

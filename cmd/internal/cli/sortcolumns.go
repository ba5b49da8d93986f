package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/by"
)

// OpenTables opens files of columns. Where it is nil the program gpusort-tables, which has
// it, takes this one's place.
var OpenTables func(names []string) (columns.Table, error)

// ofColumns is the name of an input that is a folder, or a file whose content or name says
// that it holds columns; empty if there is none.
func (l *lineSort) ofColumns(ctx context.Context) string {
	if l.rows != "" || l.ofRecords() {
		return ""
	}
	for _, name := range l.files {
		if st, err := os.Stat(name); name != "-" && err == nil && st.IsDir() && l.by != "" {
			return name
		}
		if columns.ByName(name) != columns.None || l.lookAt(ctx, name).columns != columns.None {
			return saidInput(name)
		}
	}
	return ""
}

// runColumns checks or sorts Parquet or Arrow files.
func (l *lineSort) runColumns(ctx context.Context) error {
	switch {
	case l.checking() && l.explain:
		return usageOfLines("--explain says how a sort would go, not a check: leave out --check")
	case l.checking() && l.output != "":
		return usageOfLines("a check writes nothing: leave out -o")
	case slices.Contains(l.files, "-"):
		return errors.New("standard input is no table that can be read from its end: give the name of a file")
	}
	if l.types != "" {
		return usageOfLines("--types says what columns of CSV become: those of %s have types", l.files[0])
	}
	kind := columns.ByName(l.files[0])
	if kind == columns.None {
		kind = cmp.Or(l.lookAt(ctx, l.files[0]).columns, columns.Parquet)
	}
	if err := l.misnamed(kind); err != nil {
		return err
	}
	if OpenTables == nil {
		return startTables()
	}
	t, err := OpenTables(l.files)
	if err != nil {
		return l.failed(ctx, err)
	}
	if l.by == "" {
		return fmt.Errorf("%s: which columns order its rows? give --by with names of them: there are %s", l.files[0], by.List(t.Columns()))
	}
	o := columns.Options{Options: l.runOptions(), Compression: l.packing, GroupRows: l.group}
	if o.By, err = l.columns(); err != nil {
		return err
	}
	if l.checking() {
		return l.checkColumns(ctx, t, o)
	}
	if o.As = columns.ByOutput(l.output); l.explain {
		return l.explainColumns(t, o)
	}
	create, written := l.createOr, format.Raw
	if o.As.Text() {
		create, written = l.createPacked, format.Text
	}
	out, err := create(l.output, written, "give -o FILE")
	if err != nil {
		return err
	}
	defer out.discard()
	p := l.newProgress()
	defer p.close()
	o.Phase = p.phase
	st, err := t.Sort(ctx, o, out)
	if err != nil {
		return l.failed(ctx, err)
	}
	if err := out.commit(); err != nil {
		return err
	}
	p.close()
	return l.report(st)
}

// checkColumns reports the first row that is out of order.
func (l *lineSort) checkColumns(ctx context.Context, t columns.Table, o columns.Options) error {
	row, err := t.Check(ctx, o)
	switch {
	case err != nil:
		return l.failed(ctx, err)
	case row == 0:
		return nil
	}
	if l.check != checkedQuietly {
		fmt.Fprintf(l.err, "sort: %s: row %d: disorder\n", strings.Join(l.files, " "), row)
	}
	return negative{}
}

// explainColumns says what would be sorted by what.
func (l *lineSort) explainColumns(t columns.Table, o columns.Options) error {
	lines, err := t.Explain(o)
	if err != nil {
		return told(err)
	}
	if err := l.creatable(l.output, o.As.Text()); err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(l.out, line)
	}
	fmt.Fprintf(l.out, "memory: up to %s; what does not fit goes to temporary files\n", units.Bytes(o.Budget))
	return nil
}

// tablesProgram is the program that reads files of columns.
const tablesProgram = "gpusort-tables"

// startTables starts the program that reads files of columns with this one's command line.
func startTables() error {
	return startBeside(tablesProgram, "files of Parquet and Arrow need", "cmd/"+tablesProgram, os.Args[1:])
}

// startBeside starts a program in this one's place: the one beside this program, or else on the
// PATH. need and folder are what the message says if it is not there.
func startBeside(program, need, folder string, args []string) error {
	name := program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := ""
	if exe, err := os.Executable(); err == nil {
		path = filepath.Join(filepath.Dir(exe), name)
	}
	if _, err := os.Stat(path); err != nil {
		if path, err = exec.LookPath(name); err != nil {
			return fmt.Errorf("%s %s beside gpusort or on the PATH: install it by "+
				"go install github.com/gpusort/gpusort/%s@latest, or from the same archive", need, program, folder)
		}
	}
	return replaceBy(path, args)
}

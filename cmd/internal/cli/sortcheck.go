package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/run"
)

// runCheck reports the first line that is out of order, or, if lines are to be unique,
// that ties with the one before it.
func (l *lineSort) runCheck(ctx context.Context) error {
	name := l.files[0]
	if err := l.lookAt(ctx, name).err; err != nil {
		return err
	}
	if err := l.openInputs(ctx); err != nil {
		return l.failed(ctx, err)
	}
	at, line, err := run.Check(ctx, l.options(), l.inputs[0])
	switch {
	case err != nil:
		return l.failed(ctx, err)
	case at == 0:
		return nil
	}
	if l.check != checkedQuietly {
		if l.ofRecords() {
			fmt.Fprintf(l.bars, "sort: %s: record %d is out of order\n", name, at-1)
			return negative{}
		}
		place := fmt.Sprintf("%s:%d", name, at+int64(max(0, l.heading)))
		if l.csv != nil {
			place = fmt.Sprintf("%s: row %d", name, at)
		}
		text := fmt.Sprintf("sort: %s: disorder: %s", place, line)
		if l.errTerm {
			text = visible(text)
		}
		io.WriteString(l.bars, text) // as it is, where no terminal acts on it
	}
	return negative{}
}

// sortStats is what a sort did and took.
type sortStats struct {
	run.Stats
	Peak uint64 `json:"peak_bytes,omitempty"` // of the process's memory
}

// report says what was done.
func (l *lineSort) report(st run.Stats) error {
	if l.verbose {
		fmt.Fprintf(l.err, "sort: %s %s, %s, in %d runs of memory up to %s; %s to temporary files, %d merges; read and sorted in %s, written in %s\n",
			units.Count(st.Rows), l.rowsName(), units.Bytes(uint64(st.Bytes)), st.Runs, units.Bytes(st.Budget), units.Bytes(uint64(st.Spilled)), st.Passes,
			units.Duration(seconds(st.Read)), units.Duration(seconds(st.Written)))
	}
	if !l.json {
		return nil
	}
	all := sortStats{st, room.Peak()}
	if l.output == "" || l.output == "-" {
		return printJSON(l.err, all)
	}
	return printJSON(l.out, all)
}

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/internal/key/linekey"
	"github.com/gpusort/gpusort/internal/run"
)

// lineSort is one sort, merge or check of lines.
type lineSort struct {
	*sortCmd
	delim byte
	files []string
	asIs  bool              // nothing is unpacked, nor packed
	seen  map[string]looked // inputs by name
	lines linekey.Lines
	tableSort
	recordSort
	packed map[string]bool // names of inputs that are compressed
	text   *columns.Text   // what becomes columns, or nil
}

// usageOfLines is a wrong command line of sort(1).
func usageOfLines(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...), "gpusort sort"}
}

// run checks, merges or sorts.
func (l *lineSort) run(ctx context.Context) error {
	checking := l.checking()
	if err := l.settle(); err != nil {
		return err
	}
	switch {
	case checking && len(l.files) > 1:
		return usageOfLines("extra file %q: a check reads one", l.files[1])
	case checking && (l.top > 0 || l.count || l.split != splitSize{}):
		return usageOfLines("a check writes nothing: leave out --top, --count and --split")
	case checking && l.explain:
		return usageOfLines("--explain says how a sort would go, not a check: leave out --check")
	case checking && l.output != "":
		return usageOfLines("a check writes nothing: leave out -o")
	case checking:
		return l.runCheck(ctx)
	}
	if err := l.openInputs(ctx); err != nil {
		return l.failed(ctx, err)
	}
	if err := l.settleOutput(); err != nil {
		return err
	}
	if l.explain {
		return l.runExplain()
	}
	if locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_COLLATE"), os.Getenv("LANG"), "C"); l.errTerm && locale != "C" && locale != "POSIX" && !strings.HasPrefix(locale, "C.") {
		fmt.Fprintf(l.err, "sort: the order is that of bytes (LC_ALL=C), not that of %s\n", locale)
	}
	if l.debug {
		l.warnDebug()
	}
	if l.widen != nil {
		l.widen()
	}
	out, err := l.sinkOf(l.part(0))
	if err != nil {
		return err
	}
	parts := &splitter{lineSort: l, sinks: []*sink{out}}
	defer parts.discard()
	p := l.newProgress()
	defer p.close()
	st, err := l.write(ctx, parts, p)
	if err != nil {
		return l.failed(ctx, err)
	}
	if err := parts.commit(); err != nil {
		return err
	}
	p.close()
	l.tellOdd()
	return l.report(st)
}

// settleOutput refuses, before rows are read, what cannot be written.
func (l *lineSort) settleOutput() error {
	if l.count && l.jsonl != nil {
		return usageOfLines("--count writes text before each row, which would be no JSON: leave it out")
	}
	for _, settle := range []func() error{l.settleName, l.settleColumns, l.fewParts} {
		if err := settle(); err != nil {
			return err
		}
	}
	if l.explain {
		return l.creatable(l.part(0), !l.asIs)
	}
	return nil
}

// write sorts or merges to out.
func (l *lineSort) write(ctx context.Context, parts *splitter, p *progress) (run.Stats, error) {
	out := parts.sinks[0]
	o := l.options()
	o.Phase = l.phases(p, out)
	parts.begin(out)
	w := parts.head
	parts.format = o.Format
	var st run.Stats
	var err error
	if l.merge {
		var apart [][]run.Input
		for _, in := range l.inputs {
			apart = append(apart, []run.Input{in})
		}
		st, err = run.Merge(ctx, o, apart, parts)
	} else {
		st, err = run.Sort(ctx, o, l.inputs, l.size(), parts)
	}
	if err == nil {
		err = w.Begin()
	}
	return st, err
}

// littleBytes is what the least memory holds, of lines of one byte, too. How much memory there is
// is not asked for such inputs: the system takes longer to say it than they take to be sorted.
const littleBytes = 128 << 10

// options are those of package run.
func (l *lineSort) options() run.Options {
	size := l.size()
	little := size >= 0 && size < littleBytes
	if little && l.buffer.text == "" && !l.merge && !l.explain {
		l.buffer = bufferValue{bytes: run.LeastBudget, text: "the least"}
	}
	o := l.runOptions()
	if !little {
		o.MostRow = mostRow()
	}
	o.Format, o.Tail, o.Desc, o.Budget = l.lines, l.lines.Tail(), l.lines.Desc(), l.budgetOfLines()
	if l.ofTable() {
		o.Format, o.Tail, o.Desc = l.format, false, false
	}
	if l.merge && len(l.packed) > 0 {
		o.Source = packed.Decoder
	}
	if l.ofRecords() {
		o.Format, o.Tail, o.Desc = l.records, false, l.spec.Global.Reverse
		if leading, ok := l.records.Leading(); ok && len(l.uniqueBy) == 0 { // of which whole rows are asked for
			o.Format = leading
		}
	}
	l.setOptions(&o)
	return o
}

// budgetOfLines is the memory for rows; decoders of packed inputs have some of it.
func (l *lineSort) budgetOfLines() uint64 {
	budget := l.runBudget()
	if l.toColumns() != columns.None {
		budget -= budget / 4 // columns take as much
	}
	return budget - min(budget, l.unpacking())
}

// runOptions are those of package run that the flags say.
func (s *sortCmd) runOptions() run.Options {
	return run.Options{
		Unique: s.spec.Unique, Top: int64(s.top), Budget: s.runBudget(), Heap: limitHeap, Workers: s.workers,
		Temp: s.temp, MostTemp: uint64(s.maxTemp), FanIn: s.batch, Filter: s.filter,
	}
}

// mostRow is the bytes that a row may have: a sixteenth of what there is, at least 1 MiB. More, as of an
// input whose rows end in another way, would end the process, or others.
func mostRow() uint64 {
	memory := room.Total()
	if limit := addressSpace(); limit < ampleSpace {
		memory = min(memory, spaceLeft(limit))
	}
	return max(memory/16, 1<<20)
}

// runBudget is the memory that -S gives, or half of what the process may have; of an
// address space that is limited, a fifth of what the runtime leaves, since ranges are
// reserved that are not filled, and the heap is not without holes.
func (s *sortCmd) runBudget() uint64 {
	budget := s.buffer.bytes
	switch {
	case s.buffer.percent:
		budget = room.Total() / 100 * min(budget, 100)
	case s.buffer.text == "":
		budget = room.Total() / 2
	}
	if limit := addressSpace(); limit < ampleSpace {
		budget = min(budget, spaceLeft(limit)/5)
	}
	return budget
}

// settle completes the order, now that all options are known.
func (l *lineSort) settle() error {
	if err := l.settleTable(); err != nil {
		return err
	}
	if err := l.settleMore(); err != nil {
		return usageError{err, "gpusort sort"}
	}
	if err := l.readKeys(); err != nil {
		return usageError{err, "gpusort sort"}
	}
	if err := l.spec.Check(); err != nil {
		return usageError{err, "gpusort sort"}
	}
	if l.spec.Random() {
		if err := l.readSeed(); err != nil {
			return err
		}
	}
	l.lines = linekey.Lines{Schema: l.spec.Compile(), Delim: l.delim}
	return nil
}

// readNames reads the names of the inputs.
func (l *lineSort) readNames() error {
	var b []byte
	var err error
	if l.names0.name == "-" {
		b, err = io.ReadAll(l.in)
	} else {
		b, err = os.ReadFile(l.names0.name)
	}
	if err != nil {
		return fmt.Errorf("names of inputs: %w", told(err))
	}
	for i, name := range bytes.Split(bytes.TrimSuffix(b, []byte{0}), []byte{0}) {
		switch {
		case len(b) == 0:
			return fmt.Errorf("%s has no names of inputs: write at least one", l.names0.name)
		case len(name) == 0:
			return fmt.Errorf("%s: name %d is empty: end each name with one zero byte", l.names0.name, i+1)
		case string(name) == "-" && l.names0.name == "-":
			return errors.New("standard input has the names of the inputs, and cannot be one of them")
		}
		l.files = append(l.files, string(name))
	}
	return nil
}

// told is err without the operation of the system that failed, if it says that.
func told(err error) error {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err
	}
	before, behind, ok := strings.Cut(err.Error(), pe.Error())
	if !ok {
		return err
	}
	return fmt.Errorf("%s%s: %w%s", before, pe.Path, pe.Err, behind)
}

// failed is the context's error once that has ended, else err as told.
func (l *lineSort) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return told(l.ofRow(err))
}

package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
)

// fileBench sorts a file by commands, each in a process of its own that is timed from its start to
// its end. The file lies in a folder of its own below $TMPDIR, and has just been written: it
// comes from the system's cache. Outputs and temporary files go there, too.
type fileBench struct {
	s   fileSpec
	g   group
	o   Options
	dir string

	sum   rowSum // of the round's input
	bytes uint64
}

func newFileBench(g group, o Options) *fileBench { return &fileBench{s: *g.file, g: g, o: o} }

func (b *fileBench) add(c result.Cell) (contender, error) {
	t := &fileTurn{b: b}
	switch {
	case c.Algo == Gpusort:
		t.source = "catalog"
		t.program = b.o.Sort
		t.flags = append(t.flags, b.s.ours...)
		switch {
		case b.s.binary:
			t.flags = append(t.flags, "--device="+strings.ReplaceAll(c.DeviceID, "+", ","))
		case c.DeviceID != "cpu":
			return nil, algo.Unsupported("lines and tables are sorted on the processor: name cpu")
		}
	case c.Algo != GNU:
		return nil, algo.Unsupported("%s sorts no files: %s and %s do", c.Algo, Gpusort, GNU)
	case b.s.gnu == nil || c.DeviceID != "cpu":
		return nil, algo.Unsupported("GNU sort sorts text, on the processor")
	default:
		t.source = "GNU"
		path, err := exec.LookPath("sort")
		if err != nil {
			return nil, algo.Unsupported("no program sort on the PATH")
		}
		out, err := exec.Command(path, "--version").Output()
		if t.policy, _, _ = strings.Cut(string(out), "\n"); err != nil || !strings.Contains(t.policy, "GNU") {
			return nil, algo.Unsupported("the program sort on the PATH is not GNU's")
		}
		t.program, t.flags = []string{path}, b.s.gnu
	}
	if b.s.budget != 0 {
		t.flags = append(t.flags, fmt.Sprintf("-S%db", b.s.budget))
	}
	if b.o.Workers != 0 {
		t.flags = append(t.flags, fmt.Sprintf("--parallel=%d", b.o.Workers))
	}
	return t, nil
}

func (b *fileBench) allocate() (in *input, err error) {
	if b.dir, err = os.MkdirTemp("", "gpusort-bench-"); err != nil {
		return nil, err
	}
	return b.refresh(0)
}

func (b *fileBench) input() string  { return filepath.Join(b.dir, "in"+b.s.suffix) }
func (b *fileBench) output() string { return filepath.Join(b.dir, "out"+b.s.suffix) }

// refresh writes the file of a round.
func (b *fileBench) refresh(round int) (*input, error) {
	f, err := os.Create(b.input())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b.sum, b.bytes = rowSum{}, 0
	w := bufio.NewWriterSize(f, 1<<20)
	err = b.s.rows(b.g.source.round(round), func(part []byte) error {
		b.bytes += uint64(len(part))
		_, err := w.Write(part)
		if err != nil {
			return err
		}
		return b.s.read(bytes.NewReader(part), func(row []byte) error { b.sum.add(row); return nil })
	})
	err = errors.Join(err, w.Flush(), f.Close())
	// A child's peak of memory begins with what its parent has.
	debug.FreeOSMemory()
	return &input{p: b.g.problem}, err
}

func (b *fileBench) clocks() *result.Clocks { return nil }

func (b *fileBench) close() error {
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}

// fileTurn is a program that sorts the file.
type fileTurn struct {
	b              *fileBench
	program, flags []string
	source, policy string
}

func (t *fileTurn) describe(r *result.Record) { r.Source, r.Policy = t.source, t.policy }

func (t *fileTurn) ready(*input) error { return nil }

// sample runs the program once.
func (t *fileTurn) sample(ctx context.Context, _ bool) (out times, err error) {
	b := t.b
	args := append(append(append([]string{}, t.program[1:]...), t.flags...), "-T", b.dir, "-o", b.output(), b.input())
	c := exec.CommandContext(ctx, t.program[0], args...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	var said strings.Builder
	c.Stderr = &said
	forgetPeak()
	start := b.o.now()
	err = c.Run()
	out.wall = int64(b.o.now().Sub(start))
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", filepath.Base(t.program[0]), err, strings.TrimSpace(said.String()))
	}
	out.cpu = int64(c.ProcessState.UserTime() + c.ProcessState.SystemTime())
	out.file, out.peak = b.bytes, peakBytes(c.ProcessState)
	f, err := os.Open(b.output())
	if err != nil {
		return out, err
	}
	defer f.Close()
	if err := b.s.check(f, b.sum); err != nil {
		return out, err
	}
	return out, os.Remove(b.output())
}

package grade

import (
	"bytes"
	"context"
	"crypto/rand"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/sandbox"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// Options say what is graded and where.
type Options struct {
	Submission string
	Rubric     Rubric
	// Device overrides the rubric's: "cpu" for libraries of host sorts, or a
	// device ID.
	Device string
	Sorter string // of a library with several
	// Seed gives the inputs of an earlier grading again; 0 draws one. Inputs that
	// can be known before are for finding out what went wrong, not for points.
	Seed uint64
	// Command starts a child: this program and the argument child.Command.
	Command []string
	// Unconfined runs the submission with this process's rights, on kernels that
	// cannot take them away.
	Unconfined bool
	// RequireSandbox refuses to grade where a submission cannot be confined.
	RequireSandbox bool
	// Progress, if set, is told what comes next.
	Progress func(string)
}

// grader is one grading.
type grader struct {
	confiner
	o      Options
	r      Rubric
	kind   Kind
	name   string   // of the submission's file
	code   []byte   // what a child loads
	job    wire.Job // but for the number of items
	dir    string   // for the folders of processes
	layers sandbox.Layers
	empty  int64 // nanoseconds of a turn in which nothing is sorted
	seeds  *seeds
	rep    Report
	info   map[uint64]wire.Info // of the submission, where it is the grader's own word
	others map[string][]Case    // of references and copies
	busy   map[uint64]float64   // share of the processors that other programs used in a measurement
}

// Run grades a submission. An error is the grader's or the rubric's: bad
// submissions are graded.
func Run(ctx context.Context, o Options) (Report, error) {
	start := time.Now()
	if err := supported(); err != nil {
		return Report{}, err
	}
	kind, err := KindOf(o.Submission)
	if err != nil {
		return Report{}, err
	}
	if err := o.Rubric.Fits(); err != nil {
		return Report{}, err
	}
	code, err := readSubmission(kind, o.Submission)
	if err != nil {
		return Report{}, err
	}
	replay := o.Seed != 0
	for o.Seed == 0 {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return Report{}, err
		}
		o.Seed = binary.LittleEndian.Uint64(b[:])
	}
	dir, err := os.MkdirTemp("", "gpusort-grade-")
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(dir)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	g := &grader{
		o: o, r: o.Rubric, kind: kind, name: Line(filepath.Base(o.Submission)), code: code, dir: dir, seeds: newSeeds(o.Seed),
		info: map[uint64]wire.Info{}, others: map[string][]Case{}, busy: map[uint64]float64{},
	}
	g.rep = Report{Schema: Schema, Title: g.r.Title, Submission: g.name, Kind: kind, Seed: o.Seed, Replay: replay,
		Key: g.r.Key, What: g.r.what()}
	if kind != SO {
		g.rep.Source = string(code)
	}
	if err := g.confinement(ctx); err != nil {
		return Report{}, err
	}
	defer g.leave()
	if err := g.prepare(ctx); err != nil {
		var refused refusal
		if !errors.As(err, &refused) {
			return Report{}, err
		}
		g.rep.Refused = refused.Error()
	} else if err := g.measureAll(ctx); err != nil {
		return Report{}, err
	}
	g.rep.tame()
	g.score()
	g.rep.Elapsed = time.Since(start)
	return g.rep, nil
}

// refusal is a fault of the submission that leaves nothing to measure.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// maxCode bounds a library, and what a compiler makes of a source; maxSource
// bounds that.
const (
	maxCode   = 64 << 20
	maxSource = 1 << 20
)

// isFile refuses what is no file. A link could lead to another student's file, or to one that the
// student may not read; a pipe or a device would not end.
func isFile(path string, info os.FileInfo, err error) error {
	if err != nil {
		return fmt.Errorf("submission: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("submission %s: a link, a folder or a device: give a file", path)
	}
	return nil
}

// openFile opens what was a file when it was looked at and may be another by now, without following
// or waiting.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openPlain, 0)
	if err != nil {
		return nil, fmt.Errorf("submission: %w", err)
	}
	info, err := f.Stat()
	if err := isFile(path, info, err); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readSubmission reads a file once: what is checked is what is run.
func readSubmission(k Kind, path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err := isFile(path, info, err); err != nil {
		return nil, err
	}
	most := int64(maxSource)
	if k == SO {
		most = maxCode
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("submission %s: more than %d bytes", path, most)
	}
	return b, err
}

// accepted reports whether the rubric takes the submission's kind.
func (g *grader) accepted() error {
	for _, k := range g.r.Accept {
		if k == string(g.kind) {
			return nil
		}
	}
	why := ""
	if !strings.Contains(strings.Join(g.r.Accept, " "), string(SO)) {
		why = " (what sorts must be a kernel)"
	}
	return refusal{fmt.Errorf("a .%s file: the rubric accepts %s%s", g.kind, strings.Join(g.r.Accept, ", "), why)}
}

// prepare chooses device and distributions and makes code that a child loads.
func (g *grader) prepare(ctx context.Context) error {
	g.drawDists()
	g.rep.Device = g.o.Device
	if g.rep.Device == "" {
		g.rep.Device = g.r.Device
	}
	if err := g.accepted(); err != nil {
		return err
	}
	dev, err := chooseDevice(g.kind, g.rep.Device)
	if err != nil {
		return err
	}
	g.rep.Device, g.rep.DeviceName, g.rep.Sorter = dev.id, dev.name, g.o.Sorter
	g.job = wire.Job{Kind: string(g.kind), Name: shortName(g.name), Device: dev.id, GPU: !dev.host, Spec: g.r.spec, Stable: g.r.Stable,
		Threads: g.r.Threads, Sorter: g.o.Sorter, Confine: !g.o.Unconfined}
	for _, s := range g.r.Speeds {
		if err := dev.canRun(s.Reference); err != nil {
			return fmt.Errorf("rubric: speed of n = %d: %w", s.N, err)
		}
	}
	if g.kind == SO {
		if !bytes.HasPrefix(g.code, []byte(elf.ELFMAG)) {
			return refusal{fmt.Errorf("not a shared library: no ELF file")}
		}
		return nil
	}
	if err := checkSource(g.kind, dev.host, string(g.code)); err != nil {
		return refusal{fmt.Errorf("%s: %w", g.job.Name, err)}
	}
	if g.kind == CU {
		return g.compileCU(ctx, dev.arch)
	}
	g.code = []byte(wrap(g.r, CL, g.name, string(g.code)))
	return nil
}

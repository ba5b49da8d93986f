package grade

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// Options say what is graded and where.
type Options struct {
	Submission string
	Rubric     Rubric
	// Device overrides the rubric's: "cpu" for libraries of host sorts, or a
	// device ID.
	Device string
	Sorter string // of a library with several
	// Seed gives the same inputs again; 0 draws one.
	Seed uint64
	// Command starts a child: this program and the argument child.Command.
	Command []string
	// Unconfined runs the submission with this process's rights, on kernels that
	// cannot take them away.
	Unconfined bool
	// Progress, if set, is told what comes next.
	Progress func(string)
}

// grader is one grading.
type grader struct {
	o       Options
	r       Rubric
	kind    Kind
	job     wire.Job // but for Items
	dir     string   // the child's temporary folder
	env     []string
	seeds   *seeds
	rep     Report
	info    map[uint64]wire.Info
	others  map[string][]Case // of references and copies
	printed string
}

// seeds draws the inputs' seeds.
type seeds struct{ *rand.Rand }

func (s *seeds) next() uint64 { return s.Uint64() }

// Run grades a submission. An error is the grader's or the rubric's: bad
// submissions are graded.
func Run(ctx context.Context, o Options) (Report, error) {
	start := time.Now()
	kind, err := KindOf(o.Submission)
	if err != nil {
		return Report{}, err
	}
	path, err := filepath.Abs(o.Submission)
	if err != nil {
		return Report{}, err
	}
	if _, err := os.Stat(path); err != nil {
		return Report{}, fmt.Errorf("submission: %w", err)
	}
	for o.Seed == 0 {
		var b [8]byte
		if _, err := crand.Read(b[:]); err != nil {
			return Report{}, err
		}
		o.Seed = binary.LittleEndian.Uint64(b[:])
	}
	dir, err := os.MkdirTemp("", "gpusort-grade-")
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(dir)
	g := &grader{
		o: o, r: o.Rubric, kind: kind, dir: dir, env: environment(dir),
		seeds: &seeds{rand.New(rand.NewPCG(o.Seed, 1))},
		info:  map[uint64]wire.Info{}, others: map[string][]Case{},
	}
	if g.o.Progress == nil {
		g.o.Progress = func(string) {}
	}
	if err := supported(); err != nil {
		return Report{}, err
	}
	g.rep = Report{Schema: Schema, Title: g.r.Title, Submission: filepath.Base(path), Kind: kind, Seed: o.Seed, Key: g.r.Key}
	if err := g.prepare(ctx, path); err != nil {
		var refused refusal
		if !errors.As(err, &refused) {
			return Report{}, err
		}
		g.rep.Refused = refused.Error()
	} else if err := g.measureAll(ctx); err != nil {
		return Report{}, err
	}
	g.score()
	g.rep.Printed = g.printed
	g.rep.Elapsed = time.Since(start)
	return g.rep, nil
}

// refusal is a fault of the submission that leaves nothing to measure.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// prepare chooses device and distributions and makes code that a child loads.
func (g *grader) prepare(ctx context.Context, path string) error {
	g.drawDists()
	g.rep.Device = g.o.Device
	if g.rep.Device == "" {
		g.rep.Device = g.r.Device
	}
	if !slices.Contains(g.r.Accept, string(g.kind)) {
		return refusal{fmt.Errorf("a .%s file: the rubric accepts %s%s", g.kind, strings.Join(g.r.Accept, ", "), g.kernelsOnly())}
	}
	dev, err := chooseDevice(g.kind, g.rep.Device)
	if err != nil {
		return err
	}
	g.rep.Device = dev.id
	g.job = wire.Job{Kind: string(g.kind), Path: path, Device: dev.id, Type: g.r.keyType, Sorter: g.o.Sorter, Confine: !g.o.Unconfined}
	switch g.kind {
	case SO:
		return checkLibrary(path)
	case CL:
		g.job.Path, err = g.wrapCL(path)
	case CU:
		g.o.Progress("compiling " + filepath.Base(path))
		g.job.Kind, g.job.Path, err = g.compileCU(ctx, path, dev.arch)
	}
	return err
}

func (g *grader) kernelsOnly() string {
	if slices.Contains(g.r.Accept, string(SO)) {
		return ""
	}
	return " (what sorts must be a kernel)"
}

// drawDists adds the hidden distributions and puts all in a random order.
func (g *grader) drawDists() {
	var pool []dist.Dist
	for _, d := range dist.Table() {
		known := slices.ContainsFunc(g.r.dists, func(x dist.Dist) bool { return x.Name == d.Name })
		// Not every sort orders NaN and −0 as docs/order.md does.
		special := d.Name == "specials" || strings.HasPrefix(d.Name, "entropy-")
		if !known && !(special && g.r.keyType.Row().Kind == key.Float) {
			pool = append(pool, d)
		}
	}
	g.seeds.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	g.r.dists = append(slices.Clone(g.r.dists), pool[:min(g.r.Hidden, len(pool))]...)
	g.seeds.Shuffle(len(g.r.dists), func(i, j int) { g.r.dists[i], g.r.dists[j] = g.r.dists[j], g.r.dists[i] })
}

// measureAll measures the submission at every n, a process each, and what it
// is compared with. The error is that of ctx or of a reference.
func (g *grader) measureAll(ctx context.Context) error {
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(g.r.TotalLimit), fmt.Errorf("total time limit of %v", time.Duration(g.r.TotalLimit)))
	defer cancel()
	late := uint64(0)
	for _, n := range g.r.ns() {
		if late > 0 {
			g.rep.Cases = append(g.rep.Cases, Case{N: n, Reason: fmt.Sprintf("not run, because %d keys ran into the time limit", late)})
			continue
		}
		g.o.Progress(fmt.Sprintf("n = %d", n))
		j := g.job
		j.Items, j.TempLimit = n, g.r.tempLimit(n)
		cases, info := g.measure(limited, j, g.r.dists)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		g.rep.Cases = append(g.rep.Cases, cases...)
		g.info[n] = info
		if info.Device != "" {
			g.rep.DeviceName, g.rep.Sorter = info.Device, info.Sorter
			g.rep.Kernels = info.Kernels
		}
		for _, c := range cases {
			if c.harness {
				return fmt.Errorf("grade %d keys on %s: %s", n, j.Device, c.Reason)
			}
			if c.Fatal != "" {
				g.rep.Refused = c.Fatal
				return nil
			}
			if c.late {
				late = n
			}
		}
	}
	return g.measureOthers(ctx)
}

// measureOthers measures reference sorts and copies for the criteria that need
// them and whose n was sorted right.
func (g *grader) measureOthers(ctx context.Context) error {
	other := func(kind, algo string, n uint64, name string) error {
		id := otherID(kind, algo, n, name)
		if g.others[id] != nil || !g.passed(n) {
			return nil
		}
		g.o.Progress(fmt.Sprintf("%s, n = %d", kind, n))
		j := g.job
		j.Kind, j.Algo, j.Items, j.TempLimit, j.Sorter = kind, algo, n, g.r.tempLimit(n)+1<<30, ""
		cases, _ := g.measure(ctx, j, []dist.Dist{dist.Must(name)})
		if c := cases[len(cases)-1]; !c.Passed && kind == "reference" {
			return fmt.Errorf("reference sort %s of %d keys: %s", algo, n, c.Reason)
		}
		g.others[id] = cases
		return nil
	}
	for _, s := range g.r.Speeds {
		if s.IdealShare > 0 {
			if err := other("reference", s.Reference, uint64(s.N), s.Dist); err != nil {
				return err
			}
		}
	}
	for _, b := range g.r.Bars {
		if b.Metric == CopyShare {
			if err := other("copy", "", uint64(b.N), copyDist); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyDist is a sorted input, so that a copy of it passes as a sort.
const copyDist = "sorted"

func otherID(kind, algo string, n uint64, dist string) string {
	return fmt.Sprint(kind, "/", algo, "/", n, "/", dist)
}

// passed reports whether every run of n was right.
func (g *grader) passed(n uint64) bool {
	any := false
	for _, c := range g.rep.Cases {
		if c.N == n {
			any = true
			if !c.Passed {
				return false
			}
		}
	}
	return any
}

package msd

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

var update = flag.Bool("update", false, "rewrite testdata")

var h200 = driver.Caps{
	Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", ComputeUnits: 132, WarpSize: 32, MaxThreadsPerBlock: 1024,
	SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, Arch: 90,
	ForwardProgress: true, SubGroups: true, Atomics64: true, Cooperative: true,
}

func rtx4090() driver.Caps {
	c := h200
	c.Name, c.Arch, c.SharedPerBlockMax, c.ComputeUnits = "RTX 4090", 89, 99<<10, 128
	return c
}

func problem(t key.Type, n uint64) plan.Problem {
	return plan.Problem{Type: t, Mode: plan.Keys, Items: n}
}

func argsortProblem(t key.Type, n uint64, valueBytes int) plan.Problem {
	return plan.Problem{Type: t, Mode: plan.Argsort, Items: n, ValueBytes: valueBytes}
}

// text prints a plan, one step per line.
func text(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "scratch %d, passes %d, launches %d, at least %d bytes\n", p.ScratchBytes, p.Passes, p.Launches(), p.MinBytes())
	for _, q := range p.Parts {
		fmt.Fprintf(&b, "part %-12s at %d, %d bytes\n", q.Name, q.Off, q.Bytes)
	}
	for _, s := range p.Steps {
		if s.Op == plan.OpMemset {
			fmt.Fprintf(&b, "memset %s: %v+%d %d bytes %#x\n", s.Label, s.Dst.Region, s.Dst.Off, s.Bytes, s.Pattern)
			continue
		}
		overlap := ""
		if s.Overlap {
			overlap = " overlap"
		}
		fmt.Fprintf(&b, "%v %s: %s grid %d block %d shared %d bytes %d%s\n   ", s.Op, s.Label, s.Kernel.Symbol, s.Grid[0], s.Block[0], s.SharedBytes, s.MinBytes, overlap)
		for _, a := range s.Args {
			if a.IsRef {
				fmt.Fprintf(&b, " %v+%d", a.Ref.Region, a.Ref.Off)
			} else {
				fmt.Fprintf(&b, " u%d:%d", 8*a.Size, a.Val)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestGoldenPlans(t *testing.T) {
	cases := []struct {
		name string
		p    plan.Problem
		c    driver.Caps
	}{
		{"u32-2^28", problem(key.U32, 1<<28), h200},
		{"f32-2^24", problem(key.F32, 1<<24), h200},
		{"u64-2^28", problem(key.U64, 1<<28), h200},
		{"i64-2^22", problem(key.I64, 1<<22), h200},
		{"u32-2^26-ptx", problem(key.U32, 1<<26), rtx4090()},
		{"u32-argsort-2^28", argsortProblem(key.U32, 1<<28, 4), h200},
		{"f32-argsort64-2^23", argsortProblem(key.F32, 1<<23, 8), h200},
		{"u64-argsort-2^28", argsortProblem(key.U64, 1<<28, 4), h200},
		{"u64-argsort-2^24", argsortProblem(key.U64, 1<<24, 4), h200},
		{"u32-argsort-2^24", argsortProblem(key.U32, 1<<24, 4), h200},
		{"u32-pairs-2^24", plan.Problem{Type: key.U32, Mode: plan.Pairs, Items: 1 << 24, ValueBytes: 4}, h200},
		{"f64-2^29", problem(key.F64, 1<<29), h200},
		{"i64-argsort64-2^29", argsortProblem(key.I64, 1<<29, 8), h200},
		{"f64-argsort64-2^24-ptx", argsortProblem(key.F64, 1<<24, 8), rtx4090()},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := Plan(c.p, c.c, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			got, path := text(p), filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (-update rewrites):\n%s", path, got)
			}
		})
	}
}

// TestPlanBounds: scratch within its bound, every argument inside its region,
// shared memory within the device's, grids that cover the keys.
func TestPlanBounds(t *testing.T) {
	for _, c := range []driver.Caps{h200, rtx4090()} {
		for _, kt := range []key.Type{key.U32, key.I32, key.F32, key.U64, key.I64, key.F64} {
			for n := uint64(1) << 20; n < 1<<31; n += n/3 + 12345 {
				planBounds(t, problem(kt, n), c)
				planBounds(t, argsortProblem(kt, n, 4), c)
				planBounds(t, argsortProblem(kt, n, 8), c)
			}
			most := uint64(4160) << maxBits // of argsort
			planBounds(t, argsortProblem(kt, most, 4), c)
			planBounds(t, argsortProblem(kt, most, 8), c)
		}
	}
}

func planBounds(t *testing.T, p plan.Problem, c driver.Caps) {
	got, err := Plan(p, c, algo.Params{})
	if errors.Is(err, driver.ErrUnsupported) {
		return
	}
	if err != nil {
		t.Fatalf("%s %+v: %v", c.Name, p, err)
	}
	if bound := p.ScratchBound(); got.ScratchBytes > bound {
		t.Errorf("%s %+v: %d bytes of scratch, bound %d", c.Name, p, got.ScratchBytes, bound)
	}
	pol, _ := policy(p, c)
	if p.Mode == plan.Argsort {
		pol, _ = wordPolicy(c)
	}
	fallback := p.Mode == plan.Argsort && p.Items > mostItems(pol.Mean)
	if mean := p.Items >> bits(p.Items, pol); got.Algorithm == "radix-msd" && p.Mode != plan.Pairs && mean > uint64(pol.Mean) && !fallback && !isLong(p, c) {
		t.Errorf("%+v: buckets of %d keys", p, mean)
	}
	sizes := map[plan.Region]uint64{plan.KeysIO: p.KeyBytes(), plan.ValuesIO: p.ValuesBytes(), plan.Scratch: got.ScratchBytes}
	for _, s := range got.Steps {
		if uint64(s.SharedBytes) > c.SharedPerBlockMax || s.Op == plan.OpLaunch && (s.Grid[0] == 0 || s.Block[0] > 1024) {
			t.Errorf("%+v: %s: shared %d grid %d block %d", p, s.Label, s.SharedBytes, s.Grid[0], s.Block[0])
		}
		for i, a := range s.Args {
			if a.IsRef && i >= 3 && strings.HasSuffix(s.Kernel.Symbol, "pass_32_pairs64") && a.Ref.Off%8 != 0 {
				t.Errorf("%+v: %s: values of 8 bytes at %+v", p, s.Label, a.Ref)
			}
			if a.IsRef && a.Ref.Off >= sizes[a.Ref.Region] {
				t.Errorf("%+v: %s: argument past the %v", p, s.Label, a.Ref.Region)
			}
		}
	}
}

// TestRankPassCleared: the sample clears the control block of the pass by ranks, of which the launch before that pass
// writes a part.
func TestRankPassCleared(t *testing.T) {
	for _, p := range []plan.Problem{argsortProblem(key.U32, 1<<24, 4), argsortProblem(key.I64, 1<<24, 8), {Type: key.F64, Mode: plan.Pairs, ValueBytes: 4, Items: 1 << 24}} {
		c := h200
		c.Cooperative = true
		pl, err := Plan(p, c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "control of the pass by ranks" })
		if at < 0 {
			t.Fatalf("%+v: no such part", p)
		}
		args := pl.Steps[0].Args // the sample's: of its last four, the first two are what it clears, in vectors
		if cleared := args[len(args)-3].Val * 16; pl.Steps[0].Label != "sample" || pl.Parts[at].Off+pl.Parts[at].Bytes > cleared {
			t.Errorf("%+v: %+v, %q clears %d bytes", p, pl.Parts[at], pl.Steps[0].Label, cleared)
		}
	}
}

// TestArgsortFallback: passes by upper halves, within the bound on scratch, whatever the
// number of keys.
func TestArgsortFallback(t *testing.T) {
	for _, c := range []driver.Caps{h200, rtx4090()} {
		for _, valueBytes := range []int{4, 8} {
			for n := uint64(1) << leastArgsort32; n <= mostArgsort; n += n / 64 {
				p := argsortProblem(key.F32, n, valueBytes)
				pl, err := Plan(p, c, algo.Params{})
				if errors.Is(err, driver.ErrUnsupported) && n > 1<<27 { // shared memory of the RTX 4090
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(text(pl), "gs_onesweep_upper_32") {
					t.Errorf("%s, %d keys: no passes by upper halves", c.Name, n)
				}
				if pl.ScratchBytes > p.ScratchBound() {
					t.Errorf("%s, %d keys: %d bytes of scratch, bound %d", c.Name, n, pl.ScratchBytes, p.ScratchBound())
				}
			}
		}
	}
}

// TestArgsortFallback64: passes over whole keys, whose look-back words are cleared together
// as long as they are few, and within the bound on scratch.
func TestArgsortFallback64(t *testing.T) {
	for _, c := range []driver.Caps{h200, rtx4090()} {
		for _, valueBytes := range []int{4, 8} {
			for _, n := range []uint64{1 << leastArgsort64, 5_000_001, 15_000_000, 1 << 24, 1<<24 + 1, 1 << 26, 1 << 28} {
				p := argsortProblem(key.F64, n, valueBytes)
				pl, err := Plan(p, c, algo.Params{})
				if errors.Is(err, driver.ErrUnsupported) && n == 1<<28 { // shared memory of the RTX 4090
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				clears, passes := strings.Count(text(pl), "fallback: clear look-back")+strings.Count(text(pl), "halves: clear look-back"), strings.Count(text(pl), "gs_onesweep_upper_64")
				if together := clears == 2; passes != 4 || !together && clears != 8 || together != (n <= 1<<24+1 && c.Name == h200.Name || n <= 5_000_001) {
					t.Errorf("%s, %d keys: %d passes over whole keys, look-back words cleared %d times", c.Name, n, passes, clears)
				}
				if pl.ScratchBytes > p.ScratchBound() {
					t.Errorf("%s, %d keys: %d bytes of scratch, bound %d", c.Name, n, pl.ScratchBytes, p.ScratchBound())
				}
			}
		}
	}
}

// TestPolicies: the conditions that the kernels state, and buckets that hold
// six standard deviations more than their mean.
func TestPolicies(t *testing.T) {
	for _, target := range []string{"sm_90", "ptx"} {
		for _, width := range []int{32, 64} {
			p, ok := tune.MsdCudaFor(target, width, 0)
			if !ok {
				t.Fatalf("no row for %s, %d bits", target, width)
			}
			largest := p.RunsKeys
			if p.HalvesThreads != 0 {
				largest = min(largest, p.HalvesKeys)
			}
			room := float64(largest - 3 - p.Mean)
			if room*room < 36*float64(p.Mean) {
				t.Errorf("%s %d: buckets of %d keys overflow %d too often", target, width, p.Mean, largest)
			}
			if p.FirstThreads/32*p.FirstItems > 255 || p.SecondThreads/32*p.SecondItems > 255 {
				t.Errorf("%s %d: a column's counter overflows", target, width)
			}
		}
	}
}

func TestUnsupported(t *testing.T) {
	old, little := h200, h200
	old.Arch = 75
	little.SharedPerBlockMax = 64 << 10
	for _, c := range []struct {
		p plan.Problem
		c driver.Caps
	}{
		{problem(key.U32, 1<<29), h200},
		{problem(key.U16, 1<<28), h200},
		{argsortProblem(key.U32, 1<<31, 4), h200},
		{argsortProblem(key.U64, 1<<30+1, 4), h200},
		{problem(key.F64, 1<<31), h200},
		{argsortProblem(key.U16, 1<<28, 4), h200},
		{argsortProblem(key.U32, 1<<28, 4), old},
		{argsortProblem(key.U64, 1<<28, 8), little},
		{problem(key.U32, 1<<28), old},
		{problem(key.U32, 1<<28), little},
	} {
		if _, err := Plan(c.p, c.c, algo.Params{}); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%+v on %s: %v, want ErrUnsupported", c.p, c.c.Name, err)
		}
	}
	// A piece of a larger sort is planned, but not offered.
	piece := problem(key.U32, 1<<20)
	if err := Algorithm().Check(piece, h200); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("few keys: %v, want ErrUnsupported", err)
	}
	if p, err := Plan(piece, h200, algo.Params{}); err != nil || p.Algorithm != "onesweep" {
		t.Errorf("few keys: a plan of %q, %v", p.Algorithm, err)
	}
	if _, err := Plan(problem(key.U32, 1<<28), h200, algo.Params{Threads: 128}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("foreign thread count: %v", err)
	}
}

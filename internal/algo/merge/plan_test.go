package merge

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var update = flag.Bool("update", false, "rewrite the golden plans")

// The devices of the plan tests.
var devices = map[string]driver.Caps{
	"cuda":  {Backend: "cuda", ID: "cuda:0", Arch: 90, ComputeUnits: 132, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10},
	"ptx":   {Backend: "cuda", ID: "cuda:0", Arch: 61, ComputeUnits: 6, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10},
	"gpu":   {Backend: "opencl", ID: "opencl:0", ComputeUnits: 60, MaxThreadsPerBlock: 1024, SharedPerBlock: 64 << 10},
	"tiny":  {Backend: "opencl", ID: "opencl:0", ComputeUnits: 4, MaxThreadsPerBlock: 64, SharedPerBlock: 16 << 10},
	"pocl":  {Backend: "opencl", ID: "opencl:0", ComputeUnits: 2, MaxThreadsPerBlock: 4096, SharedPerBlock: 1 << 20, CPU: true},
	"quiet": {Backend: "opencl", ID: "opencl:0"},
}

// tileOf is the number of items that a block of the first launch sorts.
func tileOf(t testing.TB, a algo.Algorithm, p plan.Problem, c driver.Caps, l algo.Params) int {
	t.Helper()
	p.Items = 1 << 30
	g, err := pathGeometry(p, c, l)
	if a.Name == separatorsName {
		g, err = separatorsGeometry(p, c, l)
	}
	if err != nil {
		t.Fatal(err)
	}
	return int(g.tile(g.blockThreads))
}

// text writes a plan down.
func text(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v %v %d values of %d bytes, %d passes, scratch %d, moves %d\n", p.Algorithm, p.Problem.Type, p.Problem.Mode,
		p.Problem.Items, p.Problem.ValueBytes, p.Passes, p.ScratchBytes, p.MinBytes())
	for _, part := range p.Parts {
		fmt.Fprintf(&b, "  %s at %d, %d bytes\n", part.Name, part.Off, part.Bytes)
	}
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s: %s %s <%dx%d, %d, %d>(", s.Label, s.Kernel.Module, s.Kernel.Symbol, s.Grid[0], s.Grid[1], s.Block[0], s.SharedBytes)
		for i, a := range s.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			if a.IsRef {
				fmt.Fprintf(&b, "%v+%d", a.Ref.Region, a.Ref.Off)
			} else {
				fmt.Fprintf(&b, "%d:%d", a.Val, a.Size)
			}
		}
		fmt.Fprintf(&b, ") %d bytes\n", s.MinBytes)
	}
	return b.String()
}

func TestGoldenPlans(t *testing.T) {
	for _, tc := range []struct {
		name, device string
		a            algo.Algorithm
		p            plan.Problem
		l            algo.Params
	}{
		{"path-empty", "cuda", Path, plan.Problem{Type: key.U32}, algo.Params{}},
		{"path-one", "cuda", Path, plan.Problem{Type: key.U32, Mode: plan.Argsort, ValueBytes: 4, Items: 1}, algo.Params{}},
		{"path-small", "cuda", Path, plan.Problem{Type: key.F32, Items: 5000, Order: key.Order{Desc: true}}, algo.Params{}},
		{"path-middle", "cuda", Path, plan.Problem{Type: key.U32, Items: 1 << 16}, algo.Params{}},
		{"path-u32", "cuda", Path, plan.Problem{Type: key.U32, Items: 1 << 24}, algo.Params{}},
		{"path-pairs", "ptx", Path, plan.Problem{Type: key.I64, Mode: plan.Pairs, ValueBytes: 8, Items: 100000}, algo.Params{}},
		{"path-argsort", "gpu", Path, plan.Problem{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Items: 10000}, algo.Params{}},
		{"path-layout", "cuda", Path, plan.Problem{Type: key.U8, Items: 3000}, algo.Params{Threads: 64, Blocks: 5}},
		{"separators-report", "cuda", Separators, plan.Problem{Type: key.U32, Items: 1 << 16}, algo.Params{}},
		{"separators-layout", "pocl", Separators, plan.Problem{Type: key.I16, Mode: plan.Pairs, ValueBytes: 4, Items: 5000}, algo.Params{Threads: 64, Blocks: 6}},
		{"separators-argsort", "tiny", Separators, plan.Problem{Type: key.U64, Mode: plan.Argsort, ValueBytes: 8, Items: 3000}, algo.Params{}},
		{"separators-large", "cuda", Separators, plan.Problem{Type: key.U32, Items: 1 << 30}, algo.Params{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pl, err := tc.a.Plan(tc.p, devices[tc.device], tc.l)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := tc.a.Plan(tc.p, devices[tc.device], tc.l)
			if !reflect.DeepEqual(pl, again) {
				t.Error("two plans of one problem differ")
			}
			file := filepath.Join("testdata", tc.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(text(pl)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(pl); got != string(want) {
				t.Errorf("got\n%swant\n%s(go test -update rewrites it)", got, want)
			}
		})
	}
}

// TestPlanShape: the last step writes the caller's memory, no step reads what it
// writes but the first, and the scratch stays in its bounds.
func TestPlanShape(t *testing.T) {
	for name, c := range devices {
		for _, a := range both {
			for _, row := range key.Table() {
				for _, p := range kerneltest.Forms(row.Type) {
					for _, p.Items = range []uint64{1, 100, 4097, 1 << 17, 1 << 22, 1<<27 + 5, 1<<32 + 12345, 1 << 34} {
						if p.Validate() != nil {
							continue
						}
						pl, err := a.Plan(p, c, algo.Params{})
						if err != nil {
							t.Fatalf("%s %s %+v: %v", name, a.Name, p, err)
						}
						most := p.KeyBytes() + p.ValuesBytes() + 64<<20
						if p.Mode == plan.Argsort {
							most += p.KeyBytes()
						}
						if p.Items <= 1<<27+5 && pl.ScratchBytes > most {
							t.Errorf("%s %s %+v: %d bytes of scratch, want at most %d", name, a.Name, p, pl.ScratchBytes, most)
						}
						checkSteps(t, name+" "+a.Name, p, pl, c)
					}
				}
			}
		}
	}
}

func checkSteps(t *testing.T, what string, p plan.Problem, pl plan.Plan, c driver.Caps) {
	t.Helper()
	first := true
	for i, s := range pl.Steps {
		if s.Grid[0] == 0 || s.Grid[1] > maxPairs || c.MaxThreadsPerBlock != 0 && s.Block[0] > uint32(c.MaxThreadsPerBlock) {
			t.Errorf("%s %+v: step %q cannot be launched: %v %v", what, p, s.Label, s.Grid, s.Block)
		}
		if strings.HasPrefix(s.Label, "partition") || strings.HasPrefix(s.Label, "separators") {
			continue
		}
		for v := 0; v < 4 && v < 2*min(1+p.ValueBytes, 2); v += 2 {
			in, out := s.Args[v].Ref, s.Args[v+1].Ref
			dropped := p.Mode == plan.Argsort && v == 0 && i == len(pl.Steps)-1
			if !first && in == out && !dropped {
				t.Errorf("%s %+v: step %q reads what it writes", what, p, s.Label)
			}
			if p.Mode == plan.Argsort && v == 0 && out.Region == plan.KeysIO && i != 0 {
				t.Errorf("%s %+v: step %q writes the keys of an argsort", what, p, s.Label)
			}
			if i == len(pl.Steps)-1 && (v == 2 || p.Mode != plan.Argsort) && out.Region == plan.Scratch {
				t.Errorf("%s %+v: the last step writes to scratch", what, p)
			}
		}
		first = false
	}
}

func TestLayouts(t *testing.T) {
	p := plan.Problem{Type: key.U32, Items: 1 << 20}
	for _, tc := range []struct {
		device string
		l      algo.Params
		p      plan.Problem
		want   string // in the error of both; empty: none
	}{
		{"cuda", algo.Params{Threads: 1024, Blocks: 1}, p, ""},
		{"cuda", algo.Params{Threads: 32, Blocks: 100000}, p, ""},
		{"cuda", algo.Params{Threads: 48}, p, "power of two from 32 to 1024"},
		{"cuda", algo.Params{Threads: 16}, p, "power of two"},
		{"cuda", algo.Params{Threads: 2048}, p, "power of two"},
		{"cuda", algo.Params{Blocks: 1 << 31}, p, "blocks: a grid has at most"},
		{"tiny", algo.Params{Threads: 128}, p, "opencl:0 allows 64"},
		{"ptx", algo.Params{Threads: 1024}, plan.Problem{Type: key.U64, Items: 1 << 20}, "bytes of shared memory"},
		{"cuda", algo.Params{Threads: 32}, plan.Problem{Type: key.U8, Items: 1 << 42}, "give more threads"},
	} {
		for _, a := range both {
			_, err := a.Plan(tc.p, devices[tc.device], tc.l)
			switch {
			case tc.want == "" && err != nil, tc.want != "" && (err == nil || !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s on %s with %+v: %v, want %q", a.Name, tc.device, tc.l, err, tc.want)
			}
		}
	}
	for _, c := range []driver.Caps{{Backend: "vulkan"}, {Backend: "opencl", MaxThreadsPerBlock: 16}, {Backend: "opencl", SharedPerBlock: 512}} {
		for _, a := range both {
			if err := a.Check(p, c); !errors.Is(err, driver.ErrUnsupported) {
				t.Errorf("%s on %+v: %v, want ErrUnsupported", a.Name, c, err)
			}
		}
	}
}

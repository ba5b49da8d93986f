package small

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var update = flag.Bool("update", false, "rewrite testdata")

var h200 = driver.Caps{
	Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", ComputeUnits: 132, WarpSize: 32, MaxThreadsPerBlock: 1024,
	SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, Arch: 90,
	ForwardProgress: true, SubGroups: true, Atomics64: true, Cooperative: true,
}

var gtx1050 = driver.Caps{
	Backend: "cuda", ID: "cuda:0", Name: "GTX 1050 Ti", ComputeUnits: 6, WarpSize: 32, MaxThreadsPerBlock: 1024,
	SharedPerBlock: 48 << 10, SharedPerBlockMax: 48 << 10, Arch: 61,
	ForwardProgress: true, SubGroups: true, Atomics64: true, Cooperative: true,
}

func problem(t key.Type, m plan.Mode, valueBytes int, n uint64) plan.Problem {
	return plan.Problem{Type: t, Mode: m, Items: n, ValueBytes: valueBytes}
}

// text prints a plan, one step per line.
func text(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: scratch %d, passes %d, at least %d bytes\n", p.Algorithm, p.ScratchBytes, p.Passes, p.MinBytes())
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%v %s: %s grid %d block %d cooperative %v shared %d\n   ", s.Op, s.Label, s.Kernel.Symbol, s.Grid[0], s.Block[0], s.Cooperative, s.SharedBytes)
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
	var got strings.Builder
	for _, k := range []struct {
		plan planner
		p    plan.Problem
		c    driver.Caps
	}{
		{planBlock, problem(key.U32, plan.Keys, 0, 0), h200},
		{planBlock, problem(key.U32, plan.Keys, 0, 1), h200},
		{planBlock, problem(key.F64, plan.Argsort, 8, 1), h200},
		{planBlock, problem(key.U32, plan.Keys, 0, 1<<10), h200},
		{planBlock, problem(key.U64, plan.Keys, 0, 1<<12), h200},
		{planBlock, problem(key.U64, plan.Pairs, 8, 1<<12), h200},
		{planBlock, problem(key.I64, plan.Argsort, 4, 2000), gtx1050},
		{planBlock, problem(key.F32, plan.Keys, 0, 4097), h200},
		{planBlock, problem(key.U32, plan.Argsort, 4, 5120), h200},
		{planBlock, problem(key.U16, plan.Keys, 0, 1024), h200},
		{planBlock, problem(key.U16, plan.Keys, 0, 1025), h200},
		{planBlock, problem(key.U64, plan.Argsort, 4, 5000), h200},
		{planBlock, problem(key.I8, plan.Keys, 0, 4096), gtx1050},
		{planBlock, problem(key.U16, plan.Pairs, 8, 4096), h200},
		{planGrid, problem(key.U32, plan.Keys, 0, 1<<20), h200},
		{planGrid, problem(key.U64, plan.Keys, 0, 1<<18), h200},
		{planGrid, problem(key.U8, plan.Argsort, 4, 1<<16), h200},
		{planGrid, problem(key.F64, plan.Argsort, 8, 1<<18), h200},
		{planGrid, problem(key.U64, plan.Pairs, 4, 3000), h200},
	} {
		pl, err := k.plan(k.p, k.c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "# %s: %v %v, values of %d bytes, n = %d\n%s\n", k.c.Name, k.p.Type, k.p.Mode, k.p.ValueBytes, k.p.Items, text(pl))
	}
	file := filepath.Join("testdata", "plans.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("plans differ from %s; see the change with -update:\n%s", file, got.String())
	}
}

// TestLimits: what does not fit is refused, by the kind of error that makes
// the engine take another algorithm, and never planned.
func TestLimits(t *testing.T) {
	for _, k := range []struct {
		name string
		plan planner
		most uint64 // 0: none
		p    plan.Problem
		c    driver.Caps
		l    algo.Params
	}{
		{name: "block", plan: planBlock, most: 4096, p: problem(key.U64, plan.Pairs, 8, 0), c: h200},
		{name: "block, keys of 32 bits", plan: planBlock, most: 5120, p: problem(key.U32, plan.Keys, 0, 0), c: h200},
		{name: "block, pairs of 32 bits", plan: planBlock, most: 5120, p: problem(key.F32, plan.Pairs, 4, 0), c: h200},
		{name: "block, values of 64 bits", plan: planBlock, most: 4096, p: problem(key.F32, plan.Pairs, 8, 0), c: h200},
		{name: "block, narrow keys", plan: planBlock, most: 4096, p: problem(key.I16, plan.Keys, 0, 0), c: h200},
		{name: "block, pairs of 64 bits and 32", plan: planBlock, most: 5120, p: problem(key.U64, plan.Pairs, 4, 0), c: h200},
		{name: "block, narrow pairs", plan: planBlock, most: 4096, p: problem(key.I16, plan.Pairs, 4, 0), c: h200},
		{name: "block, narrow keys, PTX", plan: planBlock, most: 4096, p: problem(key.U8, plan.Keys, 0, 0), c: gtx1050},
		{name: "block, PTX", plan: planBlock, most: 2048, p: problem(key.U64, plan.Pairs, 8, 0), c: gtx1050},
		{name: "grid", plan: planGrid, most: 132 * 1024 * 8, p: problem(key.U32, plan.Keys, 0, 0), c: h200},
		{name: "grid, pairs", plan: planGrid, most: 132 * 512 * 16, p: problem(key.U64, plan.Pairs, 8, 0), c: h200},
		{name: "grid, old device", plan: planGrid, p: problem(key.U32, plan.Keys, 0, 0), c: gtx1050},
		{name: "block, threads", plan: planBlock, p: problem(key.U32, plan.Keys, 0, 0), c: h200, l: algo.Params{Threads: 64}},
	} {
		t.Run(k.name, func(t *testing.T) {
			for _, n := range []uint64{k.most, k.most + 1} {
				k.p.Items = n
				_, err := k.plan(k.p, k.c, k.l)
				if fits := n <= k.most && k.most != 0; fits != (err == nil) || err != nil && !errors.Is(err, driver.ErrUnsupported) {
					t.Errorf("n = %d: %v", n, err)
				}
			}
		})
	}
}

// TestEntriesEmbedded: every kernel that a plan may name is in the machine code.
func TestEntriesEmbedded(t *testing.T) {
	for _, im := range kernel.Images("cuda", module) {
		data, err := im.Data()
		if err != nil {
			t.Fatal(err)
		}
		for _, symbol := range []string{"gs_small_more_32_keys", "gs_small_more_32_pairs32", "gs_small_more_64_keys", "gs_small_more_64_pairs32"} {
			if !im.PTX() && !strings.Contains(string(data), symbol) {
				t.Errorf("%s lacks %s", im.File, symbol)
			}
		}
		for _, p := range problems() {
			for _, stage := range []string{"few", "many", "grid"} {
				if im.PTX() && stage == "grid" {
					continue
				}
				if symbol := kernel.Entry(module, stage, p.Type.Bits(), p.ValueBytes).Symbol; !strings.Contains(string(data), symbol) {
					t.Errorf("%s lacks %s", im.File, symbol)
				}
			}
		}
	}
}

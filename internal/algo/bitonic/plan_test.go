package bitonic

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

// The devices of the plan tests: an H200, a GTX 1050 Ti, a plain GPU and a
// processor under OpenCL.
var devices = map[string]driver.Caps{
	"h200": {Backend: "cuda", ID: "cuda:0", Arch: 90, ComputeUnits: 132, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10},
	"ptx":  {Backend: "cuda", ID: "cuda:0", Arch: 61, ComputeUnits: 6, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10},
	"gpu":  {Backend: "opencl", ID: "opencl:0", Vendor: "Acme", ComputeUnits: 40, MaxThreadsPerBlock: 256, SharedPerBlock: 32 << 10},
	"host": {Backend: "opencl", ID: "opencl:0", CPU: true, ComputeUnits: 2, MaxThreadsPerBlock: 4096, SharedPerBlock: 1 << 20},
}

func render(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d launches, %d passes, scratch %d, at least %d bytes moved\n",
		p.Algorithm, p.Launches(), p.Passes, p.ScratchBytes, p.MinBytes())
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s: %s %s <<<%d, %d, %d>>> (", s.Label, s.Kernel.Module, s.Kernel.Symbol, s.Grid[0], s.Block[0], s.SharedBytes)
		for i, a := range s.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			if a.IsRef {
				fmt.Fprintf(&b, "%v+%d", a.Ref.Region, a.Ref.Off)
			} else {
				fmt.Fprint(&b, a.Val)
			}
		}
		fmt.Fprintf(&b, ") %d bytes\n", s.MinBytes)
	}
	return b.String()
}

func TestGoldenPlans(t *testing.T) {
	for _, tc := range []struct {
		v      Variant
		device string
		p      plan.Problem
		l      algo.Params
	}{
		{Naive, "h200", plan.Problem{Type: key.F32, Items: 100}, algo.Params{}},
		{Grid, "h200", plan.Problem{Type: key.U16, Items: 100, Order: key.Order{Desc: true}}, algo.Params{}},
		{Div, "gpu", plan.Problem{Type: key.U64, Items: 33}, algo.Params{Threads: 96, Blocks: 5}},
		{Pairs, "ptx", plan.Problem{Type: key.U8, Mode: plan.Pairs, ValueBytes: 8, Items: 17}, algo.Params{}},
		{Presort, "h200", plan.Problem{Type: key.I32, Items: 5000}, algo.Params{}},
		{SharedStep, "h200", plan.Problem{Type: key.U32, Items: 4097}, algo.Params{}},
		{Shared, "host", plan.Problem{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Items: 10000}, algo.Params{}},
		{Best, "h200", plan.Problem{Type: key.U32, Items: 1 << 24}, algo.Params{}},
		{Best, "gpu", plan.Problem{Type: key.U8, Mode: plan.Pairs, ValueBytes: 4, Items: 1<<32 + 1}, algo.Params{}},
	} {
		name := fmt.Sprintf("%v-%s", tc.v, tc.device)
		t.Run(name, func(t *testing.T) {
			got, err := makePlan(tc.v, tc.p, devices[tc.device], tc.l)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := makePlan(tc.v, tc.p, devices[tc.device], tc.l)
			if !reflect.DeepEqual(got, again) {
				t.Error("two plans of one problem differ")
			}
			file, text := filepath.Join("testdata", name+".txt"), render(got)
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; -update writes it", err)
			}
			if text != string(want) {
				t.Errorf("the plan has changed; -update accepts it:\n%s", text)
			}
		})
	}
}

// TestLaunches holds the numbers of launches that the page of the family states
// for 2^24 keys of 32 bits.
func TestLaunches(t *testing.T) {
	for v, want := range map[Variant]int{Naive: 300, Grid: 300, Div: 300, Pairs: 300, Presort: 235, SharedStep: 235, Shared: 105, Best: 33} {
		pl, err := makePlan(v, plan.Problem{Type: key.U32, Items: 1 << 24}, devices["h200"], algo.Params{})
		if err != nil || pl.Launches() != want {
			t.Errorf("%v: %d launches, want %d; %v", v, pl.Launches(), want, err)
		}
	}
}

// TestScratch: none for keys, one element per item otherwise.
func TestScratch(t *testing.T) {
	for _, row := range key.Table() {
		for _, p := range kerneltest.Forms(row.Type) {
			for _, n := range []uint64{1, 1000, 1 << 32, 1<<32 + 1} {
				if p.Items = n; p.Validate() != nil {
					continue
				}
				pl, err := makePlan(Best, p, devices["h200"], algo.Params{})
				if err != nil {
					t.Fatal(err)
				}
				want := 16 * n
				switch {
				case p.Mode == plan.Keys || n < 2 && p.Mode == plan.Pairs:
					want = 0
				case row.Type.Bits() <= 32 && n <= 1<<32:
					want = 8 * n
				}
				if pl.ScratchBytes != want {
					t.Errorf("%v %v of %d: scratch %d, want %d", p.Type, p.Mode, n, pl.ScratchBytes, want)
				}
			}
		}
	}
}

// TestLimits: layouts that cannot be launched are refused by the planner.
func TestLimits(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 1 << 20}
	for _, tc := range []struct {
		v      Variant
		device string
		l      algo.Params
		says   string
	}{
		{Naive, "h200", algo.Params{Threads: 1025}, "allows 1024"},
		{Naive, "gpu", algo.Params{Threads: 512}, "allows 256"},
		{Grid, "h200", algo.Params{Blocks: 1 << 31}, "at most 2147483647"},
		{Best, "h200", algo.Params{Threads: 96}, "power of two"},
		{Best, "h200", algo.Params{Threads: 16}, "power of two"},
		{Best, "h200", algo.Params{Threads: 1024}, "power of two"},
		{Best, "ptx", algo.Params{Threads: 512}, "shared memory"},
	} {
		_, err := makePlan(tc.v, p, devices[tc.device], tc.l)
		if !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v %+v on %s: %v, want %q", tc.v, tc.l, tc.device, err, tc.says)
		}
	}
	small := driver.Caps{Backend: "cuda", ID: "cuda:0", SharedPerBlock: 8 << 10, MaxThreadsPerBlock: 1024}
	for _, v := range all {
		err := Algorithm(v).Check(p, small)
		if needs := v >= Presort; needs != errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%v with 8 KB of shared memory: %v", v, err)
		}
		if err := Algorithm(v).Check(p, driver.Caps{Backend: "vulkan"}); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%v on vulkan: %v", v, err)
		}
	}
}

package lsd

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

// The devices of the plan tests: an H200, a plain GPU, one with little room, and
// PoCL.
var devices = map[string]driver.Caps{
	"nvidia": {Backend: "opencl", ID: "opencl:0", Vendor: "NVIDIA Corporation", ComputeUnits: 132, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10},
	"simt":   {Backend: "opencl", ID: "opencl:0", Vendor: "Acme", ComputeUnits: 40, MaxThreadsPerBlock: 256, SharedPerBlock: 64 << 10},
	"tiny":   {Backend: "opencl", ID: "opencl:0", Vendor: "Acme", ComputeUnits: 4, MaxThreadsPerBlock: 64, SharedPerBlock: 16 << 10},
	"serial": {Backend: "opencl", ID: "opencl:0", CPU: true, ComputeUnits: 2, MaxThreadsPerBlock: 4096, SharedPerBlock: 1 << 20},
}

func render(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d steps, %d launches, %d passes, scratch %d, at least %d bytes moved\n",
		p.Algorithm, len(p.Steps), p.Launches(), p.Passes, p.ScratchBytes, p.MinBytes())
	for _, x := range p.Parts {
		fmt.Fprintf(&b, "  %-16s at %d, %d bytes\n", x.Name, x.Off, x.Bytes)
	}
	for _, s := range p.Steps {
		if s.Op != plan.OpLaunch {
			fmt.Fprintf(&b, "%v %s: %v+%d, %d bytes\n", s.Op, s.Label, s.Dst.Region, s.Dst.Off, s.Bytes)
			continue
		}
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
		name, device string
		p            plan.Problem
	}{
		{"empty", "simt", plan.Problem{Type: key.U32}},
		{"small-pairs", "nvidia", plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 1000}},
		{"small-argsort-serial", "serial", plan.Problem{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8, Items: 1000}},
		{"u32-keys-nvidia", "nvidia", plan.Problem{Type: key.U32, Items: 1 << 26}},
		{"i64-pairs-serial", "serial", plan.Problem{Type: key.I64, Mode: plan.Pairs, ValueBytes: 8, Items: 1 << 20}},
		{"f32-argsort-simt", "simt", plan.Problem{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Items: 1 << 20, Order: key.Order{Desc: true}}},
		{"u8-past-32-bits", "nvidia", plan.Problem{Type: key.U8, Items: 1<<32 + 12345}},
		{"u16-argsort-tiny", "tiny", plan.Problem{Type: key.U16, Mode: plan.Argsort, ValueBytes: 8, Items: 1 << 33}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Algorithm.Plan(tc.p, devices[tc.device], algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			again, _ := Algorithm.Plan(tc.p, devices[tc.device], algo.Params{})
			if !reflect.DeepEqual(got, again) {
				t.Error("two plans of one problem differ")
			}
			file := filepath.Join("testdata", tc.name+".txt")
			text := render(got)
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

// TestScratchBound holds every form on every device to n keys, n values and 64
// MB, and every group to what its 32-bit counters hold.
func TestScratchBound(t *testing.T) {
	for name, c := range devices {
		for _, row := range key.Table() {
			for _, p := range kerneltest.Forms(row.Type) {
				for _, n := range []uint64{1, 100, 40000, 1 << 20, 1<<28 + 1, 1<<32 - 1, 1 << 34, 1 << 40} {
					if p.Items = n; p.Mode == plan.Argsort && p.ValueBytes == 4 && n > 1<<32 {
						continue
					}
					pl, err := Algorithm.Plan(p, c, algo.Params{})
					if err != nil {
						t.Fatal(err)
					}
					if most := p.KeyBytes() + p.ValuesBytes() + 64e6; pl.ScratchBytes > most {
						t.Errorf("%s, %v %v of %d: scratch %d, want at most %d", name, p.Type, p.Mode, n, pl.ScratchBytes, most)
					}
					for _, s := range pl.Steps {
						if strings.HasPrefix(s.Label, "upsweep") && n/uint64(s.Grid[0]) > groupItems {
							t.Errorf("%s, %v %v of %d: %d groups are too few for 32-bit counters", name, p.Type, p.Mode, n, s.Grid[0])
						}
					}
				}
			}
		}
	}
}

func TestSupports(t *testing.T) {
	p := plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8, Items: 10}
	for name, c := range devices {
		if err := Algorithm.Check(p, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []driver.Caps{
		{Backend: "opencl", MaxThreadsPerBlock: 32},
		{Backend: "opencl", MaxThreadsPerBlock: 64, SharedPerBlock: 4 << 10},
		{Backend: "vulkan"},
	} {
		if err := Algorithm.Check(p, c); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%+v: %v, want ErrUnsupported", c, err)
		}
	}
	if _, err := Algorithm.Plan(p, devices["simt"], algo.Params{Threads: 7}); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "compiled for") {
		t.Errorf("7 threads: %v", err)
	}
	if err := Algorithm.Check(p, driver.Caps{Backend: "cuda"}); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "name onesweep") {
		t.Errorf("CUDA: %v, want what to name there", err)
	}
}

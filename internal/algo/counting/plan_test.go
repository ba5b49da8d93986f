package counting

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
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var update = flag.Bool("update", false, "rewrite testdata")

// text writes a plan as golden files hold it.
func text(p plan.Plan) string {
	var b strings.Builder
	for _, x := range p.Parts {
		fmt.Fprintf(&b, "part %-28s %10d +%d\n", x.Name, x.Off, x.Bytes)
	}
	for _, s := range p.Steps {
		if s.Op == plan.OpMemset {
			fmt.Fprintf(&b, "memset %s: %v+%d %d bytes\n", s.Label, s.Dst.Region, s.Dst.Off, s.Bytes)
			continue
		}
		fmt.Fprintf(&b, "launch %s: %s grid %d block %d shared %d least %d:", s.Label, s.Kernel.Symbol, s.Grid[0], s.Block[0], s.SharedBytes, s.MinBytes)
		for _, a := range s.Args {
			if a.IsRef {
				fmt.Fprintf(&b, " %v+%d", a.Ref.Region, a.Ref.Off)
			} else {
				fmt.Fprintf(&b, " %d", a.Val)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, c := range map[string]struct {
		a algo.Algorithm
		p plan.Problem
		c driver.Caps
		l algo.Params
	}{
		"bytes-2^28":       {Algorithm(), plan.Problem{Type: key.U32, Items: 1 << 28}, h200, algo.Params{MaxValue: 255}},
		"i32-desc-layout":  {Algorithm(), plan.Problem{Type: key.I32, Items: 1 << 20, Order: key.Order{Desc: true}}, gtx1050, algo.Params{MaxValue: 9999, Threads: 256, Blocks: 12, Scan: "scan-blelloch"}},
		"u8-opencl":        {Algorithm(), plan.Problem{Type: key.U8, Items: 1 << 20}, pocl, algo.Params{}},
		"range-f32-2^26":   {RangeAlgorithm(), plan.Problem{Type: key.F32, Items: 1 << 26}, h200, algo.Params{}},
		"range-u16":        {RangeAlgorithm(), plan.Problem{Type: key.U16, Items: 1 << 20}, h200, algo.Params{}},
		"range-u64-opencl": {RangeAlgorithm(), plan.Problem{Type: key.U64, Items: 1 << 20}, pocl, algo.Params{}},
		"range-u32-2^31":   {RangeAlgorithm(), plan.Problem{Type: key.U32, Items: 1 << 31}, h200, algo.Params{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.a.Plan(c.p, c.c, c.l)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := c.a.Plan(c.p, c.c, c.l)
			if !reflect.DeepEqual(got, again) {
				t.Error("two plans of one problem differ")
			}
			if most := c.p.KeyBytes() + 64<<20; got.ScratchBytes > most {
				t.Errorf("scratch of %d bytes, at most %d", got.ScratchBytes, most)
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(text(got)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if text(got) != string(want) {
				t.Errorf("the plan differs from %s (run with -update to accept):\n%s", file, text(got))
			}
		})
	}
}

// TestUnsupported: what cannot be run is an error of the class, which says what
// to do, before anything runs.
func TestUnsupported(t *testing.T) {
	u32 := plan.Problem{Type: key.U32, Items: 1000}
	for name, c := range map[string]struct {
		a    algo.Algorithm
		p    plan.Problem
		c    driver.Caps
		l    algo.Params
		want string
	}{
		"no maximum":          {Algorithm(), u32, h200, algo.Params{}, "counting-range finds it out"},
		"too large":           {Algorithm(), u32, h200, algo.Params{MaxValue: 1 << 20}, "counting-range goes past it"},
		"all of u64":          {Algorithm(), plan.Problem{Type: key.U64, Items: 9}, h200, algo.Params{MaxValue: 1<<64 - 1}, "counting-range"},
		"floats":              {Algorithm(), plan.Problem{Type: key.F32, Items: 9}, h200, algo.Params{MaxValue: 9}, "counting-range"},
		"pairs":               {Algorithm(), plan.Problem{Type: key.U8, Items: 9, Mode: plan.Pairs, ValueBytes: 4}, h200, algo.Params{}, "radix-lsd"},
		"argsort":             {RangeAlgorithm(), plan.Problem{Type: key.U8, Items: 9, Mode: plan.Argsort, ValueBytes: 4}, h200, algo.Params{}, "radix-lsd"},
		"too many":            {RangeAlgorithm(), plan.Problem{Type: key.U32, Items: 1 << 32}, h200, algo.Params{}, "sorts up to"},
		"odd block":           {Algorithm(), u32, h200, algo.Params{MaxValue: 9, Threads: 100}, "multiple of 32"},
		"large block":         {RangeAlgorithm(), u32, h200, algo.Params{Threads: 2048}, "ask for fewer"},
		"look-back on OpenCL": {Algorithm(), u32, pocl, algo.Params{MaxValue: 9, Scan: "scan-lookback"}, "only for cuda"},
		"an odd device":       {Algorithm(), u32, driver.Caps{Backend: "metal"}, algo.Params{MaxValue: 9}, "no device code"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.a.CheckWith(c.p, c.c, c.l)
			if !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error of the class that says %q", err, c.want)
			}
			if c.c.Backend == "metal" {
				return // Check asks for the backend, a planner does not
			}
			if _, err := c.a.Plan(c.p, c.c, c.l); !errors.Is(err, driver.ErrUnsupported) {
				t.Errorf("Plan: %v", err)
			}
		})
	}
	if err := Algorithm().CheckWith(u32, h200, algo.Params{MaxValue: 9, Scan: "scan-x"}); err == nil || !strings.Contains(err.Error(), "scan-lookback") {
		t.Errorf("an unknown prefix sum: %v", err)
	}
	if err := Algorithm().Check(u32, h200); err == nil {
		t.Error("Check knows no maximum, and says nothing")
	}
}

package onesweep

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
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var update = flag.Bool("update", false, "rewrite testdata")

var h200 = driver.Caps{
	Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", ComputeUnits: 132, WarpSize: 32, MaxThreadsPerBlock: 1024,
	SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, Arch: 90,
	ForwardProgress: true, SubGroups: true, Atomics64: true,
}

var gtx1050 = driver.Caps{
	Backend: "cuda", ID: "cuda:0", Name: "GTX 1050 Ti", ComputeUnits: 6, WarpSize: 32, MaxThreadsPerBlock: 1024,
	SharedPerBlock: 48 << 10, SharedPerBlockMax: 48 << 10, Arch: 61,
	ForwardProgress: true, SubGroups: true, Atomics64: true,
}

func problem(t key.Type, m plan.Mode, valueBytes int, n uint64) plan.Problem {
	return plan.Problem{Type: t, Mode: m, Items: n, ValueBytes: valueBytes}
}

// text prints a plan, one step per line.
func text(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "scratch %d, passes %d, launches %d, at least %d bytes\n", p.ScratchBytes, p.Passes, p.Launches(), p.MinBytes())
	for _, q := range p.Parts {
		fmt.Fprintf(&b, "part %-9s at %d, %d bytes\n", q.Name, q.Off, q.Bytes)
	}
	for _, s := range p.Steps {
		switch s.Op {
		case plan.OpMemset:
			fmt.Fprintf(&b, "memset %s: %v+%d %d bytes %#x\n", s.Label, s.Dst.Region, s.Dst.Off, s.Bytes, s.Pattern)
		case plan.OpLaunch:
			overlap := ""
			if s.Overlap {
				overlap = " overlap"
			}
			fmt.Fprintf(&b, "launch %s: %s grid %d block %d shared %d bytes %d%s\n   ", s.Label, s.Kernel.Symbol, s.Grid[0], s.Block[0], s.SharedBytes, s.MinBytes, overlap)
			for _, a := range s.Args {
				if a.IsRef {
					fmt.Fprintf(&b, " %v+%d", a.Ref.Region, a.Ref.Off)
				} else {
					fmt.Fprintf(&b, " u%d:%d", 8*a.Size, a.Val)
				}
			}
			b.WriteString("\n")
		default:
			fmt.Fprintf(&b, "%v %s\n", s.Op, s.Label)
		}
	}
	return b.String()
}

func TestGoldenPlans(t *testing.T) {
	cases := []struct {
		name string
		p    plan.Problem
		c    driver.Caps
	}{
		{"u32-keys-empty", problem(key.U32, plan.Keys, 0, 0), h200},
		{"i32-keys-small", problem(key.I32, plan.Keys, 0, 1000), h200},
		{"f64-argsort-one", problem(key.F64, plan.Argsort, 8, 1), h200},
		{"u8-keys-2^20", problem(key.U8, plan.Keys, 0, 1<<20), h200},
		{"u8-argsort-2^20", problem(key.U8, plan.Argsort, 4, 1<<20), h200},
		{"u32-keys-2^20", problem(key.U32, plan.Keys, 0, 1<<20), h200},
		{"u32-keys-2^28", problem(key.U32, plan.Keys, 0, 1<<28), h200},
		{"u64-pairs64-2^24", problem(key.U64, plan.Pairs, 8, 1<<24), h200},
		{"f32-argsort-2^23", problem(key.F32, plan.Argsort, 4, 1<<23), h200},
		{"u16-keys-2^33", problem(key.U16, plan.Keys, 0, 1<<33), h200},
		{"u32-keys-2^20-ptx", problem(key.U32, plan.Keys, 0, 1<<20), gtx1050},
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

// TestPlanBounds holds for every key, mode, value width, device and many n:
// scratch within its bound, every argument inside its region, portions that
// cover all tiles once, grids and counts within their types.
func TestPlanBounds(t *testing.T) {
	sizes := []uint64{0, 1, 2, 4096, 8192, 8193, 1 << 16, 1<<20 + 1, 1 << 24, 1<<28 - 1, 1 << 28, 1<<30 + 7, 1 << 32, 1<<32 + 1, 1 << 33, 1<<34 + 12345}
	for _, c := range []driver.Caps{h200, gtx1050} {
		for _, row := range key.Table() {
			for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
				for _, vb := range []int{0, 4, 8} {
					for _, n := range sizes {
						p := problem(row.Type, mode, vb, n)
						if p.Validate() != nil {
							continue
						}
						checkBounds(t, p, c)
					}
				}
			}
		}
	}
}

func checkBounds(t *testing.T, p plan.Problem, c driver.Caps) {
	t.Helper()
	got, err := Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatalf("%v %+v: %v", c.Name, p, err)
	}
	if got.ScratchBytes > p.ScratchBound() {
		t.Errorf("%v %+v: %d bytes of scratch, bound %d", c.Name, p, got.ScratchBytes, p.ScratchBound())
	}
	pol, _ := policy(p, c)
	tile := uint64(pol.Threads * pol.Items)
	tickets := map[uint64]uint64{} // digit → tickets that earlier portions used
	next := map[uint64]uint64{}    // digit → first tile of the next portion
	for _, s := range got.Steps {
		switch s.Op {
		case plan.OpMemset:
			if s.Dst.Off%4 != 0 || s.Bytes%4 != 0 || s.Dst.Off+s.Bytes > got.ScratchBytes {
				t.Errorf("%+v: memset %d+%d", p, s.Dst.Off, s.Bytes)
			}
		case plan.OpLaunch:
			if uint64(s.SharedBytes) > c.SharedPerBlockMax || s.Grid[0] == 0 || s.Grid[0] > 1<<31-1 {
				t.Errorf("%+v: %s: shared %d grid %d", p, s.Label, s.SharedBytes, s.Grid[0])
			}
			if strings.HasPrefix(s.Label, "clear") {
				if end := s.Args[0].Ref.Off + 16*s.Args[1].Val; s.Args[0].Ref.Off%16 != 0 || end > got.Parts[1].Off+got.Parts[1].Bytes {
					t.Errorf("%+v: %s: up to %d, look-back words end at %d", p, s.Label, end, got.Parts[1].Off+got.Parts[1].Bytes)
				}
			}
			if strings.HasPrefix(s.Label, "digit pass") {
				digit, first, n := s.Args[8].Val, s.Args[10].Val, s.Args[11].Val
				if s.Args[12].Val != tickets[digit] || uint64(s.Grid[0]) > n {
					t.Errorf("%+v: %s has first ticket %d and %d blocks for %d tiles, want %d", p, s.Label, s.Args[12].Val, s.Grid[0], n, tickets[digit])
				}
				tickets[digit] += n + uint64(s.Grid[0])
				if first != next[digit] || n*tile > maxPortionItems {
					t.Errorf("%+v: %s starts at tile %d with %d tiles, want %d", p, s.Label, first, n, next[digit])
				}
				next[digit] = first + n
				words := s.Args[6].Ref
				if words.Off+n*rowBytes > got.Parts[1].Off+got.Parts[1].Bytes {
					t.Errorf("%+v: %s: look-back rows past their part", p, s.Label)
				}
			}
			if s.Label == "histogram" && p.Items/uint64(s.Grid[0]) > 1<<32-1<<20 {
				t.Errorf("%+v: %d keys per histogram block", p, p.Items/uint64(s.Grid[0]))
			}
		}
	}
	for digit, end := range next {
		if tiles := (p.Items + tile - 1) / tile; end != tiles {
			t.Errorf("%+v: digit %d covers %d of %d tiles", p, digit, end, tiles)
		}
	}
}

func TestUnsupported(t *testing.T) {
	noProgress, old, tiny := h200, gtx1050, h200
	noProgress.ForwardProgress = false
	old.Arch = 52
	tiny.SharedPerBlock, tiny.SharedPerBlockMax = 16<<10, 16<<10
	for _, c := range []driver.Caps{noProgress, old, tiny} {
		if _, err := Plan(problem(key.U32, plan.Keys, 0, 1<<20), c, algo.Params{}); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%+v: %v, want ErrUnsupported", c, err)
		}
	}
	if _, err := Plan(problem(key.U32, plan.Keys, 0, 10), h200, algo.Params{Threads: 128}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("foreign thread count: %v", err)
	}
	ocl := h200
	ocl.Backend = "opencl"
	if err := Algorithm().Check(problem(key.U32, plan.Keys, 0, 10), ocl); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("OpenCL: %v", err)
	}
}

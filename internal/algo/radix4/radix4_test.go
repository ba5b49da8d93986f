package radix4

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var (
	h200  = driver.Caps{Backend: "cuda", ID: "cuda:0", Arch: 90, ComputeUnits: 132, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10}
	pocl  = driver.Caps{Backend: "opencl", ID: "opencl:0", CPU: true, ComputeUnits: 2, MaxThreadsPerBlock: 4096, SharedPerBlock: 1 << 20}
	small = driver.Caps{Backend: "opencl", ID: "opencl:0", ComputeUnits: 4, MaxThreadsPerBlock: 64, SharedPerBlock: 4 << 10}
)

// forms are all ways to sort one type.
func forms(t key.Type) (out []plan.Problem) {
	for _, desc := range []bool{false, true} {
		for _, f := range []plan.Problem{{}, {Mode: plan.Pairs, ValueBytes: 4}, {Mode: plan.Pairs, ValueBytes: 8}, {Mode: plan.Argsort, ValueBytes: 4}, {Mode: plan.Argsort, ValueBytes: 8}} {
			f.Type, f.Order = t, key.Order{Desc: desc, NaNLast: desc && t.Row().Kind == key.Float}
			out = append(out, f)
		}
	}
	return out
}

// TestPlans holds every form on every device to the rules: the same plan twice,
// n keys, n values and 64 MB of scratch, shared memory that is there, and the
// result in the caller's memory.
func TestPlans(t *testing.T) {
	for _, c := range []driver.Caps{h200, pocl, small} {
		for _, row := range key.Table() {
			for _, p := range forms(row.Type) {
				for _, n := range []uint64{0, 1, 2, 1000, 1 << 20, 1<<32 + 1, 1 << 40} {
					if p.Items = n; p.Validate() != nil {
						continue
					}
					for _, l := range []algo.Params{{}, {Threads: 32, Blocks: 3}, {Threads: 64, Blocks: 65536}} {
						pl, err := Plan(p, c, l)
						if err != nil {
							t.Fatal(err)
						}
						if again, _ := Plan(p, c, l); !reflect.DeepEqual(pl, again) {
							t.Error("two plans of one problem differ")
						}
						if most := p.KeyBytes() + p.ValuesBytes() + 64e6; pl.ScratchBytes > most {
							t.Errorf("%s, %v %v of %d: scratch %d, want at most %d", c.ID, p.Type, p.Mode, n, pl.ScratchBytes, most)
						}
						for _, s := range pl.Steps {
							if uint64(s.SharedBytes) > max(c.SharedPerBlock, c.SharedPerBlockMax) {
								t.Errorf("%s: %s wants %d bytes of shared memory", c.ID, s.Label, s.SharedBytes)
							}
							if l.Blocks != 0 && !strings.HasPrefix(s.Label, "scan") && (s.Grid[0] != l.Blocks || s.Block[0] != l.Threads) {
								t.Errorf("%+v: %s has %d × %d", l, s.Label, s.Grid[0], s.Block[0])
							}
						}
						checkEnd(t, p, pl)
					}
				}
			}
		}
	}
}

// checkEnd: the last move writes the caller's keys, or values.
func checkEnd(t *testing.T, p plan.Problem, pl plan.Plan) {
	t.Helper()
	if len(pl.Steps) == 0 {
		return
	}
	args := pl.Steps[len(pl.Steps)-1].Args
	if p.Mode != plan.Argsort && args[1].Ref != (plan.Ref{Region: plan.KeysIO}) || p.ValueBytes != 0 && args[3].Ref != (plan.Ref{Region: plan.ValuesIO}) {
		t.Errorf("%v %v: the last move writes %v and %v", p.Type, p.Mode, args[1].Ref, args[3].Ref)
	}
	for _, s := range pl.Steps {
		if p.Mode == plan.Argsort && strings.HasPrefix(s.Label, "move") && s.Args[10].Val != uint64(plan.Argsort) {
			t.Errorf("%s would store keys", s.Label)
		}
	}
}

func TestLayoutsThatCannotBe(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 1000}
	for _, x := range []struct {
		c    driver.Caps
		l    algo.Params
		want string
	}{
		{h200, algo.Params{Threads: 100}, "multiple of 32"},
		{h200, algo.Params{Threads: 2048}, "allows 1024"},
		{small, algo.Params{Threads: 65}, "allows 64"},
		{pocl, algo.Params{Blocks: 1 << 17}, "at most 65536"},
		{driver.Caps{Backend: "opencl", SharedPerBlock: 2 << 10}, algo.Params{Threads: 200}, "give fewer threads"},
	} {
		if _, err := Plan(p, x.c, x.l); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, want %q", x.l, err, x.want)
		}
	}
	if pl, err := Plan(p, pocl, algo.Params{Threads: 3, Blocks: 5}); err != nil || fmt.Sprint(pl.Steps[0].Grid, pl.Steps[0].Block) != "[5 1 1] [3 1 1]" {
		t.Errorf("3 threads: %v", err)
	}
}

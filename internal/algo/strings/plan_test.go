package strings

import (
	"reflect"
	gostrings "strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/segments"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// specs are one problem of each kind.
func specs() []plan.Problem {
	first := plan.Problem{Kind: op.Strings, Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Width: 4, Items: 1e7}
	first.Bytes = 24e7
	next := first
	next.Kind, next.All, next.Items, next.Other, next.Room = op.StringsNext, 1e7, 5e6, 1e6, 6e6
	gather := plan.Problem{Kind: op.GatherStrings, Type: key.U32, Width: 4, Items: 1e7, Other: 1e7}
	gather.Bytes, gather.Room = 24e7, 24e7
	return []plan.Problem{first, next, gather}
}

func algorithms() []algo.Algorithm {
	return []algo.Algorithm{First(onesweep.Algorithm(), lsd.Algorithm), Next(segments.Algorithm()), Gather()}
}

// TestPlan: two plans of one problem are equal, on machine code, on PTX and on OpenCL, and scratch is what comments say.
func TestPlan(t *testing.T) {
	opencl := kerneltest.Emulated("PTX")
	opencl.Backend = "opencl"
	for i, a := range algorithms() {
		for _, c := range []driver.Caps{kerneltest.Emulated("SM_90"), kerneltest.Emulated("PTX"), opencl} {
			p := specs()[i]
			if err := a.Check(p, c); err != nil {
				t.Fatalf("%s on %s: %v", a.Name, c.Backend, err)
			}
			one, err := a.Plan(p, c, algo.Params{})
			two, _ := a.Plan(p, c, algo.Params{})
			if err != nil || !reflect.DeepEqual(one, two) {
				t.Errorf("%s on %s: two plans differ, %v", a.Name, c.Backend, err)
			}
			bound := []uint64{12 * p.Items, 44*p.Items + 8*p.Other, p.Room / 2048}[i]
			if bound += 64 << 20; one.ScratchBytes > bound {
				t.Errorf("%s on %s: %d bytes of scratch, more than %d", a.Name, c.Backend, one.ScratchBytes, bound)
			}
		}
	}
}

// TestUnsupported: what no plan is made for, and why.
func TestUnsupported(t *testing.T) {
	for i, a := range algorithms() {
		p, c := specs()[i], kerneltest.Emulated("SM_90")
		old := c
		old.Arch = 52
		if err := a.Check(p, old); err == nil {
			t.Errorf("%s has kernels for compute capability 5.2", a.Name)
		}
		p.Items = 1 << 32
		if err := a.Check(p, c); err == nil || !gostrings.Contains(err.Error(), "4294967295") {
			t.Errorf("%s of 2^32 strings: %v", a.Name, err)
		}
	}
}

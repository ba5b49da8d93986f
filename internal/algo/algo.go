// Package algo says what a device algorithm is: a planner and its conditions.
// Each algorithm is one sub-package that returns one Algorithm value, and one
// line in internal/algo/catalog, or in internal/algo/catalog/study.
package algo

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Algorithm is one sort that runs as a plan.
type Algorithm struct {
	// Name is the catalogue name: "onesweep".
	Name string
	// Doc is one line for tables; Source is the paper or report.
	Doc, Source string
	// Study says that the sort is here to be measured and learnt from, like the
	// ladder of bitonic networks: it runs when it is named, never by choice.
	Study bool
	// Backends lists the drivers that have its device code: "cuda", "opencl".
	Backends []string
	// Instead says what to name on a device of another backend; it ends that error.
	Instead string
	// Kind is the operation that it carries out; the zero value is a sort.
	Kind op.Kind
	// Supports says why p cannot be sorted on a device with capabilities c, or
	// returns nil. Its errors wrap driver.ErrUnsupported.
	Supports func(p plan.Problem, c driver.Caps) error
	// SupportsWith, if set, is Supports for given launch parameters: what the
	// algorithm can do depends on them. Supports then answers for none given.
	SupportsWith func(p plan.Problem, c driver.Caps, l Params) error
	// Plan returns the steps. It does no I/O; equal arguments give equal plans.
	// Launch parameters are the zero Params or what a user asked for.
	Plan func(p plan.Problem, c driver.Caps, l Params) (plan.Plan, error)
	// Ties says that it sorts by orders with EqualZeros, too: internal/algo/equalzeros
	// has every algorithm of the catalogue do so. None does by itself.
	Ties bool
	// Scans says that Params.Scan chooses the prefix sum inside; other algorithms
	// have one of their own or none.
	Scans bool
	// HostSteps are the functions that its plans' host steps name; nil without
	// such steps.
	HostSteps map[string]HostStep
}

// HostStep is the work of a host step: regions are copies of the step's Uses in
// its order, aligned for 8-byte words and valid during the call, vals the step's
// Vals. It runs on one goroutine and keeps nothing. An error ends the sort.
type HostStep func(regions [][]byte, vals []uint64) error

// Params are launch parameters that a user may set; 0 means the policy's.
type Params struct {
	Threads  uint32 // per block
	Blocks   uint32
	MaxValue uint64 // counting sort: no key is above it
	Scan     string // prefix sum inside counting and radix sorts: a name of study.Scans
}

// GroupThreads is want, or as many threads as a block of the device has at most.
func GroupThreads(c driver.Caps, want uint32) uint32 {
	if c.MaxThreadsPerBlock == 0 {
		return want
	}
	return min(want, uint32(c.MaxThreadsPerBlock))
}

// WorkItems is how many work-items a group of an OpenCL device has: want, or as many as it has at
// most; one where a processor runs a group's work-items one after the other.
func WorkItems(c driver.Caps, want uint32) uint32 {
	if c.CPU {
		return 1
	}
	return GroupThreads(c, want)
}

// Registers bounds the registers of an NVIDIA work-item (cl_nv_compiler_options): left alone the
// compiler takes about 100, and a multiprocessor then holds two groups of 256 instead of four.
const Registers = "-cl-nv-maxrregcount=64"

// Built is an OpenCL kernel in a program that is built with macros, on NVIDIA devices with Registers.
func Built(c driver.Caps, id kernel.ID, macros ...string) kernel.ID {
	if strings.Contains(c.Vendor, "NVIDIA") {
		macros = append(macros, Registers)
	}
	return id.Variant(macros...)
}

// Grid is the number of blocks that take items, so many each: at most perUnit for each of the
// device's multiprocessors, and at least one.
func Grid(c driver.Caps, items, each, perUnit uint64) uint32 {
	return uint32(max(1, min((items+each-1)/each, perUnit*uint64(max(c.ComputeUnits, 1)))))
}

// Unsupported makes an error of class driver.ErrUnsupported.
func Unsupported(format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{driver.ErrUnsupported}, a...)...)
}

// Check reports the reasons that hold for every algorithm: an invalid problem, another
// operation than its own, or a backend without its code.
func (a Algorithm) Check(p plan.Problem, c driver.Caps) error { return a.CheckWith(p, c, Params{}) }

// CheckWith is Check for a sort with launch parameters l.
func (a Algorithm) CheckWith(p plan.Problem, c driver.Caps, l Params) error {
	if err := p.Validate(); err != nil {
		return Unsupported("%v", err)
	}
	if p.Type.HostOnly() {
		return Unsupported("no device has keys of type %v", p.Type)
	}
	if p.Kind != a.Kind {
		return Unsupported("%s is for %v, %v are asked for", a.Name, a.Kind, p.Kind)
	}
	if p.Kind > op.InclusiveSums && (l.Threads != 0 || l.Blocks != 0) {
		return Unsupported("%s chooses threads and blocks itself", a.Name)
	}
	if l.Scan != "" && !a.Scans {
		return Unsupported("%s takes no prefix sum from outside, %s is asked for: counting sorts, radix-lsd and radix-4way do", a.Name, l.Scan)
	}
	if p.Ties() && !a.Ties && a.Kind != op.Sort {
		return Unsupported("%s knows no order in which zeros tie: the CPU's does", a.Name)
	}
	if p.Ties() && !a.Ties {
		return Unsupported("%s alone does not sort by an order in which zeros tie: the catalogue's does", a.Name)
	}
	for _, b := range a.Backends {
		switch {
		case b != c.Backend:
		case a.SupportsWith != nil:
			return a.SupportsWith(p, c, l)
		default:
			return a.Supports(p, c)
		}
	}
	instead := ""
	if a.Instead != "" {
		instead = ": " + a.Instead
	}
	return Unsupported("%s has no device code for %s, only for %s%s", a.Name, c.Backend, strings.Join(a.Backends, ", "), instead)
}

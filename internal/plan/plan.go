// Package plan holds sorts as data. A planner turns a Problem into a Plan: the
// memsets, copies and kernel launches in order, the layout of the scratch
// memory and the bytes that each step must move. Making a plan does no I/O and
// is deterministic, so that scratch sizes, explanations, traces and golden
// tests need no device. One executor, internal/exec, runs plans.
package plan

import (
	"slices"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/op"
)

// A Problem is the operation that a plan carries out.
type (
	Problem = op.Spec
	Mode    = op.Mode
	Region  = op.Region
)

// The modes of a sort, and the caller's regions in it.
const (
	Keys    = op.Keys
	Pairs   = op.Pairs
	Argsort = op.Argsort

	KeysIO   = op.KeysIO
	ValuesIO = op.ValuesIO
)

// Scratch is the region behind all of the caller's: one allocation. With it a plan
// has up to MostRegions.
const (
	Scratch     Region = op.MostRegions
	MostRegions        = op.MostRegions + 1
)

// Ref is a place in a region, Off in bytes.
type Ref struct {
	Region Region
	Off    uint64
}

// Arg is one kernel argument: a place if IsRef, else the low Size bytes of Val.
type Arg struct {
	IsRef bool
	Ref   Ref
	Val   uint64
	Size  uint8
}

// Op is the kind of a step.
type Op uint8

// The kinds of step.
const (
	OpLaunch Op = iota
	OpMemset    // fill Bytes at Dst with Pattern
	OpCopy      // copy Bytes from Src to Dst
	OpHost      // call the function Host on copies of Uses in host memory
	OpSkip      // leave out the next Skip steps if the 4-byte word that Uses names is 0
)

func (o Op) String() string { return [...]string{"launch", "memset", "copy", "host", "skip"}[o] }

// Use is memory that a host step works on, as a copy in host memory.
type Use struct {
	Ref   Ref
	Bytes uint64
	// Reads has the copy filled from the device before the call, Writes has it
	// copied back after. A step may name one place twice, once for each: the
	// function then finds its input and output apart.
	Reads, Writes bool
}

// Step is one command of a plan.
type Step struct {
	Op    Op
	Label string // what it does, for explanations and traces: "digit pass 2"

	// OpLaunch
	Kernel      kernel.ID
	Grid, Block [3]uint32 // a zero counts as 1
	SharedBytes uint32    // dynamic
	Cooperative bool
	Overlap     bool // may start before the launch before has ended: see Builder.Overlap
	Args        []Arg

	// OpMemset, OpCopy
	Dst, Src Ref
	Bytes    uint64
	Pattern  uint32

	// OpHost. Host is a name among algo.Algorithm.HostSteps; the function gets
	// Uses, in order, and Vals. The device has finished all steps before when it
	// is called, so that a plan with host steps can be no graph.
	Host string
	Uses []Use
	Vals []uint64

	// OpSkip. The steps that it leaves out do nothing then, so that an executor may run them
	// all the same. It waits for the device as a host step does.
	Skip int

	// MinBytes is what the step must at least read and write in device memory
	// when none of its work is skipped. A step that chooses among paths by the data
	// counts the path that moves least.
	MinBytes uint64
}

// Blocks is the number of blocks of a launch.
func (s Step) Blocks() uint64 { return product(s.Grid) }

// Threads is the number of threads in a block of a launch.
func (s Step) Threads() uint64 { return product(s.Block) }

func product(d [3]uint32) uint64 {
	n := uint64(1)
	for _, v := range d {
		n *= uint64(max(v, 1))
	}
	return n
}

// Plan is a sort, ready to run.
type Plan struct {
	Algorithm    string
	Problem      Problem
	Steps        []Step
	ScratchBytes uint64
	Parts        []Part // what the scratch holds, in order of Off
	Passes       int    // passes over all keys, as MinBytes counts them, for explanations
	// Status, if set, is where the steps say that they refused the input.
	Status *Status
}

// Part is a named piece of the scratch memory.
type Part struct {
	Name       string
	Off, Bytes uint64
}

// Bytes is the device memory that the plan needs, scratch included; largest is that of
// the largest allocation.
func (p Plan) Bytes() (all, largest uint64) {
	all, largest = p.ScratchBytes, p.ScratchBytes
	for _, e := range p.Problem.Extents() {
		all, largest = all+e.Bytes, max(largest, e.Bytes)
	}
	return all, largest
}

// MinBytes sums the steps' MinBytes.
func (p Plan) MinBytes() (n uint64) {
	for _, s := range p.Steps {
		n += s.MinBytes
	}
	return n
}

// HostBytes is what the host steps copy between device and host, both ways.
func (p Plan) HostBytes() (n uint64) {
	for _, s := range p.Steps {
		for _, u := range s.Uses {
			n += u.copied()
		}
	}
	return n
}

// HasHostSteps reports whether the sort waits for the host in between.
func (p Plan) HasHostSteps() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Op == OpHost || s.Op == OpSkip })
}

// copied is the number of bytes that go between device and host for u.
func (u Use) copied() (n uint64) {
	if u.Reads {
		n += u.Bytes
	}
	if u.Writes {
		n += u.Bytes
	}
	return n
}

// Launches counts the kernel launches.
func (p Plan) Launches() (n int) {
	for _, s := range p.Steps {
		if s.Op == OpLaunch {
			n++
		}
	}
	return n
}

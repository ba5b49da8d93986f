// Package plan holds sorts as data. A planner turns a Problem into a Plan: the
// memsets, copies and kernel launches in order, the layout of the scratch
// memory and the bytes that each step must move. Making a plan does no I/O and
// is deterministic, so that scratch sizes, explanations, traces and golden
// tests need no device. One executor, internal/exec, runs plans.
package plan

import (
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
)

// Mode says what is sorted.
type Mode uint8

// The modes.
const (
	Keys    Mode = iota // keys alone, in place
	Pairs               // keys and values, in place, stable
	Argsort             // the stable order of the keys as indices; keys stay as they are
)

func (m Mode) String() string {
	if m > Argsort {
		return fmt.Sprintf("plan.Mode(%d)", uint8(m))
	}
	return [...]string{"keys", "pairs", "argsort"}[m]
}

// Problem is what is to be sorted.
type Problem struct {
	Type  key.Type
	Mode  Mode
	Order key.Order
	Items uint64
	// ValueBytes is the width of a value (Pairs) or of an index (Argsort): 4 or
	// 8. It is 0 for Keys.
	ValueBytes int
}

// Codec is the key codec of the problem. For keys alone it is that of the order without
// EqualZeros, which gives them the same result.
func (p Problem) Codec() key.Codec {
	c := key.CodecOf(p.Type, p.Order)
	if p.Mode == Keys {
		c &^= key.CodecEqualZeros
	}
	return c
}

// Ties reports whether different bit patterns tie in the problem's order, and which
// came first must be seen in the result.
func (p Problem) Ties() bool { return p.Codec()&key.CodecEqualZeros != 0 }

// KeyBytes is the size of all keys.
func (p Problem) KeyBytes() uint64 { return p.Items * uint64(p.Type.Bytes()) }

// ValuesBytes is the size of all values or indices.
func (p Problem) ValuesBytes() uint64 { return p.Items * uint64(p.ValueBytes) }

// ScratchBound is the most scratch memory in bytes that a sort may ask for unless
// its method needs more: as much as all keys and values, and 64 MB. An argsort leaves the
// keys where they are, which a sort of pairs would need a copy of: keys of 8 bytes may
// take as much more, those of 4, which need no copy, half as much: by that a radix sort of
// skewed keys moves a third fewer bytes, and long inputs are sorted in runs
// (docs/rfcs/0004-argsort.md).
func (p Problem) ScratchBound() uint64 {
	bound := p.KeyBytes() + p.ValuesBytes() + 64_000_000
	if p.Mode == Argsort {
		switch p.Type.Bytes() {
		case 4:
			bound += p.KeyBytes() / 2
		case 8:
			bound += p.KeyBytes()
		}
	}
	return bound
}

// Validate reports a problem that no algorithm could be given.
func (p Problem) Validate() error {
	if p.Mode > Argsort {
		return fmt.Errorf("unknown mode %d: known are 0 to %d: %v, %v and %v", uint8(p.Mode), Argsort, Keys, Pairs, Argsort)
	}
	if (p.Mode == Keys) != (p.ValueBytes == 0) || p.ValueBytes != 0 && p.ValueBytes != 4 && p.ValueBytes != 8 {
		return fmt.Errorf("%v with values of %d bytes: keys have none, pairs and argsort 4 or 8", p.Mode, p.ValueBytes)
	}
	if p.Mode == Argsort && p.ValueBytes == 4 && p.Items > 1<<32 {
		return fmt.Errorf("argsort of %d items needs 8-byte indices", p.Items)
	}
	return nil
}

// Region names the memory that a step refers to.
type Region uint8

// The regions. IO regions are the caller's; Scratch is one allocation.
const (
	KeysIO   Region = iota // keys, sorted in place (read only under Argsort)
	ValuesIO               // values in place, or the indices that Argsort writes
	Scratch
)

func (r Region) String() string { return [...]string{"keys", "values", "scratch"}[r] }

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
)

func (o Op) String() string { return [...]string{"launch", "memset", "copy", "host"}[o] }

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
	Cluster     uint32
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

	// MinBytes is what the step must at least read and write in device memory
	// when none of its work is skipped.
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
	Passes       int    // passes over all keys, for explanations
	// Status, if set, is where the steps say that they refused the input.
	Status *Status
}

// Part is a named piece of the scratch memory.
type Part struct {
	Name       string
	Off, Bytes uint64
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
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Op == OpHost })
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

// Package radix4 plans radix-4way: a stable least-significant-digit radix sort
// with 2-bit digits. A block puts each of its tiles in the digit's order before
// it moves it, with four 16-bit counters in one word and one prefix sum, so that
// neighbours in the tile go to neighbouring addresses.
//
// For every digit three launches follow each other: count gives each block's
// number of keys of each digit, scan turns them into places, move moves the keys.
// Count and move take any number of blocks and threads.
//
// Source: Ha, Krüger and Silva, "Fast four-way parallel radix sorting on GPUs"
// (Computer Graphics Forum 28, 2009), which report 001 wishes for. Theirs writes
// the ordered tile to memory and moves it in a launch of its own; here the tile
// stays in shared memory, which saves a read and a write per digit.
package radix4

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/scan"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	name      = "radix-4way"
	digitBits = 2
	digits    = 1 << digitBits
)

// Algorithm returns radix-4way for CUDA and OpenCL.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     name,
		Doc:      "LSD radix sort with 2-bit digits, tiles put in order inside a block; any blocks × threads",
		Source:   "Ha, Krüger and Silva 2009; report 001's wish",
		Study:    true,
		Scans:    true,
		Backends: []string{"cuda", "opencl"},
		Supports: func(p plan.Problem, c driver.Caps) error {
			_, err := geometryOf(p, c, algo.Params{})
			return err
		},
		Plan: Plan,
	}
}

// Plan returns the steps. Scratch is n keys and n values; an argsort moves the
// indices alone, reads each key through its index and needs n indices.
func Plan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	g, err := geometryOf(p, c, l)
	if err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	if p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort {
		return b.Plan(), nil
	}
	s := sorter{b: b, p: p, g: g, caps: c}
	if l.Scan != "" {
		a, err := scan.Named(l.Scan, s.sum(), c)
		if err != nil {
			return plan.Plan{}, err
		}
		s.places = &a
	}
	s.keys[0], s.keys[1] = plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.KeysIO}
	if p.Mode != plan.Argsort {
		s.keys[1] = b.Scratch("keys", p.KeyBytes())
	}
	s.values = s.keys // never read, but an argument must be some place
	if p.ValueBytes != 0 {
		s.values = [2]plan.Ref{{Region: plan.ValuesIO}, b.Scratch("values", p.ValuesBytes())}
	}
	s.counts = b.Scratch("counts", uint64(digits)*8*uint64(g.blocks))
	passes := p.Type.Bits() / digitBits // even: the last pass ends in the caller's memory
	for pass := range passes {
		s.pass(pass, pass == passes-1)
	}
	b.Passes(passes)
	return b.Plan(), nil
}

// sorter appends the passes.
type sorter struct {
	b            *plan.Builder
	p            plan.Problem
	g            geometry
	keys, values [2]plan.Ref // the caller's and the other, which passes go between
	counts       plan.Ref
	places       *algo.Scan // if set, stands in for the launch scan
	caps         driver.Caps
}

// sum is what turns counts into places.
func (s *sorter) sum() algo.Sum {
	return algo.Sum{Data: s.counts, Items: uint64(digits) * uint64(s.g.blocks), Bits: 64}
}

// pass appends the three launches of one digit.
func (s *sorter) pass(pass int, last bool) {
	p, g := s.p, s.g
	from, to := pass%2, 1-pass%2
	load, store := key.CodecUnsigned, key.CodecUnsigned
	if pass == 0 || p.Mode == plan.Argsort {
		load = p.Codec()
	}
	if last {
		store = p.Codec()
	}
	identity := uint32(0)
	if pass == 0 && p.Mode == plan.Argsort {
		identity = 1
	}
	indexBytes := 0
	if p.Mode == plan.Argsort && pass > 0 {
		indexBytes = p.ValueBytes
	}
	indices := p.Items * uint64(indexBytes)
	n, items, shift := plan.U64(p.Items), plan.U32(g.items), plan.U32(uint32(pass*digitBits))
	label := func(stage string) string { return fmt.Sprintf("%s digit %d", stage, pass) }

	s.b.Launch(label("count"), g.entry(fmt.Sprintf("count_%d", p.Type.Bits()), p), g.blocks, g.threads, p.KeyBytes()+indices,
		plan.At(s.keys[from]), plan.At(s.values[from]), plan.At(s.counts), n, items, shift,
		plan.U32(uint32(load)), plan.U32(uint32(indexBytes))).SharedBytes = g.countShared()
	if s.places != nil {
		s.places.Append(s.b, s.sum(), s.caps, algo.Params{})
	} else {
		s.b.Launch(label("scan"), g.entry("scan", p), 1, g.scanThreads, 2*digits*8*uint64(g.blocks),
			plan.At(s.counts), plan.U32(digits*g.blocks)).SharedBytes = g.scanShared()
	}
	moved := 2 * (p.KeyBytes() + p.ValuesBytes())
	if p.Mode == plan.Argsort {
		moved = p.KeyBytes() + indices + p.ValuesBytes()
	}
	s.b.Launch(label("move"), g.entry(fmt.Sprintf("move_%d", p.Type.Bits()), p), g.blocks, g.threads, moved,
		plan.At(s.keys[from]), plan.At(s.keys[to]), plan.At(s.values[from]), plan.At(s.values[to]), plan.At(s.counts), n, items, shift,
		plan.U32(uint32(load)), plan.U32(uint32(store)), plan.U32(uint32(p.Mode)), plan.U32(uint32(p.ValueBytes)),
		plan.U32(identity)).SharedBytes = g.moveShared()
}

// entry names a kernel: the names have no suffix, because one kernel serves
// values of every width. OpenCL programs are built for one key width.
func (g geometry) entry(stage string, p plan.Problem) kernel.ID {
	id := kernel.Plain("radix4", stage)
	if g.cuda {
		return id
	}
	return id.Variant(kernel.Macro("GS_WIDTH", p.Type.Bits()))
}

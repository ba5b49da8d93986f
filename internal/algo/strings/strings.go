// Package strings plans the order of byte strings that lie as Arrow has them, bytes and offsets, and
// their gather by places.
//
// What is sorted is a word of each string: the next 7 bytes and, in the lowest byte, how many are left, 8
// for more than 7. So a string comes before those that it is a prefix of, whatever bytes follow in
// them. The first plan (op.Strings) sorts the words behind the prefix that all strings share as pairs with
// the strings' numbers. Strings whose words agree and that go on form groups; all others are done. How
// many are left is the number that the plan finds. Each further plan (op.StringsNext) skips what each
// group shares, sorts the next words by the sort of segments, and lists the groups that are left.
// Whoever runs the plans repeats the second until no string is left: internal/exec.
//
// Work is O(bytes that tell strings apart), and that of some sorts of words a plan. The number of
// plans is at most the number of words in which the strings of a group go on to differ.
package strings

import (
	"errors"
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// module has the kernels.
const module = "strings"

const source = "docs/algorithms/strings.md"

// refusals are the messages of the codes from 1 on.
var refusals = []string{
	"offset %d is below the one before it: offsets ascend",
	"offset %d is beyond the bytes: offsets are from 0 to their number",
	"place %s is outside the source's strings",
	"there is room for fewer bytes than the %d of the strings: make the buffer longer, or its offsets wider",
	"%d bytes of strings need offsets of 8 bytes",
}

const threads, perUnit = layout.StringsThreads, layout.StringsBlocks

// texts is of how many strings an OpenCL group copies bytes at a time.
const texts = 512

// First returns the algorithm of op.Strings. It sorts words by the first of sorts that supports
// them.
func First(sorts ...algo.Algorithm) algo.Algorithm {
	a := algo.Algorithm{
		Name: "strings", Kind: op.Strings, Backends: []string{"cuda", "opencl"}, Source: source,
		Doc: "order of byte strings: 7 bytes of each as a word, by a sort of pairs",
	}
	a.Plan = func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) { return planFirst(sorts, p, c) }
	a.Supports = planned(a)
	return a
}

// Next returns the algorithm of op.StringsNext, which sorts words by the given sort of segments.
func Next(segments algo.Algorithm) algo.Algorithm {
	a := algo.Algorithm{
		Name: "strings-next", Kind: op.StringsNext, Backends: []string{"cuda", "opencl"}, Source: source,
		Doc: "the next 7 bytes of strings in groups, behind what each group shares, by a sort of segments",
	}
	a.Plan = func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
		return planNext(segments, p, c, layout.StringsMany)
	}
	a.Supports = planned(a)
	return a
}

// Gather returns the algorithm of op.GatherStrings.
func Gather() algo.Algorithm {
	a := algo.Algorithm{
		Name: "gather-strings", Kind: op.GatherStrings, Backends: []string{"cuda", "opencl"}, Source: source,
		Doc: "strings in the order of given places: lengths, offsets, then the bytes in words of 8",
	}
	a.Plan = func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) { return planGather(p, c) }
	a.Supports = planned(a)
	return a
}

// planned supports what a plans.
func planned(a algo.Algorithm) func(plan.Problem, driver.Caps) error {
	return func(p plan.Problem, c driver.Caps) error {
		_, err := a.Plan(p, c, algo.Params{})
		return err
	}
}

func supports(p plan.Problem, c driver.Caps) error {
	switch {
	case p.Items > math.MaxUint32 || p.All > math.MaxUint32 || p.Other > math.MaxUint32:
		return algo.Unsupported("strings are numbered by 32 bits: there may be %d of them", uint32(math.MaxUint32))
	case c.Backend == "cuda" && (c.Arch < 61 || !c.SubGroups || !c.Atomics64):
		return algo.Unsupported("strings need compute capability 6.1 with warp votes and 64-bit atomics, %s has %d.%d", c.Name, c.Arch/10, c.Arch%10)
	case p.Kind != op.GatherStrings && p.Type != key.U64:
		return algo.Unsupported("strings are sorted by words of type u64, not %v", p.Type)
	}
	return nil
}

// steps appends the launches of one plan.
type steps struct {
	b     *plan.Builder
	p     plan.Problem
	c     driver.Caps
	state plan.Ref

	threads uint64
	macros  []string // that an OpenCL program is built with
}

func newSteps(name string, p plan.Problem, c driver.Caps) (steps, error) {
	s := steps{b: plan.NewBuilder(name, p), p: p, c: c, threads: threads}
	if err := supports(p, c); err != nil {
		return s, err
	}
	if c.Backend == "opencl" {
		s.threads = uint64(algo.WorkItems(c, threads))
		s.macros = []string{
			kernel.Macro("GS_THREADS", s.threads), kernel.Macro("GS_CHUNK", layout.StringsChunk),
			kernel.Macro("GS_TILE", layout.StringsGatherTile), kernel.Macro("GS_TEXTS", texts),
		}
	}
	s.b.Overlap(tune.SM90(c))
	s.state = s.b.Scratch("state", layout.StringsStateBytes)
	s.b.Refuses(s.state, refusals...)
	s.b.Memset("clear state", s.state, 0, layout.StringsStateBytes)
	return s, nil
}

// launch appends a launch over items, so many threads for each.
func (s steps) launch(label, stage string, items, each, minBytes uint64, args ...[]plan.Arg) {
	s.launchOf(label, stage, min(algo.Grid(s.c, items*each, s.threads, perUnit), op.WordsParts), minBytes, args...)
}

// launchOf appends a launch of so many blocks.
func (s steps) launchOf(label, stage string, blocks uint32, minBytes uint64, args ...[]plan.Arg) {
	s.b.Launch(label, kernel.Plain(module, stage).Variant(s.macros...), blocks, uint32(s.threads), minBytes, slices.Concat(args...)...)
}

// region is a place in memory of the caller's.
func region(r op.Region) plan.Ref { return plan.Ref{Region: r} }

// one is a place as an argument, and so many numbers of 8 bytes behind it.
func one(at plan.Ref, n ...uint64) []plan.Arg {
	return append([]plan.Arg{plan.At(at)}, numbers(n...)...)
}

// numbers are of 8 bytes.
func numbers(all ...uint64) (args []plan.Arg) {
	for _, n := range all {
		args = append(args, plan.U64(n))
	}
	return args
}

// text are the bytes and offsets.
func text(bytes, offsets op.Region, p plan.Problem) []plan.Arg {
	return []plan.Arg{plan.At(region(bytes)), plan.U64(p.Bytes), plan.At(region(offsets)), plan.Bool(p.Width == 8)}
}

// idx is the order.
func idx(p plan.Problem) []plan.Arg {
	return []plan.Arg{plan.At(region(plan.ValuesIO)), plan.Bool(p.ValueBytes == 8)}
}

// embed appends a plan whose regions lie at the given places.
func (s steps) embed(label string, inner plan.Plan, at [3]plan.Ref) {
	scratch := s.b.Scratch(label, inner.ScratchBytes)
	inner.Status = nil // it refuses nothing of what it is given
	sort := plan.SortAt(at[plan.KeysIO], at[plan.ValuesIO], scratch)
	s.b.Embed(label, inner, func(r plan.Ref) plan.Ref {
		if r.Region == op.OtherIO {
			return at[op.OtherIO].Add(r.Off)
		}
		return sort(r)
	})
}

// sort appends a stable sort of words with the order.
func (s steps) sort(sorts []algo.Algorithm, words, values plan.Ref) error {
	p := plan.Problem{Type: key.U64, Order: key.Order{Desc: s.p.Order.Desc}, Mode: plan.Pairs, ValueBytes: s.p.ValueBytes, Items: s.p.Items}
	why := []error{algo.Unsupported("strings: no sort of %d words", p.Items)}
	for _, a := range sorts {
		err := a.Check(p, s.c)
		if err == nil {
			inner, err := a.Plan(p, s.c, algo.Params{})
			s.embed("sort", inner, [3]plan.Ref{words, values})
			return err
		}
		why = append(why, err)
	}
	return errors.Join(why...)
}

package strings

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// The regions of op.Strings and op.StringsNext.
const (
	bytesIn   = plan.KeysIO
	offsetsIn = op.OtherIO
	wordsIO   = op.OtherIO + 1
	listsIO   = op.OtherIO + 2
	nextIO    = op.OtherIO + 3
)

// mostWork is how many comparisons of a chunk are started for common prefixes: some 2 GB of strings.
const mostWork = 1 << 20

// planFirst returns the steps of op.Strings. Scratch is that of the sort, and the state.
func planFirst(sorts []algo.Algorithm, p plan.Problem, c driver.Caps) (plan.Plan, error) {
	s, err := newSteps("strings", p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	n, words := p.Items, region(wordsIO)
	common, parts := words.Add(8*n), words.Add(8*(n+1))
	s.b.Memset("no common prefix yet", common, ^uint32(0), 8)
	in := text(bytesIn, offsetsIn, p)
	if n > 1 {
		s.launch("common prefix of all", "common_first", n, 1, 0, in, numbers(n), one(common))
	}
	s.launch("first words", "first", n+1, 1, min(8*n, p.Bytes)+(n+1)*uint64(p.Width)+8*n+p.ValuesBytes(), in,
		numbers(n), one(words), idx(p), one(s.state))
	if n > 1 {
		if err := s.sort(sorts, words, region(plan.ValuesIO)); err != nil {
			return plan.Plan{}, err
		}
		s.launch("count strings that go on", "count_first", n, 1, 8*n, one(words, n), idx(p), one(parts), one(s.state))
	}
	s.b.Passes(1)
	return s.b.Plan(), nil
}

// lists are the arguments for lists in a region, and where the groups begin.
func lists(r op.Region, room uint64) (args []plan.Arg, starts plan.Ref) {
	at := op.ListParts(room)
	for _, off := range at[:5] {
		args = append(args, plan.At(region(r).Add(off)))
	}
	return args, region(r).Add(at[2])
}

// planNext returns the steps of op.StringsNext. Scratch is, for each active string, 12 bytes and what the sort of
// segments takes, and for each group 8 bytes. `many` strings are compared by one lane each.
func planNext(segments algo.Algorithm, p plan.Problem, c driver.Caps, many uint64) (plan.Plan, error) {
	s, err := newSteps("strings-next", p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	m, groups, in := p.Items, p.Other, text(bytesIn, offsetsIn, p)
	if m == 0 {
		return s.b.Plan(), nil
	}
	from, starts := lists(listsIO, p.Room)
	to, _ := lists(nextIO, p.Room)
	if words := region(wordsIO); !p.Later {
		s.launch("list strings that go on", "list_first", p.All, 1, 8*p.All+8*m, one(words, p.All), idx(p), one(words.Add(8*(p.All+1))), from)
	}
	common := s.b.Scratch("common prefixes", 8*groups)
	words, positions := s.b.Scratch("words", 8*m), s.b.Scratch("positions", 4*m)
	parts := s.b.Scratch("counts", 8*op.WordsParts)
	chunks := min(max(mostWork/m, 1), max(p.Bytes/layout.StringsChunk, 1))
	bound := chunks * layout.StringsChunk
	s.b.Memset("no common prefixes yet", common, ^uint32(0), 8*groups)
	stage, team := "common_team", uint64(layout.StringsTeam)
	if m >= many || s.c.Backend == "opencl" { // where no lanes vote
		stage, team = "common_lane", 1
	}
	s.launch("common prefixes of groups", stage, m*chunks, team, 0, in, from, numbers(m, chunks), one(common))
	s.launch("next words", "words", m, 1, 16*m, in, from, numbers(m), one(common, bound), one(words))
	inner, err := segments.Plan(plan.Problem{
		Kind: op.Segments, Type: key.U64, Order: key.Order{Desc: p.Order.Desc}, Mode: plan.Argsort, ValueBytes: 4, Items: m, Other: groups, Width: 4,
	}, c, algo.Params{})
	if err != nil {
		return plan.Plan{}, err
	}
	s.embed("sort", inner, [3]plan.Ref{words, positions, starts})
	order := [][]plan.Arg{from, one(words), one(positions, m), idx(p), one(common, bound), one(parts)}
	s.launch("strings to their places", "count_next", m, 1, 20*m+uint64(p.ValueBytes)*m, append(order, one(s.state))...)
	s.launch("list strings that go on", "list_next", m, 1, 16*m, append(order, to)...)
	s.b.Passes(1)
	return s.b.Plan(), nil
}

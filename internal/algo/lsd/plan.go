package lsd

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/scan"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// makePlan returns the steps of p on a device with capabilities c. Scratch is n
// keys and n values besides the counters, for every mode.
func makePlan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	if err := appendTo(b, p, c, l); err != nil {
		return plan.Plan{}, err
	}
	return b.Plan(), nil
}

// Append adds a sort of p to another algorithm's steps, as what sorts the keys
// that those left unsorted. Sorted keys it only reads. It needs a problem that
// Algorithm supports.
func Append(b *plan.Builder, p plan.Problem, c driver.Caps) error {
	return appendTo(b, p, c, algo.Params{})
}

func appendTo(b *plan.Builder, p plan.Problem, c driver.Caps, l algo.Params) error {
	g, err := geometryOf(p.Type.Bits(), p.ValueBytes, c)
	if err != nil {
		return err
	}
	if l.Threads != 0 && l.Threads != g.threads {
		return algo.Unsupported("radix-lsd is compiled for %d threads per block here, not for %d: leave the threads at 0", g.threads, l.Threads)
	}
	switch {
	case p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort:
	// Who asks for a number of blocks or a prefix sum gets the passes, also for few keys.
	case p.Items <= uint64(g.small) && l.Blocks == 0 && l.Scan == "":
		small(b, p, g)
	case p.Mode == plan.Argsort && p.Type.Bits() >= 32:
		return argsortHalves(b, p, c, l)
	default:
		s, err := newSort(b, p.Type.Bits(), p.ValueBytes, p.Items, c, l)
		if err != nil {
			return err
		}
		s.io, s.values = plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
		s.alt = b.Scratch("keys", p.KeyBytes())
		s.altValues = s.values
		// An argsort of one pass writes the indices straight to their place.
		if p.ValueBytes != 0 {
			s.altValues = b.Scratch("values", p.ValuesBytes())
		}
		s.codec, s.mode = p.Codec(), p.Mode
		s.ctl = b.Scratch("control", ctlBytes)
		s.tables()
		b.Memset("clear control", s.ctl, 0, ctlBytes)
		s.analyze(s.ctl)
		s.passes("")
		b.Passes(p.Type.Bits() / 8)
	}
	return nil
}

// small is the launch of one group that sorts alone. The serial kernel needs
// the alternate copies.
func small(b *plan.Builder, p plan.Problem, g geometry) {
	keys, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	alt0, alt1, altValues := keys, keys, values
	if g.serial {
		alt0 = b.Scratch("keys", p.KeyBytes())
		if p.Mode == plan.Argsort && p.Type.Bits() >= 32 {
			alt1 = b.Scratch("more keys", p.KeyBytes())
		}
		altValues = b.Scratch("values", p.ValuesBytes())
	}
	args := []plan.Arg{plan.At(keys), plan.At(alt0), plan.At(alt1)}
	if p.ValueBytes != 0 {
		args = append(args, plan.At(values), plan.At(altValues))
	}
	args = append(args, plan.U64(p.Items), plan.U32(uint32(p.Codec())), plan.U32(uint32(p.Mode)))
	b.Launch("sort in one group", g.entry("small", p.Type.Bits(), p.ValueBytes), 1, g.threads,
		2*(p.KeyBytes()+p.ValuesBytes()), args...)
	b.Passes(1)
}

// argsortHalves sorts indices by the low halves of the keys and then by the
// high ones, so that the two copies of the moving halves take the room of one
// copy of the keys.
func argsortHalves(b *plan.Builder, p plan.Problem, c driver.Caps, l algo.Params) error {
	bits := p.Type.Bits()
	full, err := newSort(b, bits, p.ValueBytes, p.Items, c, l)
	if err != nil {
		return err
	}
	s, err := newSort(b, bits/2, p.ValueBytes, p.Items, c, l)
	if err != nil {
		return err
	}
	keys := plan.Ref{Region: plan.KeysIO}
	s.io, s.values = b.Scratch("half keys", p.KeyBytes()/2), plan.Ref{Region: plan.ValuesIO}
	s.alt = b.Scratch("other half keys", p.KeyBytes()/2)
	s.altValues = b.Scratch("values", p.ValuesBytes())
	s.codec, s.mode = key.CodecUnsigned, plan.Pairs
	ctl := b.Scratch("control", 3*ctlBytes)
	s.tables()
	b.Memset("clear control", ctl, 0, 3*ctlBytes)
	full.io, full.codec = keys, p.Codec()
	full.analyze(ctl)
	for i, half := range []string{"low", "high"} {
		s.ctl = ctl.Add(uint64(i+1) * ctlBytes)
		b.Launch("take "+half+" halves", full.g.entry("split", bits, p.ValueBytes), full.groups, full.g.threads,
			p.KeyBytes()+p.KeyBytes()/2+p.ValuesBytes(),
			plan.At(keys), plan.At(s.io), plan.At(s.values), plan.At(ctl), plan.At(s.ctl),
			plan.U64(p.Items), plan.U32(uint32(p.Codec())), plan.U32(uint32(i)))
		s.passes(half + " ")
	}
	b.Passes(bits / 8)
	return nil
}

// sorter appends the stages of one sort of n keys of bits.
type sorter struct {
	b                *plan.Builder
	bits, valueBytes int
	n                uint64
	g                geometry
	groups           uint32
	keyThreads       uint32 // per group of the stages that see keys alone

	io, alt, values, altValues, ctl, counters, totals plan.Ref

	// places, if set, stands in for the stage scan.
	places *algo.Scan
	caps   driver.Caps

	codec key.Codec
	mode  plan.Mode
}

func newSort(b *plan.Builder, bits, valueBytes int, n uint64, c driver.Caps, l algo.Params) (*sorter, error) {
	g, err := geometryOf(bits, valueBytes, c)
	if err != nil {
		return nil, err
	}
	keys, err := geometryOf(bits, 0, c)
	if err != nil {
		return nil, err
	}
	s := &sorter{b: b, bits: bits, valueBytes: valueBytes, n: n, g: g, groups: g.groups(n, c), keyThreads: keys.threads, caps: c}
	if l.Blocks != 0 {
		least := (n + groupItems - 1) / groupItems
		if uint64(l.Blocks) < least || l.Blocks > maxGroups {
			return nil, algo.Unsupported("radix-lsd sorts %d keys with %d to %d blocks, not with %d", n, least, maxGroups, l.Blocks)
		}
		s.groups = l.Blocks
	}
	if l.Scan != "" {
		a, err := scan.Named(l.Scan, s.sum(), c)
		if err != nil {
			return nil, err
		}
		s.places = &a
	}
	return s, nil
}

// sum is what a prefix sum in place of the stage scan adds up: all counters, which
// lie digit by digit, to the places themselves.
func (s *sorter) sum() algo.Sum {
	return algo.Sum{Data: s.counters, Items: uint64(s.groups) * digits, Bits: 64}
}

// tables reserves the digit counters of all groups and their sums. With places in
// the counters the sums stay zero.
func (s *sorter) tables() {
	s.counters = s.b.Scratch("counters", uint64(s.groups)*digits*8)
	s.totals = s.b.Scratch("totals", digits*8)
	if s.places != nil {
		s.b.Memset("clear totals", s.totals, 0, digits*8)
	}
}

func (s *sorter) keyBytes() uint64    { return s.n * uint64(s.bits/8) }
func (s *sorter) valuesBytes() uint64 { return s.n * uint64(s.valueBytes) }

// analyze reads the keys once into the control block ctl.
func (s *sorter) analyze(ctl plan.Ref) {
	s.b.Launch("analyze", s.g.entry("analyze", s.bits, 0), s.groups, s.keyThreads, s.keyBytes(),
		plan.At(s.io), plan.At(ctl), plan.U64(s.n), plan.U32(uint32(s.codec)), plan.U32(s.g.tile()))
}

// passes appends upsweep, scan and downsweep of every digit, and finish.
func (s *sorter) passes(prefix string) {
	mode, tile := plan.U32(uint32(s.mode)), plan.U32(s.g.tile())
	for pass := range uint32(s.bits / 8) {
		label := func(stage string) string { return fmt.Sprintf("%s %sdigit %d", stage, prefix, pass) }
		s.b.Launch(label("upsweep"), s.g.entry("upsweep", s.bits, 0), s.groups, s.keyThreads, s.keyBytes(),
			plan.At(s.io), plan.At(s.alt), plan.At(s.ctl), plan.At(s.counters),
			plan.U64(s.n), plan.U32(pass), plan.U32(uint32(s.codec)), mode, tile)
		if s.places != nil {
			s.places.Append(s.b, s.sum(), s.caps, algo.Params{})
		} else {
			s.b.Launch(label("scan"), s.g.plain("scan", s.bits), s.g.scanGroups(), s.keyThreads, uint64(s.groups)*digits*16,
				plan.At(s.ctl), plan.At(s.counters), plan.At(s.totals), plan.U32(s.groups), plan.U32(pass), mode)
		}
		args := []plan.Arg{plan.At(s.io), plan.At(s.alt)}
		args = append(args, s.valueArgs()...)
		args = append(args, plan.At(s.ctl), plan.At(s.counters), plan.At(s.totals),
			plan.U64(s.n), plan.U32(pass), plan.U32(uint32(s.codec)), mode, tile)
		s.b.Launch(label("downsweep"), s.g.entry("downsweep", s.bits, s.valueBytes), s.groups, s.g.threads,
			2*(s.keyBytes()+s.valuesBytes()), args...)
	}
	args := append([]plan.Arg{plan.At(s.io), plan.At(s.alt)}, s.valueArgs()...)
	args = append(args, plan.At(s.ctl), plan.U64(s.n), mode)
	moved := uint64(0)
	if s.bits == 8 && s.mode != plan.Argsort {
		moved = 2 * (s.keyBytes() + s.valuesBytes())
	}
	s.b.Launch(strings.TrimSpace("finish "+prefix), s.g.entry("finish", s.bits, s.valueBytes), s.groups, s.g.threads, moved, args...)
}

func (s *sorter) valueArgs() []plan.Arg {
	if s.valueBytes == 0 {
		return nil
	}
	return []plan.Arg{plan.At(s.values), plan.At(s.altValues)}
}

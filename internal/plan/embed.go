package plan

import (
	"slices"

	"github.com/gpusort/gpusort/internal/op"
)

// SortAt says, for Embed, that an embedded sort has its keys, values and scratch memory at
// these places. Other regions are those of the plan itself.
func SortAt(keys, values, scratch Ref) func(Ref) Ref {
	return func(r Ref) Ref {
		switch r.Region {
		case op.KeysIO:
			return keys.Add(r.Off)
		case op.ValuesIO:
			return values.Add(r.Off)
		case Scratch:
			return scratch.Add(r.Off)
		}
		return r
	}
}

// Embed appends the steps of another plan: at says where each of its places lies
// here, and label is put before the steps' own. Its host steps are found where the
// algorithm has functions of their names; its status is the whole plan's, which has no
// other. Its scratch memory is the caller's to reserve.
func (b *Builder) Embed(label string, p Plan, at func(Ref) Ref) {
	if p.Status != nil {
		if b.p.Status != nil {
			panic("plan: Embed of a second plan with a status, of " + p.Algorithm)
		}
		b.Refuses(at(p.Status.At), p.Status.Refusals...)
	}
	for _, s := range p.Steps {
		s.Label = label + ": " + s.Label
		switch s.Op {
		case OpLaunch:
			args := make([]Arg, len(s.Args))
			for i, a := range s.Args {
				if a.IsRef {
					a.Ref = at(a.Ref)
				}
				args[i] = a
			}
			s.Args = args
		case OpCopy:
			s.Dst, s.Src = at(s.Dst), at(s.Src)
		case OpHost, OpSkip:
			s.Uses = slices.Clone(s.Uses)
			for i := range s.Uses {
				s.Uses[i].Ref = at(s.Uses[i].Ref)
			}
		default:
			s.Dst = at(s.Dst)
		}
		b.p.Steps = append(b.p.Steps, s)
	}
}

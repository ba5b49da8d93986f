package plan

// Embed appends the steps of another plan: at says where each of its places lies
// here, and label is put before the steps' own. The other plan has no host steps and
// refuses nothing; its scratch memory is the caller's to reserve.
func (b *Builder) Embed(label string, p Plan, at func(Ref) Ref) {
	if p.HasHostSteps() || p.Status != nil {
		panic("plan: Embed of a plan of " + p.Algorithm + " that has host steps or a status")
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
		default:
			s.Dst = at(s.Dst)
		}
		b.p.Steps = append(b.p.Steps, s)
	}
}

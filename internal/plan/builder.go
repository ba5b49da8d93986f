package plan

import "github.com/gpusort/gpusort/internal/kernel"

// ScratchAlign is the alignment in bytes of every part of the scratch memory:
// the largest vector load (16) and the largest sector or sub-buffer alignment
// of the known devices (512) divide it.
const ScratchAlign = 512

// Aligned is where a part of the scratch memory may begin, at or behind a place.
func Aligned(off uint64) uint64 { return (off + ScratchAlign - 1) / ScratchAlign * ScratchAlign }

// Builder collects the parts and steps of a plan.
type Builder struct {
	p       Plan
	overlap bool
}

// NewBuilder starts a plan of the named algorithm for p.
func NewBuilder(algorithm string, p Problem) *Builder {
	return &Builder{p: Plan{Algorithm: algorithm, Problem: p}}
}

// Scratch reserves bytes of aligned scratch memory under a name.
func (b *Builder) Scratch(name string, bytes uint64) Ref {
	off := Aligned(b.p.ScratchBytes)
	b.p.Parts = append(b.p.Parts, Part{name, off, bytes})
	b.p.ScratchBytes = off + bytes
	return Ref{Scratch, off}
}

// Reserve makes the scratch memory at least so many bytes long: what is more than
// before is a part of the given name.
func (b *Builder) Reserve(name string, bytes uint64) {
	if bytes > b.p.ScratchBytes {
		b.p.Parts = append(b.p.Parts, Part{name, b.p.ScratchBytes, bytes - b.p.ScratchBytes})
		b.p.ScratchBytes = bytes
	}
}

// Launch appends a kernel launch.
func (b *Builder) Launch(label string, k kernel.ID, grid, block uint32, minBytes uint64, args ...Arg) *Step {
	b.p.Steps = append(b.p.Steps, Step{
		Op: OpLaunch, Label: label, Kernel: k, MinBytes: minBytes, Args: args,
		Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1},
	})
	return &b.p.Steps[len(b.p.Steps)-1]
}

// Memset appends a fill with a 32-bit pattern. bytes is a multiple of 4.
func (b *Builder) Memset(label string, dst Ref, pattern uint32, bytes uint64) {
	b.p.Steps = append(b.p.Steps, Step{Op: OpMemset, Label: label, Dst: dst, Pattern: pattern, Bytes: bytes, MinBytes: bytes})
}

// Copy appends a copy of bytes from src to dst, which do not overlap.
func (b *Builder) Copy(label string, dst, src Ref, bytes uint64) {
	b.p.Steps = append(b.p.Steps, Step{Op: OpCopy, Label: label, Dst: dst, Src: src, Bytes: bytes, MinBytes: 2 * bytes})
}

// Host appends a call of the host function of the given name. Its least bytes
// are those of the copies.
func (b *Builder) Host(label, name string, vals []uint64, uses ...Use) {
	s := Step{Op: OpHost, Label: label, Host: name, Uses: uses, Vals: vals}
	for _, u := range uses {
		s.MinBytes += u.copied()
	}
	b.p.Steps = append(b.p.Steps, s)
}

// SkipIfZero appends a step that leaves out what `steps` appends, which does nothing where
// the 4-byte word at a place is 0: a wait for the word takes less than several launches
// without work do, where these are no graph.
func (b *Builder) SkipIfZero(label string, word Ref, steps func()) {
	i := len(b.p.Steps)
	b.p.Steps = append(b.p.Steps, Step{Op: OpSkip, Label: label, Uses: []Use{{Ref: word, Bytes: 4, Reads: true}}, MinBytes: 4})
	steps()
	b.p.Steps[i].Skip = len(b.p.Steps) - i - 1
}

// Passes records the number of passes over all keys.
func (b *Builder) Passes(n int) { b.p.Passes = n }

// Refuses says where the steps write their status record and what its codes
// mean. Earlier steps zero the record.
func (b *Builder) Refuses(at Ref, messages ...string) { b.p.Status = &Status{at, messages} }

// Overlap says whether launches may start before the launch before them has ended,
// those whose kernels wait themselves (kernel.Overlaps). Only code that was compiled
// for compute capability 9.0 does.
func (b *Builder) Overlap(on bool) { b.overlap = on }

// Plan returns what was built.
func (b *Builder) Plan() Plan {
	for i := range b.p.Steps {
		s := &b.p.Steps[i]
		s.Overlap = b.overlap && i > 0 && s.Op == OpLaunch && b.p.Steps[i-1].Op == OpLaunch && !s.Cooperative && kernel.Overlaps(s.Kernel.Module)
	}
	return b.p
}

// At is an argument: a place in a region.
func At(r Ref) Arg { return Arg{IsRef: true, Ref: r} }

// U32 is a 4-byte argument.
func U32(v uint32) Arg { return Arg{Val: uint64(v), Size: 4} }

// Bool is a 4-byte argument, 1 or 0.
func Bool(v bool) Arg {
	if v {
		return U32(1)
	}
	return U32(0)
}

// U64 is an 8-byte argument.
func U64(v uint64) Arg { return Arg{Val: v, Size: 8} }

// Add returns the place bytes further on.
func (r Ref) Add(bytes uint64) Ref { return Ref{r.Region, r.Off + bytes} }

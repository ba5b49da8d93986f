package bitonic

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// withValues appends a sort of pairs or an argsort. The scratch memory is one
// element per item: 8 bytes, or 16 for keys of 64 bits or more than 2^32 items.
// The sorted elements' positions are replaced by the values there, so that the
// gather needs no second copy of them.
func (s *sorter) withValues() {
	keys, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	n, codec, argsort := plan.U64(s.p.Items), plan.U32(uint32(s.p.Codec())), uint32(0)
	s.data = s.b.Scratch("elements", s.elementBytes())
	keyBits, vb := s.p.Type.Bits(), s.p.ValueBytes
	s.each("join keys and positions", fmt.Sprintf("join%d", s.bits), keyBits, 0, s.p.KeyBytes()+s.elementBytes(),
		plan.At(keys), plan.At(s.data), n, codec)
	s.in, s.out = key.CodecUnsigned, key.CodecUnsigned
	if s.p.Items > 1 {
		s.network()
	}
	if s.p.Mode == plan.Argsort {
		argsort = 1
	} else {
		s.each("write keys", fmt.Sprintf("keys%d", s.bits), keyBits, 0, s.elementBytes()+s.p.KeyBytes(),
			plan.At(keys), plan.At(s.data), n, codec)
		s.each("fetch values", "fetch", s.bits, vb, 2*s.elementBytes()+s.p.ValuesBytes(),
			plan.At(s.data), plan.At(values), n)
	}
	s.each("write values", "values", s.bits, vb, s.elementBytes()+s.p.ValuesBytes(),
		plan.At(s.data), plan.At(values), n, plan.U32(argsort))
}

// each appends a launch that takes the items one by one.
func (s *sorter) each(label, stage string, bits, valueBytes int, minBytes uint64, args ...plan.Arg) {
	s.passes++
	threads := s.threads()
	s.b.Launch(label, s.entry(stage, bits, valueBytes), s.blocks(s.p.Items, threads), threads, minBytes, args...)
}

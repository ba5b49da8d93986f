package exec

import (
	"github.com/gpusort/gpusort/internal/exec/cut"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Merges compare bit patterns as unsigned numbers. Sorted signed, float and descending keys
// are not in that order as a whole, but each key.Stretch of them is, or in the opposite
// one. So every chunk of a part is made by stretches, one behind the other: what falls is
// turned into its complement by a pass, merged, and turned back by the last merge.

// unsigned is p with keys of the same width that are compared as their bits.
func unsigned(p plan.Problem) plan.Problem {
	if p.Type.Bits() <= 64 {
		p.Type, p.Order = key.UnsignedOf(p.Type.Bytes()), key.Order{}
	}
	return p
}

// bits is the bit pattern of an encoded key.
func (s *groupSort) bits(encoded uint64) uint64 {
	return key.ByWidth(s.spec.Type.Bytes(), decoded[uint8], decoded[uint16], decoded[uint32], decoded[uint64])(s.spec.Codec(), encoded)
}

func decoded[U key.Word](c key.Codec, u uint64) uint64 { return uint64(key.Decode(c, U(u))) }

// section is what the runs have of a stretch between two cuts.
type section struct {
	pieces []piece
	falls  bool
}

// sections divides what lies between two cuts by stretches.
func (s *groupSort) sections(lo, hi []uint64) (all []section) {
	if s.borders == nil {
		return []section{{pieces: pieces(lo, hi), falls: len(s.stretches) == 1 && s.stretches[0].Falls}}
	}
	for k, x := range s.stretches {
		from, to := make([]uint64, len(lo)), make([]uint64, len(lo))
		for i := range lo {
			from[i], to[i] = max(lo[i], s.borders[k][i]), min(hi[i], s.borders[k+1][i])
		}
		if p := pieces(from, to); len(p) != 0 {
			all = append(all, section{p, x.Falls})
		}
	}
	return all
}

// findBorders finds where each run's stretches begin, the last one's end included, with
// looks at all runs at once; at none of a run whose ends lie in one stretch.
func (s *groupSort) findBorders(lengths []uint64) error {
	if len(s.stretches) < 2 {
		return nil
	}
	s.borders = make([][]uint64, len(s.stretches)+1)
	s.borders[0], s.borders[len(s.stretches)] = make([]uint64, len(lengths)), lengths
	for k := 1; k < len(s.stretches); k++ {
		b, err := s.border(s.stretches[k].From, lengths)
		if err != nil {
			return err
		}
		s.borders[k] = b
	}
	return nil
}

// border is how many keys of each run lie before a key.
func (s *groupSort) border(from uint64, lengths []uint64) ([]uint64, error) {
	lo, hi := make([]uint64, len(lengths)), make([]uint64, len(lengths))
	for i, n := range lengths {
		switch {
		case n == 0 || s.ends[0][i] >= from:
		case s.ends[1][i] < from:
			lo[i], hi[i] = n, n
		default:
			lo[i], hi[i] = 1, n-1
		}
	}
	for {
		var looks []cut.Span
		for i := range lo {
			if lo[i] < hi[i] {
				looks = append(looks, cut.Span{Run: i, From: lo[i] + (hi[i]-lo[i])/2, N: 1})
			}
		}
		if len(looks) == 0 {
			return lo, nil
		}
		got, err := s.reader(0)(looks)
		if err != nil {
			return nil, err
		}
		for k, x := range looks {
			if got[k].At(0) < from {
				lo[x.Run] = x.From + 1
			} else {
				hi[x.Run] = x.From
			}
		}
	}
}

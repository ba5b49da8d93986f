package rows

import (
	"cmp"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/op"
)

// Spans are byte strings that lie behind each other: string i is Text[Offsets[i]:Offsets[i+1]].
type Spans[O op.Integer] struct {
	Offsets []O
	Text    []byte
}

// Len is the number of strings.
func (s Spans[O]) Len() int { return len(s.Offsets) - 1 }

// Bytes are those of a string.
func (s Spans[O]) Bytes(row uint32) []byte {
	return s.Text[uint64(s.Offsets[row]):uint64(s.Offsets[uint64(row)+1])]
}

// check refuses offset i, unless it is in the text and not below `least`.
func (s Spans[O]) check(i int, least O) error {
	at := s.Offsets[i]
	if at < least {
		return op.Refuse("offset %d is below the one before it: offsets ascend", i)
	}
	if uint64(at) > uint64(len(s.Text)) {
		return op.Refuse("offset %d is beyond the bytes: offsets are from 0 to their number", i)
	}
	return nil
}

// ArgsortSpans writes the stable order of s by bytes to idx, which is as long. Bad offsets are refused
// before anything is written.
func ArgsortSpans[I, O op.Integer](h cpu.Options, idx []I, s Spans[O], desc bool) error {
	least := O(0)
	for i, at := range s.Offsets {
		if err := s.check(i, least); err != nil {
			return err
		}
		least = at
	}
	return argsortTexts(h, idx, s, desc)
}

// GatherSpans writes the strings of s at the given places behind each other to dst, and where they begin
// and the last one ends to offsets, which has one item more than places. It writes no bytes if there is
// too little room, a place is outside, or an offset there is bad.
func GatherSpans[I, O op.Integer](h cpu.Options, offsets []O, dst []byte, s Spans[O], places []I) error {
	var sum uint64
	for i, p := range places {
		if p < 0 || uint64(p) >= uint64(s.Len()) {
			return op.Refuse("place %d is outside the source's strings", p)
		}
		from := int(p)
		if err := cmp.Or(s.check(from, 0), s.check(from+1, s.Offsets[from])); err != nil {
			return err
		}
		offsets[i] = O(sum)
		sum += uint64(s.Offsets[from+1]) - uint64(s.Offsets[from])
	}
	offsets[len(places)] = O(sum)
	if sum > uint64(len(dst)) || uint64(O(sum)) != sum || O(sum) < 0 {
		return op.Refuse("there is room for fewer bytes than the %d of the strings: make the buffer longer, or its offsets wider", sum)
	}
	return each(h, len(places), step[[4]uint64](), true, func(lo, hi int) {
		for i, p := range places[lo:hi] {
			copy(dst[uint64(offsets[lo+i]):], s.Bytes(uint32(p)))
		}
	})
}

// Package op says what is asked of an engine, as data: the operation, its keys and
// their order, how many items there are, and the memory that it works on. It knows
// neither devices nor algorithms.
package op

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// Kind is what is done with the keys.
type Kind uint8

// The kinds of operation.
const (
	Sort          Kind = iota // put in order
	ExclusiveSums             // key i becomes the sum of the keys before it
	InclusiveSums             // the same, with key i
	Gather                    // the keys are places; item i becomes the source's item at place i
	Groups                    // the different values of sorted keys, and where each begins
	Search                    // the keys are queries; where in sorted keys each would be inserted, before equal ones
	Merge                     // the keys are a sorted run; they and a second one become one
	Least                     // the first keys of the order, in order
	Select                    // the key that has Other keys before it in the order; the keys stay
	Segments                  // each segment of the keys is put in order by itself
	Strings                   // the positions that put byte strings in order, and which of them share a word; see Texts
	StringsNext               // strings that share a word are put in order by their next one
	GatherStrings             // the keys are places; string i becomes the source's at place i
	numKinds
)

// kinds says of each kind its name, the modes that it has, as bits, and its regions' names.
var kinds = [numKinds]struct {
	name    string
	modes   uint8
	regions []string
}{
	Sort:          {"sort", keys | pairs | argsort, []string{"keys", "values"}},
	ExclusiveSums: {"exclusive sums", keys, []string{"keys"}},
	InclusiveSums: {"inclusive sums", keys, []string{"keys"}},
	Gather:        {"gather", keys, []string{"places", "source", "result"}},
	Groups:        {"groups", keys | pairs | argsort, []string{"keys", "starts", "values"}},
	Search:        {"search", argsort, []string{"queries", "positions", "sorted keys"}},
	Merge:         {"merge", keys, []string{"first run", "second run", "result"}},
	Least:         {"least keys", keys | argsort, []string{"keys", "positions", "result"}},
	Select:        {"select", keys, []string{"keys"}},
	Segments:      {"sort of segments", keys | argsort, []string{"keys", "positions", "offsets"}},
	Strings:       {"argsort of strings", argsort, []string{"bytes", "positions", "offsets", "words"}},
	StringsNext:   {"argsort of strings by a next word", argsort, []string{"bytes", "positions", "offsets", "words", "lists", "next lists"}},
	GatherStrings: {"gather of strings", keys, []string{"places", "offsets", "bytes", "new offsets", "new bytes"}},
}

// Modes as bits of kinds.
const (
	keys    = 1 << Keys
	pairs   = 1 << Pairs
	argsort = 1 << Argsort
)

// String is the kind in words: "sort", "exclusive sums".
func (k Kind) String() string {
	if k >= numKinds {
		return fmt.Sprintf("op.Kind(%d)", uint8(k))
	}
	return kinds[k].name
}

// Region is the name of region r of an operation of this kind.
func (k Kind) Region(r Region) string {
	if k < numKinds && int(r) < len(kinds[k].regions) {
		return kinds[k].regions[r]
	}
	return r.String()
}

// Mode says what a sort moves.
type Mode uint8

// The modes.
const (
	Keys    Mode = iota // keys alone, in place
	Pairs               // keys and values, in place, stable
	Argsort             // the stable order of the keys as indices; keys stay as they are
)

// String is "keys", "pairs" or "argsort".
func (m Mode) String() string {
	if m > Argsort {
		return fmt.Sprintf("op.Mode(%d)", uint8(m))
	}
	return [...]string{"keys", "pairs", "argsort"}[m]
}

// Spec is one operation. It is comparable: what was planned for one serves an equal
// one. What an operation needs beyond these is a field of its own, whose zero value
// is a sort's.
type Spec struct {
	Kind  Kind
	Type  key.Type
	Mode  Mode
	Order key.Order
	Items uint64
	// ValueBytes is the width of a value (Pairs) or of an index (Argsort): 4 or
	// 8. It is 0 for Keys. Positions of other operations than a sort are such indices.
	ValueBytes int
	// Other is the number of other items: of Gather's source, of the keys that Search
	// looks through, of Merge's second run, of segments; how many groups and least keys
	// there is room for; how many keys lie before the one that Select finds.
	Other uint64
	// Width is the size in bytes of an item of Gather, and of an offset of Segments and strings.
	Width int
	Texts // of strings
}

// Codec is the key codec of the operation. For keys alone it is that of the order without
// EqualZeros, which gives them the same result; only groups differ.
func (s Spec) Codec() key.Codec {
	c := key.CodecOf(s.Type, s.Order)
	if s.Mode == Keys && s.Kind != Groups {
		c &^= key.CodecEqualZeros
	}
	return c
}

// Ties reports whether different bit patterns tie in the operation's order, and which
// came first must be seen in the result.
func (s Spec) Ties() bool { return s.Codec()&key.CodecEqualZeros != 0 }

// KeyBytes is the size of all keys.
func (s Spec) KeyBytes() uint64 { return s.Items * uint64(s.Type.Bytes()) }

// ValuesBytes is the size of all values or indices.
func (s Spec) ValuesBytes() uint64 { return s.Items * uint64(s.ValueBytes) }

// ScratchBound is the most scratch memory in bytes that a sort may ask for unless
// its method needs more: as much as all keys and values, and 64 MB. An argsort leaves the
// keys where they are, so that its passes go between two copies of them: keys of 4 and 8
// bytes may take as much more (docs/rfcs/0004-argsort.md).
func (s Spec) ScratchBound() uint64 {
	bound := s.KeyBytes() + s.ValuesBytes() + 64_000_000
	if s.Mode == Argsort && s.Type.Bytes() >= 4 {
		bound += s.KeyBytes()
	}
	return bound
}

// Words is the operation in words, with its number of items: "argsort of 7 u32 keys", "gather of 7 strings".
func (s Spec) Words() string {
	name, items := s.Kind.String(), s.Type.String()+" keys"
	switch {
	case s.Kind >= Strings && s.Kind < numKinds:
		return strings.Replace(name, "strings", fmt.Sprintf("%d strings", s.Items), 1)
	case s.Kind == Gather:
		items = "items"
	case s.Mode == Pairs:
		items = s.Type.String() + " pairs"
	case s.Mode == Argsort && (s.Kind == Sort || s.Kind == Segments):
		name = "arg" + name
	}
	return fmt.Sprintf("%s of %d %s", name, s.Items, items)
}

// Validate reports an operation that no algorithm could be given.
func (s Spec) Validate() error {
	if s.Kind >= numKinds {
		return fmt.Errorf("unknown operation %d: known are 0 to %d", uint8(s.Kind), numKinds-1)
	}
	if s.Mode > Argsort {
		return fmt.Errorf("unknown mode %d: known are 0 to %d: %v, %v and %v", uint8(s.Mode), Argsort, Keys, Pairs, Argsort)
	}
	if kinds[s.Kind].modes&(1<<s.Mode) == 0 {
		return fmt.Errorf("%v of %v: there is no such operation", s.Kind, s.Mode)
	}
	if (s.Mode == Keys) != (s.ValueBytes == 0) || s.ValueBytes != 0 && s.ValueBytes != 4 && s.ValueBytes != 8 {
		return fmt.Errorf("%v with values of %d bytes: keys have none, pairs and argsort 4 or 8", s.Mode, s.ValueBytes)
	}
	if s.Mode == Argsort && s.ValueBytes == 4 && s.Items > 1<<32 {
		return fmt.Errorf("argsort of %d items needs 8-byte indices", s.Items)
	}
	return s.validateOther()
}

// validateOther reports what is wrong with the fields that a sort leaves zero.
func (s Spec) validateOther() error {
	switch {
	case s.Kind <= InclusiveSums && s.Other != 0 || s.Kind != Gather && s.Kind < Segments && s.Width != 0,
		s.Kind < Strings && s.Texts != Texts{}:
		return fmt.Errorf("%v with fields of another operation", s.Kind)
	case s.Kind == Gather && s.Width < 1:
		return fmt.Errorf("gather of items of %d bytes: they have 1 or more", s.Width)
	case s.Kind == Gather && s.Type.Row().Kind > key.Signed:
		return fmt.Errorf("gather by places of type %v: they are integers", s.Type)
	case s.Kind >= Segments && s.Width != 4 && s.Width != 8:
		return fmt.Errorf("%v with offsets of %d bytes: they have 4 or 8", s.Kind, s.Width)
	case s.Kind == GatherStrings && s.Type.Row().Kind > key.Signed:
		return fmt.Errorf("gather of strings by places of type %v: they are integers", s.Type)
	case s.Kind == Least && s.Other > s.Items, s.Kind == Select && s.Other >= s.Items:
		return fmt.Errorf("%v: %d of %d keys: there are not so many", s.Kind, s.Other, s.Items)
	case s.Kind == Search && s.ValueBytes == 4 && s.Other >= 1<<32:
		return fmt.Errorf("positions among %d keys need 8-byte indices", s.Other)
	}
	return nil
}

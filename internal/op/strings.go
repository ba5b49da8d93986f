package op

// Texts are the fields of operations on strings: string i is bytes[offsets[i]:offsets[i+1]].
//
// Strings sorts a word of each of Items strings, whose type is the spec's, and finds how many
// strings share theirs with a neighbour and are not told apart by it: the active ones, in the lower
// 32 bits of the number that it finds, and how many groups they form, in the upper ones.
// StringsNext orders Items active strings in Other groups by their next word, and finds the same of
// them. When no string is active the positions are in order.
type Texts struct {
	// Bytes is the size of the bytes that the strings lie in.
	Bytes uint64
	// Room is how many bytes the result of GatherStrings may have; of StringsNext how many
	// active strings there were behind the first words, for which its lists are made.
	Room uint64
	// All is the number of all strings, and Later says that it is not the first of its sort: of
	// StringsNext.
	All   uint64
	Later bool
}

// WordsParts is the most parts in which active strings are counted.
const WordsParts = 4096

// WordsBytes is the size of what Strings hands over to StringsNext: the words of n strings in order, the length
// of the prefix that all have, and the counts of each part.
func WordsBytes(n uint64) uint64 { return 8 * (n + 1 + WordsParts) }

// ListParts are where the parts of the lists of n active strings begin, in bytes: numbers of strings and of
// groups, for each string; for each group the first string and the place in the order, and how many bytes are
// done. The last is where all end. Groups have two strings or more, and each part is aligned to 512 bytes.
func ListParts(n uint64) (at [6]uint64) {
	for i, bytes := range [5]uint64{4 * n, 4 * n, 4 * (n/2 + 1), 4 * (n / 2), 8 * (n / 2)} {
		at[i+1] = (at[i] + bytes + 511) / 512 * 512
	}
	return at
}

// texts are the extents of operations on strings.
func (s Spec) texts() (e [MostRegions]Extent) {
	width := uint64(s.Width)
	if s.Kind == GatherStrings {
		return [MostRegions]Extent{
			{s.KeyBytes(), In}, {(s.Other + 1) * width, In}, {s.Bytes, In}, {(s.Items + 1) * width, Out}, {s.Room, Out},
		}
	}
	e = [MostRegions]Extent{{s.Bytes, In}, {s.ValuesBytes(), Out}, {(s.Items + 1) * width, In}, {WordsBytes(s.Items), Out}}
	if s.Kind == StringsNext {
		lists := Extent{ListParts(s.Room)[5], InOut}
		e[ValuesIO] = Extent{s.All * uint64(s.ValueBytes), InOut}
		e[OtherIO].Bytes = (s.All + 1) * width
		e[3], e[4], e[5] = Extent{WordsBytes(s.All), In}, lists, lists
		if s.Later {
			e[3] = Extent{}
		}
	}
	return e
}

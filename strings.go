package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/op"
)

// SortStrings sorts words in place by bytes, as slices.Sort does, on the fastest device
// present; fewer than 2^14 on the CPU. It takes a copy of the slice, not of the text, and
// some 60 bytes a string. There are at most 2^32 − 1 of them. Where few of many are distinct,
// equal words may share the memory of one afterwards.
//
// A device gets the text, and takes some 28 bytes a string besides, up to 80 more for those
// that share their first words. The host then takes 4 bytes a string, and 4 MiB of
// page-locked memory a worker. While the device works, words are only read.
func SortStrings[S ~string](words []S) {
	textsDefault("SortStrings", op.HeadersOf(words), false, sortStrings(words))
}

// SortStringsDesc is SortStrings in descending order.
func SortStringsDesc[S ~string](words []S) {
	textsDefault("SortStringsDesc", op.HeadersOf(words), true, sortStrings(words))
}

// SortStringsWith is SortStrings on the device of s, the first if there are several, in the
// direction of s, with its workers, until ctx ends. Words that a named device has too little
// memory for are an error; those that it has no code for are sorted on the CPU, as the
// report says. After an error words are as they were, or if they are more than 6 million,
// maybe in another order.
func SortStringsWith[S ~string](ctx context.Context, s *Sorter, words []S) error {
	return s.texts(ctx, "SortStringsWith", op.HeadersOf(words), sortStrings(words))
}

// SortBytes sorts lines in place as bytes.Compare has them, where and with what memory
// SortStrings sorts as many strings.
func SortBytes[B ~[]byte](lines []B) {
	textsDefault("SortBytes", op.HeadersOf(lines), false, sortBytes(lines))
}

// SortBytesDesc is SortBytes in descending order.
func SortBytesDesc[B ~[]byte](lines []B) {
	textsDefault("SortBytesDesc", op.HeadersOf(lines), true, sortBytes(lines))
}

// SortBytesWith is to SortBytes what SortStringsWith is to SortStrings. After an error lines
// are as they were, or if they are more than 4 million, maybe in another order.
func SortBytesWith[B ~[]byte](ctx context.Context, s *Sorter, lines []B) error {
	return s.texts(ctx, "SortBytesWith", op.HeadersOf(lines), sortBytes(lines))
}

// ArgsortStrings returns the positions that put words in ascending order by bytes, equal
// ones in order of position, found where SortStrings sorts.
func ArgsortStrings[S ~string](words []S) []int {
	idx := make([]int, len(words))
	textsDefault("ArgsortStrings", op.HeadersOf(words), false, argsortStrings(idx, words))
	return idx
}

// ArgsortStringsDesc is ArgsortStrings in descending order, stable too.
func ArgsortStringsDesc[S ~string](words []S) []int {
	idx := make([]int, len(words))
	textsDefault("ArgsortStringsDesc", op.HeadersOf(words), true, argsortStrings(idx, words))
	return idx
}

// ArgsortStringsWith writes the stable order of words, in the direction of s, to idx,
// which is as long, where SortStringsWith sorts. After an error the contents of idx are undefined.
func ArgsortStringsWith[S ~string, I Integer](ctx context.Context, s *Sorter, idx []I, words []S) error {
	return s.texts(ctx, "ArgsortStringsWith", op.HeadersOf(words), argsortStrings(idx, words))
}

// ArgsortBytes returns the positions that put lines in the order of SortBytes, equal
// ones in order of position.
func ArgsortBytes[B ~[]byte](lines []B) []int {
	idx := make([]int, len(lines))
	textsDefault("ArgsortBytes", op.HeadersOf(lines), false, argsortBytes(idx, lines))
	return idx
}

// ArgsortBytesDesc is ArgsortBytes in descending order, stable too.
func ArgsortBytesDesc[B ~[]byte](lines []B) []int {
	idx := make([]int, len(lines))
	textsDefault("ArgsortBytesDesc", op.HeadersOf(lines), true, argsortBytes(idx, lines))
	return idx
}

// ArgsortBytesWith writes the stable order of lines, in the direction of s, to idx, which
// is as long, where SortBytesWith sorts. After an error the contents of idx are undefined.
func ArgsortBytesWith[B ~[]byte, I Integer](ctx context.Context, s *Sorter, idx []I, lines []B) error {
	return s.texts(ctx, "ArgsortBytesWith", op.HeadersOf(lines), argsortBytes(idx, lines))
}

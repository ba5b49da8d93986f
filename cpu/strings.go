package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/key"
)

// SortStrings sorts words in place by bytes, as slices.Sort does. It takes a copy of the
// slice, not of the text, and some 60 bytes a string. There are at most 2^32 − 1 of them.
// Where few of many are distinct it takes a few bytes a string, and equal words may share
// the memory of one afterwards.
func SortStrings[S ~string](words []S) {
	must("SortStrings", rows.SortStrings(cpu.Options{}, words, false))
}

// SortStringsDesc is SortStrings in descending order.
func SortStringsDesc[S ~string](words []S) {
	must("SortStringsDesc", rows.SortStrings(cpu.Options{}, words, true))
}

// SortStringsWith is SortStrings in the direction of s, with its workers, until ctx ends.
// After an error words are as they were, or if they are more than 6 million, maybe in
// another order.
func SortStringsWith[S ~string](ctx context.Context, s *Sorter, words []S) error {
	return s.onHost(ctx, "SortStringsWith", func(o key.Order, h cpu.Options) error {
		return rows.SortStrings(h, words, o.Desc)
	})
}

// SortBytes sorts lines in place as bytes.Compare has them. It takes a copy of the slice,
// not of the bytes, and some 60 bytes a line.
func SortBytes[B ~[]byte](lines []B) {
	must("SortBytes", rows.SortBytes(cpu.Options{}, lines, false))
}

// SortBytesDesc is SortBytes in descending order.
func SortBytesDesc[B ~[]byte](lines []B) {
	must("SortBytesDesc", rows.SortBytes(cpu.Options{}, lines, true))
}

// SortBytesWith is SortBytes in the direction of s, with its workers, until ctx ends.
// After an error lines are as they were, or if they are more than 4 million, maybe in
// another order.
func SortBytesWith[B ~[]byte](ctx context.Context, s *Sorter, lines []B) error {
	return s.onHost(ctx, "SortBytesWith", func(o key.Order, h cpu.Options) error {
		return rows.SortBytes(h, lines, o.Desc)
	})
}

// ArgsortStrings returns the positions that put words in ascending order by bytes, equal
// ones in order of position.
func ArgsortStrings[S ~string](words []S) []int {
	idx := make([]int, len(words))
	must("ArgsortStrings", rows.ArgsortStrings(cpu.Options{}, idx, words, false))
	return idx
}

// ArgsortStringsDesc is ArgsortStrings in descending order, stable too.
func ArgsortStringsDesc[S ~string](words []S) []int {
	idx := make([]int, len(words))
	must("ArgsortStringsDesc", rows.ArgsortStrings(cpu.Options{}, idx, words, true))
	return idx
}

// ArgsortStringsWith writes the stable order of words, in the direction of s, to idx,
// which is as long. After an error the contents of idx are undefined.
func ArgsortStringsWith[S ~string, I Integer](ctx context.Context, s *Sorter, idx []I, words []S) error {
	return s.onHost(ctx, "ArgsortStringsWith", func(o key.Order, h cpu.Options) error {
		return rows.ArgsortStrings(h, idx, words, o.Desc)
	})
}

// ArgsortBytes returns the positions that put lines in the order of SortBytes, equal
// ones in order of position.
func ArgsortBytes[B ~[]byte](lines []B) []int {
	idx := make([]int, len(lines))
	must("ArgsortBytes", rows.ArgsortBytes(cpu.Options{}, idx, lines, false))
	return idx
}

// ArgsortBytesDesc is ArgsortBytes in descending order, stable too.
func ArgsortBytesDesc[B ~[]byte](lines []B) []int {
	idx := make([]int, len(lines))
	must("ArgsortBytesDesc", rows.ArgsortBytes(cpu.Options{}, idx, lines, true))
	return idx
}

// ArgsortBytesWith writes the stable order of lines, in the direction of s, to idx, which
// is as long. After an error the contents of idx are undefined.
func ArgsortBytesWith[B ~[]byte, I Integer](ctx context.Context, s *Sorter, idx []I, lines []B) error {
	return s.onHost(ctx, "ArgsortBytesWith", func(o key.Order, h cpu.Options) error {
		return rows.ArgsortBytes(h, idx, lines, o.Desc)
	})
}

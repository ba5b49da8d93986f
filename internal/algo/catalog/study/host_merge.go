package study

import (
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/merge"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// sortMerge is merge-path on the processor. It looks at no cap on scratch: a
// stable merge needs its copies.
func sortMerge(j op.Job, o catalog.HostOptions) error {
	if j.Items == 0 {
		return nil
	}
	return key.ByWidths(j.Type.Bytes(), j.ValueBytes,
		mergeWords[uint8, uint32], mergeWords[uint16, uint32], mergeWords[uint32, uint32], mergeWords[uint64, uint32],
		mergeWords[uint8, uint64], mergeWords[uint16, uint64], mergeWords[uint32, uint64], mergeWords[uint64, uint64],
	)(j, merge.Options{Workers: o.Workers, Ctx: o.Ctx})
}

func mergeWords[U key.Word, V uint32 | uint64](j op.Job, o merge.Options) error {
	k, v := op.Words[U, V](j)
	switch j.Mode {
	case op.Keys:
		return merge.Keys(k, j.Codec(), o)
	case op.Pairs:
		return merge.Pairs(k, v, j.Codec(), o)
	}
	return merge.Argsort(k, v, j.Codec(), o)
}

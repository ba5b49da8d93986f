package study

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/merge"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// sortMerge is merge-path on the processor. It looks at no cap on scratch: a
// stable merge needs its copies.
func sortMerge(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	if p.Items == 0 {
		return nil
	}
	return key.ByWidths(p.Type.Bytes(), p.ValueBytes,
		mergeWords[uint8, uint32], mergeWords[uint16, uint32], mergeWords[uint32, uint32], mergeWords[uint64, uint32],
		mergeWords[uint8, uint64], mergeWords[uint16, uint64], mergeWords[uint32, uint64], mergeWords[uint64, uint64],
	)(p, keys, values, merge.Options{Workers: o.Workers, Ctx: o.Ctx})
}

func mergeWords[U key.Word, V uint32 | uint64](p plan.Problem, keys, values unsafe.Pointer, o merge.Options) error {
	k, v := catalog.Words[U, V](p, keys, values)
	switch p.Mode {
	case plan.Keys:
		return merge.Keys(k, p.Codec(), o)
	case plan.Pairs:
		return merge.Pairs(k, v, p.Codec(), o)
	}
	return merge.Argsort(k, v, p.Codec(), o)
}

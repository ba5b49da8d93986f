package catalog

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/merge"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// sortMerge is merge-path on the processor. It looks at no cap on scratch: a
// stable merge needs its copies.
func sortMerge(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error {
	if p.Items == 0 {
		return nil
	}
	opt := merge.Options{Workers: o.Workers, Ctx: o.Ctx}
	switch p.Type.Bytes() {
	case 1:
		return mergeWords[uint8](p, keys, values, opt)
	case 2:
		return mergeWords[uint16](p, keys, values, opt)
	case 4:
		return mergeWords[uint32](p, keys, values, opt)
	}
	return mergeWords[uint64](p, keys, values, opt)
}

func mergeWords[U key.Word](p plan.Problem, keys, values unsafe.Pointer, o merge.Options) error {
	k := unsafe.Slice((*U)(keys), p.Items)
	switch {
	case p.Mode == plan.Keys:
		return merge.Keys(k, p.Codec(), o)
	case p.ValueBytes == 4:
		return mergeValues(p, k, unsafe.Slice((*uint32)(values), p.Items), o)
	}
	return mergeValues(p, k, unsafe.Slice((*uint64)(values), p.Items), o)
}

func mergeValues[U key.Word, V merge.Value](p plan.Problem, k []U, v []V, o merge.Options) error {
	if p.Mode == plan.Pairs {
		return merge.Pairs(k, v, p.Codec(), o)
	}
	return merge.Argsort(k, v, p.Codec(), o)
}

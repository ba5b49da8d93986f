package study

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// hostSort is catalog.Host's Sort.
type hostSort func(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error

// tied has hosts sort by orders with EqualZeros, too, which none knows by itself.
func tied(list []catalog.Host) []catalog.Host {
	for i := range list {
		sort := hostSort(list[i].Sort)
		list[i].Sort = func(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
			if !p.Ties() || p.Items < 2 {
				p.Order.EqualZeros = false
				return sort(p, keys, values, o)
			}
			return key.ByWidths(p.Type.Bytes(), p.ValueBytes, nil, nil, tiedWords[uint32, uint32], tiedWords[uint64, uint32],
				nil, nil, tiedWords[uint32, uint64], tiedWords[uint64, uint64])(sort, p, keys, values, o) // floats alone tie
		}
	}
	return list
}

func tiedWords[U key.Word, V uint32 | uint64](sort hostSort, p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	k, v := catalog.Words[U, V](p, keys, values)
	opt := cpu.Options{Workers: o.Workers, Ctx: o.Ctx, MemoryCap: o.MemoryCap}
	c := p.Codec()
	p.Order.EqualZeros = false
	if p.Mode == plan.Argsort {
		return cpu.ArgsortTied(k, v, c, opt, func() error { return sort(p, keys, values, o) })
	}
	return cpu.PairsTied(k, v, c, opt, func(k []U, v []V) error {
		p.Items = uint64(len(k))
		return sort(p, unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(v)), o)
	})
}

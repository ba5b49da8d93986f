package study

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// hostRun is catalog.Host's Run.
type hostRun func(j op.Job, o catalog.HostOptions) error

// tied has hosts sort by orders with EqualZeros, too, which none knows by itself.
func tied(list []catalog.Host) []catalog.Host {
	for i := range list {
		run := hostRun(list[i].Run)
		list[i].Run = func(j op.Job, o catalog.HostOptions) error {
			if !j.Ties() || j.Items < 2 {
				j.Order.EqualZeros = false
				return run(j, o)
			}
			return key.ByWidths(j.Type.Bytes(), j.ValueBytes, nil, nil, tiedWords[uint32, uint32], tiedWords[uint64, uint32],
				nil, nil, tiedWords[uint32, uint64], tiedWords[uint64, uint64])(run, j, o) // floats alone tie
		}
	}
	return list
}

func tiedWords[U key.Word, V uint32 | uint64](run hostRun, j op.Job, o catalog.HostOptions) error {
	k, v := op.Words[U, V](j)
	opt := cpu.Options{Workers: o.Workers, Ctx: o.Ctx, MemoryCap: o.MemoryCap}
	c := j.Codec()
	j.Order.EqualZeros = false
	if j.Mode == op.Argsort {
		return cpu.ArgsortTied(k, v, c, opt, func() error { return run(j, o) })
	}
	return cpu.PairsTied(k, v, c, opt, func(k []U, v []V) error {
		j.Items = uint64(len(k))
		j.At = op.Memory{unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(v))}
		return run(j, o)
	})
}

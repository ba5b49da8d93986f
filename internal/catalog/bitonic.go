package catalog

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/cpu/bitonic"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// hostBitonic returns the row of one of report 004's programs.
func hostBitonic(m bitonic.Method, doc string) Host {
	return Host{m.String(), doc, "report 004", func(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error {
		switch {
		case p.Items == 0:
			return nil
		case p.Mode != plan.Keys && p.Items > bitonic.MaxPairs:
			return algo.Unsupported("%v of %d pairs: positions have 32 bits; cpu-radix sorts any number", m, p.Items)
		}
		switch p.Type.Bytes() {
		case 1:
			return bitonicWords[uint8](m, p, keys, values, o)
		case 2:
			return bitonicWords[uint16](m, p, keys, values, o)
		case 4:
			return bitonicWords[uint32](m, p, keys, values, o)
		}
		return bitonicWords[uint64](m, p, keys, values, o)
	}}
}

func bitonicWords[U key.Word](m bitonic.Method, p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error {
	k, c := unsafe.Slice((*U)(keys), p.Items), p.Codec()
	switch {
	case p.Mode == plan.Keys:
		return bitonic.Keys(m, k, c, o.Ctx)
	case p.Mode == plan.Pairs && p.ValueBytes == 4:
		return bitonic.Pairs(m, k, unsafe.Slice((*uint32)(values), p.Items), c, o.Ctx)
	case p.Mode == plan.Pairs:
		return bitonic.Pairs(m, k, unsafe.Slice((*uint64)(values), p.Items), c, o.Ctx)
	case p.ValueBytes == 4:
		return bitonic.Argsort(m, k, unsafe.Slice((*uint32)(values), p.Items), c, o.Ctx)
	}
	return bitonic.Argsort(m, k, unsafe.Slice((*uint64)(values), p.Items), c, o.Ctx)
}

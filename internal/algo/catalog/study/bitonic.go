package study

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/bitonic"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// hostBitonic returns the row of one of report 004's programs.
func hostBitonic(m bitonic.Method, doc string) catalog.Host {
	return catalog.Host{Name: m.String(), Doc: doc, Source: "report 004", Sort: func(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
		switch {
		case p.Items == 0:
			return nil
		case p.Mode != plan.Keys && p.Items > bitonic.MaxPairs:
			return algo.Unsupported("%v of %d pairs: positions have 32 bits; cpu-radix sorts any number", m, p.Items)
		}
		return key.ByWidths(p.Type.Bytes(), p.ValueBytes,
			bitonicWords[uint8, uint32], bitonicWords[uint16, uint32], bitonicWords[uint32, uint32], bitonicWords[uint64, uint32],
			bitonicWords[uint8, uint64], bitonicWords[uint16, uint64], bitonicWords[uint32, uint64], bitonicWords[uint64, uint64],
		)(m, p, keys, values, o)
	}}
}

func bitonicWords[U key.Word, V uint32 | uint64](m bitonic.Method, p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	k, v := catalog.Words[U, V](p, keys, values)
	switch p.Mode {
	case plan.Keys:
		return bitonic.Keys(m, k, p.Codec(), o.Ctx)
	case plan.Pairs:
		return bitonic.Pairs(m, k, v, p.Codec(), o.Ctx)
	}
	return bitonic.Argsort(m, k, v, p.Codec(), o.Ctx)
}

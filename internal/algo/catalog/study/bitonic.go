package study

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/bitonic"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// hostBitonic returns the row of one of report 004's programs.
func hostBitonic(m bitonic.Method, doc string) catalog.Host {
	return catalog.Host{Name: m.String(), Doc: doc, Source: "report 004", Run: func(j op.Job, o catalog.HostOptions) error {
		switch {
		case j.Items == 0:
			return nil
		case j.Mode != op.Keys && j.Items > bitonic.MaxPairs:
			return algo.Unsupported("%v of %d pairs: positions have 32 bits; cpu-radix sorts any number", m, j.Items)
		}
		return key.ByWidths(j.Type.Bytes(), j.ValueBytes,
			bitonicWords[uint8, uint32], bitonicWords[uint16, uint32], bitonicWords[uint32, uint32], bitonicWords[uint64, uint32],
			bitonicWords[uint8, uint64], bitonicWords[uint16, uint64], bitonicWords[uint32, uint64], bitonicWords[uint64, uint64],
		)(m, j, o)
	}}
}

func bitonicWords[U key.Word, V uint32 | uint64](m bitonic.Method, j op.Job, o catalog.HostOptions) error {
	k, v := op.Words[U, V](j)
	switch j.Mode {
	case op.Keys:
		return bitonic.Keys(m, k, j.Codec(), o.Ctx)
	case op.Pairs:
		return bitonic.Pairs(m, k, v, j.Codec(), o.Ctx)
	}
	return bitonic.Argsort(m, k, v, j.Codec(), o.Ctx)
}

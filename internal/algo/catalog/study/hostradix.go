package study

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/lsd"
	"github.com/gpusort/gpusort/internal/algo/cpu/msd"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

func sortLSD(j op.Job, o catalog.HostOptions) error {
	if err := radixRoom(j.Spec, o); err != nil || j.Items == 0 {
		return err
	}
	return key.ByWidths(j.Type.Bytes(), j.ValueBytes,
		lsdWords[uint8, uint32], lsdWords[uint16, uint32], lsdWords[uint32, uint32], lsdWords[uint64, uint32],
		lsdWords[uint8, uint64], lsdWords[uint16, uint64], lsdWords[uint32, uint64], lsdWords[uint64, uint64],
	)(j, team.Options{Workers: o.Workers, Ctx: o.Ctx})
}

func sortMSD(j op.Job, o catalog.HostOptions) error {
	if err := radixRoom(j.Spec, o); err != nil || j.Items == 0 {
		return err
	}
	return key.ByWidths(j.Type.Bytes(), j.ValueBytes,
		msdWords[uint8, uint32], msdWords[uint16, uint32], msdWords[uint32, uint32], msdWords[uint64, uint32],
		msdWords[uint8, uint64], msdWords[uint16, uint64], msdWords[uint32, uint64], msdWords[uint64, uint64],
	)(j, team.Options{Workers: o.Workers, Ctx: o.Ctx})
}

// radixRoom refuses a limit below the radix sorts' scratch, which is as many keys
// and values as are sorted. The error wraps driver.ErrUnsupported.
func radixRoom(p op.Spec, o catalog.HostOptions) error {
	if need := p.KeyBytes() + p.ValuesBytes(); o.MemoryCap != 0 && need > o.MemoryCap {
		return algo.Unsupported("this host sort needs %d bytes of scratch, the limit is %d: raise it, or use the default", need, o.MemoryCap)
	}
	return nil
}

func lsdWords[U key.Word, V uint32 | uint64](j op.Job, o team.Options) error {
	k, v := op.Words[U, V](j)
	switch j.Mode {
	case op.Keys:
		return lsd.Keys(k, j.Codec(), o)
	case op.Pairs:
		return lsd.Pairs(k, v, j.Codec(), o)
	}
	return lsd.Argsort(k, v, j.Codec(), o)
}

func msdWords[U key.Word, V uint32 | uint64](j op.Job, o team.Options) error {
	k, v := op.Words[U, V](j)
	switch j.Mode {
	case op.Keys:
		return msd.Keys(k, j.Codec(), o)
	case op.Pairs:
		return msd.Pairs(k, v, j.Codec(), o)
	}
	return msd.Argsort(k, v, j.Codec(), o)
}

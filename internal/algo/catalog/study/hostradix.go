package study

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/lsd"
	"github.com/gpusort/gpusort/internal/algo/cpu/msd"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

func sortLSD(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	if err := radixRoom(p, o); err != nil || p.Items == 0 {
		return err
	}
	return key.ByWidths(p.Type.Bytes(), p.ValueBytes,
		lsdWords[uint8, uint32], lsdWords[uint16, uint32], lsdWords[uint32, uint32], lsdWords[uint64, uint32],
		lsdWords[uint8, uint64], lsdWords[uint16, uint64], lsdWords[uint32, uint64], lsdWords[uint64, uint64],
	)(p, keys, values, team.Options{Workers: o.Workers, Ctx: o.Ctx})
}

func sortMSD(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	if err := radixRoom(p, o); err != nil || p.Items == 0 {
		return err
	}
	return key.ByWidths(p.Type.Bytes(), p.ValueBytes,
		msdWords[uint8, uint32], msdWords[uint16, uint32], msdWords[uint32, uint32], msdWords[uint64, uint32],
		msdWords[uint8, uint64], msdWords[uint16, uint64], msdWords[uint32, uint64], msdWords[uint64, uint64],
	)(p, keys, values, team.Options{Workers: o.Workers, Ctx: o.Ctx})
}

// radixRoom refuses a limit below the radix sorts' scratch, which is as many keys
// and values as are sorted. The error wraps driver.ErrUnsupported.
func radixRoom(p plan.Problem, o catalog.HostOptions) error {
	if need := p.KeyBytes() + p.ValuesBytes(); o.MemoryCap != 0 && need > o.MemoryCap {
		return algo.Unsupported("this host sort needs %d bytes of scratch, the limit is %d: raise it, or use the default", need, o.MemoryCap)
	}
	return nil
}

func lsdWords[U key.Word, V uint32 | uint64](p plan.Problem, keys, values unsafe.Pointer, o team.Options) error {
	k, v := catalog.Words[U, V](p, keys, values)
	switch p.Mode {
	case plan.Keys:
		return lsd.Keys(k, p.Codec(), o)
	case plan.Pairs:
		return lsd.Pairs(k, v, p.Codec(), o)
	}
	return lsd.Argsort(k, v, p.Codec(), o)
}

func msdWords[U key.Word, V uint32 | uint64](p plan.Problem, keys, values unsafe.Pointer, o team.Options) error {
	k, v := catalog.Words[U, V](p, keys, values)
	switch p.Mode {
	case plan.Keys:
		return msd.Keys(k, p.Codec(), o)
	case plan.Pairs:
		return msd.Pairs(k, v, p.Codec(), o)
	}
	return msd.Argsort(k, v, p.Codec(), o)
}

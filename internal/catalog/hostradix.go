package catalog

import (
	"math/bits"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/cpu/lsd"
	"github.com/gpusort/gpusort/internal/algo/cpu/msd"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// hostSort is Host.Sort.
type hostSort func(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error

// instances are one host method for keys of 1, 2, 4 and 8 bytes and values of 4
// and 8.
type instances [4][2]hostSort

// sort is a Host.Sort. The method's scratch is as many keys and values as are
// sorted; a cap below that is an error that wraps driver.ErrUnsupported.
func (i *instances) sort(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error {
	if need := p.KeyBytes() + p.ValuesBytes(); o.MemoryCap != 0 && need > o.MemoryCap {
		return algo.Unsupported("this host sort needs %d bytes of scratch, the limit is %d: raise it, or use the default", need, o.MemoryCap)
	}
	if p.Items == 0 {
		return nil
	}
	return i[bits.TrailingZeros(uint(p.Type.Bytes()))][p.ValueBytes/8](p, keys, values, o)
}

// method is a host method of one width of keys and values.
type method[U, V key.Word] struct {
	keys    func([]U, key.Codec, team.Options) error
	pairs   func([]U, []V, key.Codec, team.Options) error
	argsort func([]U, []V, key.Codec, team.Options) error
}

// sort views the memory as slices. It is a hostSort.
func (m method[U, V]) sort(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error {
	k, t := unsafe.Slice((*U)(keys), p.Items), team.Options{Workers: o.Workers, Ctx: o.Ctx}
	if p.Mode == plan.Keys {
		return m.keys(k, p.Codec(), t)
	}
	v := unsafe.Slice((*V)(values), p.Items)
	if p.Mode == plan.Pairs {
		return m.pairs(k, v, p.Codec(), t)
	}
	return m.argsort(k, v, p.Codec(), t)
}

func lsdOf[U key.Word, V uint32 | uint64]() hostSort {
	return method[U, V]{lsd.Keys[U], lsd.Pairs[U, V], lsd.Argsort[U, V]}.sort
}

func msdOf[U key.Word, V uint32 | uint64]() hostSort {
	return method[U, V]{msd.Keys[U], msd.Pairs[U, V], msd.Argsort[U, V]}.sort
}

var (
	hostLSD = instances{
		{lsdOf[uint8, uint32](), lsdOf[uint8, uint64]()}, {lsdOf[uint16, uint32](), lsdOf[uint16, uint64]()},
		{lsdOf[uint32, uint32](), lsdOf[uint32, uint64]()}, {lsdOf[uint64, uint32](), lsdOf[uint64, uint64]()},
	}
	hostMSD = instances{
		{msdOf[uint8, uint32](), msdOf[uint8, uint64]()}, {msdOf[uint16, uint32](), msdOf[uint16, uint64]()},
		{msdOf[uint32, uint32](), msdOf[uint32, uint64]()}, {msdOf[uint64, uint32](), msdOf[uint64, uint64]()},
	}
)

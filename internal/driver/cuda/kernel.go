//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// kernel is an entry point. It also implements driver.Occupier.
type kernel struct {
	d    *device
	h    cu.Function
	name string
	attr driver.Attributes

	mu      sync.Mutex    // for setting attributes
	dynamic atomic.Uint32 // dynamic shared memory that may be launched with
}

// newKernel finds name in m; the context is current.
func newKernel(d *device, m cu.Module, module, name string) (*kernel, error) {
	h, r := d.l.ModuleGetFunction(m, name)
	if r != cu.Success {
		return nil, d.fail("cuModuleGetFunction", r, fmt.Sprintf("kernel %s of module %s", name, module))
	}
	k := &kernel{d: d, h: h, name: name}
	k.attr.WarpSize = d.caps.WarpSize
	for _, a := range []struct {
		id cu.FuncAttribute
		to *int
	}{
		{cu.FuncRegisters, &k.attr.Registers},
		{cu.FuncSharedSize, &k.attr.SharedBytes},
		{cu.FuncLocalSize, &k.attr.LocalBytes},
		{cu.FuncMaxThreadsPerBlock, &k.attr.MaxThreadsPerBlock},
	} {
		v, r := d.l.FuncGetAttribute(a.id, h)
		if r != cu.Success {
			return nil, d.fail("cuFuncGetAttribute", r, fmt.Sprintf("attribute %d of kernel %s", a.id, name))
		}
		*a.to = int(v)
	}
	k.dynamic.Store(k.room(d.caps.SharedPerBlock))
	return k, nil
}

// room is what a block's shared memory leaves for dynamic use.
func (k *kernel) room(perBlock uint64) uint32 {
	return uint32(max(int64(perBlock)-int64(k.attr.SharedBytes), 0))
}

func (k *kernel) Name() string { return k.name }

// Attributes were read when the kernel was found.
func (k *kernel) Attributes() (driver.Attributes, error) { return k.attr, nil }

// optIn lets the kernel use all the shared memory that a block can have, and
// asks for the largest share of the L1 for it. The context is current.
func (k *kernel) optIn(want uint32) error {
	limit := k.room(k.d.caps.SharedPerBlockMax)
	if want > limit {
		return k.d.unsupported("cuFuncSetAttribute", fmt.Sprintf(
			"kernel %s: %d bytes of dynamic shared memory beside %d static; a block of this device has at most %d in all",
			k.name, want, k.attr.SharedBytes, k.d.caps.SharedPerBlockMax))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if want <= k.dynamic.Load() {
		return nil
	}
	for _, a := range []struct {
		id cu.FuncAttribute
		v  int32
	}{{cu.FuncMaxDynamicShared, int32(limit)}, {cu.FuncSharedCarveout, 100}} {
		if r := k.d.l.FuncSetAttribute(k.h, a.id, a.v); r != cu.Success {
			return k.d.fail("cuFuncSetAttribute", r, fmt.Sprintf("kernel %s: attribute %d = %d", k.name, a.id, a.v))
		}
	}
	k.dynamic.Store(limit)
	return nil
}

// Occupancy implements driver.Occupier.
func (k *kernel) Occupancy(threads int, sharedBytes uint32) (blocks int, err error) {
	const op = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
	if threads < 1 || threads > k.d.caps.MaxThreadsPerBlock {
		return 0, k.d.invalid(op, fmt.Sprintf("kernel %s: %d threads; a block has 1 to %d", k.name, threads, k.d.caps.MaxThreadsPerBlock))
	}
	err = k.d.do(op, func() error {
		if sharedBytes > k.room(k.d.caps.SharedPerBlockMax) {
			return nil
		}
		if sharedBytes > k.dynamic.Load() {
			if err := k.optIn(sharedBytes); err != nil {
				return err
			}
		}
		var r cu.Result
		blocks, r = k.d.l.Occupancy(k.h, threads, uint64(sharedBytes))
		return k.d.fail(op, r, "kernel "+k.name)
	})
	return blocks, err
}

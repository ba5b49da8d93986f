package lsd

import (
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	digits   = 256
	warp     = 32
	ctlBytes = 64 // the control block of kernels/opencl/lsd_state.clh
	// maxGroups bounds the counters at 2 KiB a group: 32 MiB.
	maxGroups = 1 << 14
	// groupItems bounds a group's keys: its counters have 32 bits.
	groupItems = 1 << 31
)

// geometry is a policy row with the choice that it came from.
type geometry struct {
	target                       string
	threads, items, units, small uint32
	serial                       bool
}

// geometryOf finds the row for keys of bits and values of valueBytes on a
// device. There are four classes of device: those that run a group's items one
// after the other, NVIDIA's, all others, and those among them with little room.
func geometryOf(bits, valueBytes int, c driver.Caps) (geometry, error) {
	target := "simt"
	switch {
	case c.CPU:
		target = "serial"
	case strings.Contains(c.Vendor, "NVIDIA"):
		target = "nvidia"
	case c.MaxThreadsPerBlock != 0 && c.MaxThreadsPerBlock < 128, c.SharedPerBlock != 0 && c.SharedPerBlock < 32<<10:
		target = "tiny"
	}
	r, ok := tune.LsdOpenclFor(target, bits, valueBytes)
	if !ok {
		return geometry{}, algo.Unsupported("radix-lsd has no policy for %s, %d-bit keys and %d-byte values", target, bits, valueBytes)
	}
	return geometry{target, r.Threads, r.Items, r.Units, r.Small, target == "serial"}, nil
}

func (g geometry) tile() uint32 { return g.threads * g.items }

// groups is the number of groups of an n-key pass on a device.
func (g geometry) groups(n uint64, c driver.Caps) uint32 {
	tiles := (n + uint64(g.tile()) - 1) / uint64(g.tile())
	most := max(uint64(max(c.ComputeUnits, 1))*uint64(g.units), (n+groupItems-1)/groupItems)
	return uint32(max(min(tiles, most, maxGroups), 1))
}

// sharedBytes is the local memory of the downsweep and of small, the stages that
// need most. The kernels declare it, and compilers add theirs: it is the tile, the
// counters, as many match masks in the portable form, and the digits' tables.
func (g geometry) sharedBytes(bits, valueBytes int) uint64 {
	if g.serial {
		return 0
	}
	warps, tile := uint64(g.threads/warp), uint64(g.tile())
	counts := warps * digits * 4
	if g.target != "nvidia" {
		counts *= 2 // the match masks
	}
	return tile*uint64(bits/8+valueBytes) + counts + digits*(8+8+4+4) + warp*(8+4)
}

// entry names a stage's kernel. Programs are built for one class of device and
// one width.
func (g geometry) entry(stage string, bits, valueBytes int) kernel.ID {
	return g.variant(kernel.Entry("lsd", stage, bits, valueBytes), bits)
}

func (g geometry) plain(stage string, bits int) kernel.ID {
	return g.variant(kernel.Plain("lsd", stage), bits)
}

func (g geometry) variant(id kernel.ID, bits int) kernel.ID {
	macros := []string{"GS_TARGET_" + strings.ToUpper(g.target), kernel.Macro("GS_WIDTH", bits)}
	if g.target == "nvidia" {
		macros = append(macros, algo.Registers)
	}
	return id.Variant(macros...)
}

// scanGroups is the number of groups that share the digits' rows: one a row,
// or a few rows each where a group is one work-item on a core.
func (g geometry) scanGroups() uint32 {
	if g.serial {
		return 16
	}
	return digits
}

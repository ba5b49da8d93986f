package counting

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// layout is the launch geometry.
type layout struct {
	threads, perUnit         uint32 // of the launches that read keys
	fillThreads, fillPerUnit uint32
	blocks                   uint32 // of both, if a user set them; else 0
	units                    uint32
	cuda                     bool
}

// layoutOf joins policy and launch parameters.
func layoutOf(p plan.Problem, c driver.Caps, l algo.Params) (layout, error) {
	g := layout{blocks: l.Blocks, units: uint32(max(c.ComputeUnits, 1)), cuda: c.Backend == "cuda"}
	if g.cuda {
		r, ok := tune.CountingCudaFor(tune.CUDATarget(c), p.Type.Bits(), 0)
		if !ok {
			return g, algo.Unsupported("counting sorts have no policy for keys of %d bits", p.Type.Bits())
		}
		g.threads, g.perUnit, g.fillThreads, g.fillPerUnit = r.Threads, r.Blocks, r.FillThreads, r.FillBlocks
	} else {
		r, ok := tune.CountingOpenclFor(oclTarget(c), p.Type.Bits(), 0)
		if !ok {
			return g, algo.Unsupported("counting sorts have no policy for keys of %d bits", p.Type.Bits())
		}
		g.threads, g.perUnit, g.fillThreads, g.fillPerUnit = r.Threads, r.Blocks, r.FillThreads, r.FillBlocks
		if most := uint32(c.MaxThreadsPerBlock); most != 0 {
			g.threads, g.fillThreads = min(g.threads, most), min(g.fillThreads, most)
		}
	}
	if l.Threads != 0 {
		g.threads, g.fillThreads = l.Threads, l.Threads
	}
	return g, nil
}

// check reports a layout that the device cannot launch.
func (g layout) check(name string, c driver.Caps) error {
	most := algo.GroupThreads(c, 1024) // the kernels' launch bound
	if g.threads > most {
		return algo.Unsupported("%s: %d threads per block, %s allows %d: ask for fewer", name, g.threads, c.Name, most)
	}
	if g.cuda && g.threads%32 != 0 {
		return algo.Unsupported("%s: %d threads per block are no whole warps: ask for a multiple of 32", name, g.threads)
	}
	return nil
}

// grid is the number of blocks that read n keys.
func (g layout) grid(n uint64, p plan.Problem, perUnit, threads uint32) uint32 {
	if g.blocks != 0 {
		return g.blocks
	}
	each := uint64(1) // work for every thread: a vector, or a key
	if g.cuda {
		each = uint64(16 / p.Type.Bytes())
	}
	tiles := (n + each*uint64(threads) - 1) / (each * uint64(threads))
	return uint32(max(1, min(tiles, uint64(perUnit)*uint64(g.units))))
}

// counterBytes is the shared memory of the counting launch: as many copies of
// the counters, up to one per lane, as let two blocks share a multiprocessor.
func (g layout) counterBytes(bins uint64, c driver.Caps) uint32 {
	if !g.cuda {
		return uint32((4*bins + 7) / 8 * 8)
	}
	return uint32(min(copies*4*bins, max(4*bins, 4*sharedCounters(c))))
}

// count appends the launch that counts in shared memory. With useState it takes
// the range from the state, and memory for all counters that a block may have.
func (g layout) count(b *plan.Builder, p plan.Problem, c driver.Caps, state, counts plan.Ref, s span, useState bool) {
	bytes := g.counterBytes(s.bins, c)
	flag := uint32(0)
	if useState {
		flag = 1
	}
	args := []plan.Arg{plan.At(keys), plan.U64(p.Items), plan.At(state), plan.At(counts), plan.U64(s.lo), plan.U32(uint32(s.bins)),
		plan.U32(uint32(p.Codec())), plan.U32(flag)}
	if g.cuda {
		args = append(args, plan.U32(bytes))
	}
	b.Launch("count in shared memory", entry("count", p, c), g.grid(p.Items, p, g.perUnit, g.threads), g.threads, p.KeyBytes(), args...).SharedBytes = bytes
}

// fill appends the launch that writes the keys.
func (g layout) fill(b *plan.Builder, p plan.Problem, c driver.Caps, state, starts, encodedKeys plan.Ref, s span, useState bool) {
	flag := uint32(0)
	if useState {
		flag = 1
	}
	b.Launch("fill", entry("fill", p, c), g.grid(p.Items, p, g.fillPerUnit, g.fillThreads), g.fillThreads, p.KeyBytes(),
		plan.At(keys), plan.U64(p.Items), plan.At(state), plan.At(starts), plan.At(encodedKeys), plan.U64(s.lo), plan.U32(uint32(s.bins)),
		plan.U32(uint32(p.Codec())), plan.U32(flag))
}

// keys is the caller's buffer.
var keys = plan.Ref{Region: plan.KeysIO}

// oclTarget names the class of an OpenCL device in the policy table.
func oclTarget(c driver.Caps) string {
	if c.CPU {
		return "serial"
	}
	return "simt"
}

// variant builds OpenCL programs for one class of device and one width.
func variant(id kernel.ID, p plan.Problem, c driver.Caps) kernel.ID {
	if c.Backend == "cuda" {
		return id
	}
	target := "GS_TARGET_SIMT"
	if c.CPU {
		target = "GS_TARGET_SERIAL"
	}
	return id.Variant(target, kernel.Macro("GS_WIDTH", p.Type.Bits()))
}

// Package onesweep plans the least-significant-digit radix sort with 8-bit
// digits and decoupled look-back (Adinets and Merrill, "Onesweep", 2022).
//
// One histogram launch reads the keys once: it counts all digits, notices
// sorted and reversed input, and decides on the device which passes run,
// between which buffers, and what the finishing launch does. The host queues
// the same steps whatever the data; a launch with nothing to do returns at
// once.
package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	// rowBytes is one tile's look-back words.
	rowBytes = layout.RowBytes
	// maxRows bounds the look-back memory to 56 MiB; with the control block, what sorts
	// around gated passes keep and alignment, scratch beyond the second buffers stays below
	// 64 MB. More tiles than this go in several portions, each a launch.
	maxRows = 56 << 10
	// maxPortionItems: look-back words hold counts of 30 bits.
	maxPortionItems = 1<<30 - 1
	// finishThreads is the finishing kernel's launch bound.
	finishThreads = 256
)

// Algorithm returns the catalogue entry.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     "onesweep",
		Doc:      "LSD radix sort, one read and one write per 8-bit digit (decoupled look-back)",
		Source:   "Adinets and Merrill 2022, arXiv 2206.01784",
		Backends: []string{"cuda"},
		Supports: supports,
		Plan:     Plan,
	}
}

func policy(p plan.Problem, c driver.Caps) (tune.OnesweepCuda, bool) {
	return tune.OnesweepCudaFor(tune.CUDATarget(c), p.Type.Bits(), p.ValueBytes)
}

// sweepPolicy is policy with the geometry of a pass of a large input: of the stages sweep
// and upper.
func sweepPolicy(p plan.Problem, c driver.Caps) tune.OnesweepCuda {
	pol, _ := policy(p, c)
	pol.Threads, pol.Items = pol.SweepThreads, pol.SweepItems
	return pol
}

func supports(p plan.Problem, c driver.Caps) error {
	if _, ok := policy(p, c); !ok {
		return algo.Unsupported("onesweep has no kernels for %d-bit keys with values of %d bytes on %s", p.Type.Bits(), p.ValueBytes, c.Name)
	}
	if c.Arch < 61 {
		return algo.Unsupported("onesweep needs compute capability 6.1, %s has %d.%d", c.Name, c.Arch/10, c.Arch%10)
	}
	if !c.ForwardProgress {
		return algo.Unsupported("onesweep needs forward progress between blocks, which %s does not promise: a tile waits for its predecessors", c.Name)
	}
	if !c.SubGroups || !c.Atomics64 {
		return algo.Unsupported("onesweep needs warp votes and 64-bit atomics, which %s lacks", c.Name)
	}
	need := layout.Most(tune.CUDATarget(c), "onesweep", p.Type.Bits(), p.ValueBytes, "pass", "sweep", "upper", "small")
	if limit := max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > limit {
		return algo.Unsupported("onesweep needs %d bytes of shared memory per block, %s has %d", need, c.Name, limit)
	}
	return nil
}

// shared is the shared memory of a stage.
func shared(stage string, p plan.Problem, c driver.Caps) uint32 {
	return layout.Shared(tune.CUDATarget(c), "onesweep", stage, p.Type.Bits(), p.ValueBytes)
}

// Plan returns the steps. Scratch is a second buffer of keys and of values
// plus at most 64 MB. Argsort, which leaves the keys alone, needs two buffers of
// keys, of 8 bits none and of 16 one. Of the launch parameters it takes none.
func Plan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	pol, _ := policy(p, c)
	if l.Threads != 0 && l.Threads != pol.Threads {
		return plan.Plan{}, algo.Unsupported("onesweep is compiled for %d threads per block, not %d", pol.Threads, l.Threads)
	}
	if l.Blocks != 0 {
		return plan.Plan{}, algo.Unsupported("onesweep launches as many blocks as run at once; their number cannot be set")
	}
	return build(p, c, pol, maxRows), nil
}

// build is Plan with at most `limit` rows of look-back words.
func build(p plan.Problem, c driver.Caps, pol tune.OnesweepCuda, limit uint64) plan.Plan {
	b := plan.NewBuilder("onesweep", p)
	b.Overlap(tune.SM90(c))
	switch {
	case p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort:
	case p.Items <= uint64(pol.SmallThreads*pol.SmallItems):
		small(b, p, c, pol)
	default:
		large(b, p, c, pol, limit)
	}
	return b.Plan()
}

func entry(stage string, p plan.Problem) kernel.ID {
	return kernel.Entry("onesweep", stage, p.Type.Bits(), p.ValueBytes)
}

// values is the caller's value buffer. Keys alone have none: their kernels
// ignore the argument, which then names the keys.
func values(p plan.Problem) plan.Ref {
	if p.ValueBytes == 0 {
		return plan.Ref{Region: plan.KeysIO}
	}
	return plan.Ref{Region: plan.ValuesIO}
}

// small is one launch of one block.
func small(b *plan.Builder, p plan.Problem, c driver.Caps, pol tune.OnesweepCuda) {
	moved := p.KeyBytes() + p.ValuesBytes()
	if p.Mode != plan.Argsort {
		moved *= 2
	}
	s := b.Launch("small sort", entry("small", p), 1, pol.SmallThreads, moved,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(values(p)), plan.U32(uint32(p.Items)),
		plan.U32(uint32(p.Codec())), plan.U32(uint32(p.Mode)))
	s.SharedBytes = shared("small", p, c)
	b.Passes(p.Type.Bytes())
}

// large is clear, histogram, the digit passes and the finish.
func large(b *plan.Builder, p plan.Problem, c driver.Caps, pol tune.OnesweepCuda, limit uint64) {
	keysIO, valuesIO := plan.Ref{Region: plan.KeysIO}, values(p)
	units := uint64(max(c.ComputeUnits, 1))
	tile := uint64(pol.Threads * pol.Items)
	tiles := (p.Items + tile - 1) / tile
	passes := uint64(p.Type.Bytes())
	if p.Mode == plan.Keys && passes == 1 {
		passes = 0 // the counts of the only digit are the answer: the finish writes it
	}
	// With few tiles every pass has rows of its own, which one memset clears.
	separate := tiles*passes <= limit
	portion := min(tiles, limit, maxPortionItems/tile)
	rows := tiles * passes
	if !separate {
		rows = portion
	}

	control := b.Scratch("control", layout.ControlBytes)
	words := b.Scratch("look-back", rows*rowBytes)
	keysA, keysB, valuesA := keysIO, keysIO, valuesIO
	// Argsort's last pass writes no keys and its first reads no indices, so
	// that few passes need fewer buffers.
	sort := p.Mode != plan.Argsort
	if sort && passes > 0 || passes > 1 {
		keysA = b.Scratch("keys", p.KeyBytes())
	}
	if !sort && passes > 2 {
		keysB = b.Scratch("keys 2", p.KeyBytes())
	}
	if p.ValueBytes != 0 && (sort || passes > 1) {
		valuesA = b.Scratch("values", p.ValuesBytes())
	}
	codec := plan.U32(uint32(p.Codec()))
	cleared := words.Off + rows*rowBytes - control.Off
	clearWords(b, c, "clear control block and look-back", control, cleared, cleared, plan.U64(0))

	vectors := (p.KeyBytes() + 15) / 16
	blocks := min(max((vectors+uint64(pol.HistThreads)-1)/uint64(pol.HistThreads), 1), units*uint64(pol.HistBlocks))
	blocks = max(blocks, p.Items>>31) // a block counts in 32 bits
	histogram{"histogram", keysIO, p.Items, control, p.Mode, plan.U64(0), false, p.KeyBytes()}.append(b, p, c, uint32(blocks))

	dirty := false
	for digit := range passes {
		number, tickets := uint32(0), uint64(0)
		for first := uint64(0); first < tiles; first += portion {
			n := min(portion, tiles-first)
			row := words
			if separate {
				row = words.Add(digit * tiles * rowBytes)
			} else if dirty {
				clearWords(b, c, "clear look-back", words, n*rowBytes, n*rowBytes, plan.U64(0))
			}
			dirty = true
			label := fmt.Sprintf("digit pass %d", digit)
			if portion < tiles {
				label = fmt.Sprintf("digit pass %d, portion %d", digit, number)
			}
			items := min(n*tile, p.Items-first*tile)
			// Blocks stay until no tile is left, each drawing one ticket past the
			// portion's tiles. Tickets wrap round with the device's 32-bit counter.
			grid := min(n, units*uint64(pol.Blocks))
			s := b.Launch(label, entry("pass", p), uint32(grid), pol.Threads, passBytes(p, items, digit, passes),
				plan.At(keysIO), plan.At(keysA), plan.At(keysB), plan.At(valuesIO), plan.At(valuesA), plan.At(control), plan.At(row),
				plan.U64(p.Items), plan.U32(uint32(digit)), plan.U32(number), plan.U32(uint32(first)), plan.U32(uint32(n)), plan.U32(uint32(tickets)), codec, plan.U32(0))
			tickets += n + grid
			s.SharedBytes = shared("pass", p, c)
			number++
		}
	}

	finishBlocks := min(max(p.Items/(16*finishThreads), 1), units*8)
	written := uint64(0)
	if passes == 0 {
		written = p.KeyBytes()
	} else if passes%2 == 1 && p.Mode != plan.Argsort {
		written = 2 * (p.KeyBytes() + p.ValuesBytes())
	}
	b.Launch("finish", entry("finish", p), uint32(finishBlocks), finishThreads, written,
		plan.At(keysIO), plan.At(keysA), plan.At(valuesIO), plan.At(valuesA), plan.U64(p.Items), plan.At(control), codec)
	b.Passes(int(passes))
}

// passBytes is what a pass over some items must move when no digit is
// constant: argsort neither reads indices in the first pass nor writes keys in
// the last.
func passBytes(p plan.Problem, items, digit, passes uint64) uint64 {
	k, v := items*uint64(p.Type.Bytes()), items*uint64(p.ValueBytes)
	moved := 2 * (k + v)
	if p.Mode == plan.Argsort {
		if digit == 0 {
			moved -= v
		}
		if digit == passes-1 {
			moved -= k
		}
	}
	return moved
}

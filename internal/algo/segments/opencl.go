package segments

import (
	"slices"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// tileThreads are the work-items of an OpenCL group, and at least what its code is made for.
	tileThreads, leastThreads = 128, 32
	// Keys that a work-item has of a tile: odd numbers, as many as stay in 64 registers, of
	// argsorts with their places, and of 64 bits.
	tileItems, argsortItems, wideItems = 15, 11, 9
	// shortKeys is the most of a short segment; windowBytes and windowKeys bound what a group
	// holds of short segments.
	shortKeys, windowBytes, windowKeys = 128, 16 << 10, 2048
	// chunks is about how many chunks all keys are split in, where they have as many tiles.
	chunks = 1024
	// groupsOfUnit are groups of a compute unit, several times what one holds at once, since
	// their work differs.
	groupsOfUnit = 32
	// Of kernels/opencl/segments_lists.clh: the bytes of the state, where in it the numbers of
	// runs begin, and the distance between those of two rounds.
	clStateBytes, clRunsAt, clRoundBytes = 128, 32, 8
	digits                               = 256
	// localBytes is more than what any kernel has of local memory.
	localBytes = 30 << 10
)

// sortsWhole says that segments are sorted between sorts of all keys: a processor has no
// groups, and others may have little memory for one.
func sortsWhole(c driver.Caps) bool {
	return algo.WorkItems(c, tileThreads) < leastThreads || c.SharedPerBlock < localBytes
}

func supportsOpenCL(p plan.Problem, c driver.Caps) error {
	if sortsWhole(c) {
		return supportsSorts(p, c)
	}
	return nil
}

func planOpenCL(p plan.Problem, c driver.Caps) (plan.Plan, error) {
	if sortsWhole(c) {
		return planSorts(p, c)
	}
	return planTiles(p, c), nil
}

// tiles appends the launches of groups, which share scratch memory.
type tiles struct {
	b             *plan.Builder
	p             plan.Problem
	c             driver.Caps
	threads       uint32
	tile, chunk   uint64
	state, counts plan.Ref
	lists, memory []plan.Arg
	// What the lists hold; 0: there is nothing of that length.
	pieceRoom, runRoom, chunkRoom uint64
	macros                        []string
}

// planTiles is Plan for OpenCL devices with groups of work-items. Scratch is as CUDA's, but that
// lists and counts are at most 1.5 bytes for each key and 2 MB, or, of groups of fewer than 128
// work-items, whose tiles are smaller, 5.2 bytes.
func planTiles(p plan.Problem, c driver.Caps) plan.Plan {
	b := plan.NewBuilder(name, p)
	t := newTiles(b, p, c)
	t.launch("check offsets", "check", p.Other/uint64(t.threads)+1, offsetBytes(p), t.lists, offsetArgs(p))
	if p.Items == 0 || p.Other == 0 && p.Mode == plan.Keys {
		return b.Plan()
	}
	if t.runRoom > 0 {
		t.split(0)
	}
	if t.pieceRoom > 0 {
		t.launch("sort pieces", "pieces", t.pieceRoom, 0, t.lists, t.memory)
	}
	work, moved := shortWork(p)
	t.launch("sort short segments", "short", (work-1)/uint64(t.threads)+1, moved, []plan.Arg{plan.At(t.state)}, t.memory, offsetArgs(p))
	b.Passes(1)
	return b.Plan()
}

func newTiles(b *plan.Builder, p plan.Problem, c driver.Caps) *tiles {
	n, bytes, argsort := p.Items, uint64(p.Type.Bytes()), uint32(0)
	if p.Mode == plan.Argsort {
		argsort = 1
	}
	// Sums of 16 work-items are added first.
	t := &tiles{b: b, p: p, c: c, threads: algo.WorkItems(c, tileThreads) / 16 * 16}
	items := uint64(tileItems)
	switch {
	case bytes == 8:
		items = wideItems
	case argsort == 1:
		items = argsortItems
	}
	t.tile = uint64(t.threads) * items
	t.macros = []string{
		kernel.Macro("GS_WIDTH", p.Type.Bits()), kernel.Macro("GS_THREADS", t.threads), kernel.Macro("GS_ITEMS", items),
		kernel.Macro("GS_SHORT", shortKeys), kernel.Macro("GS_WINDOW", min(windowBytes/bytes, windowKeys)), kernel.Macro("GS_ARGSORT", argsort),
	}
	t.chunk = (n/chunks/t.tile + 1) * t.tile
	if p.Other > 0 {
		t.runRoom = n / (t.tile + 1)
	}
	t.pieceRoom = min(p.Other, n/(shortKeys+1))
	if t.runRoom > 0 {
		// A run of L keys leaves fewer than 6·L/tile pieces: two neighbours hold more than a tile
		// together, or lie beside a part that is a run itself.
		t.pieceRoom += (6*n/t.tile + 1) * bytes
		t.chunkRoom = n/t.chunk + t.runRoom
	}
	t.scratch()
	return t
}

// scratch reserves memory. What is not there is named all the same, and not used.
func (t *tiles) scratch() {
	b, p := t.b, t.p
	t.state = b.Scratch("state", clStateBytes)
	b.Refuses(t.state, refusals...)
	b.Memset("clear state", t.state, 0, clStateBytes)
	part := func(name string, bytes uint64) plan.Ref {
		if bytes == 0 {
			return t.state
		}
		return b.Scratch(name, bytes)
	}
	t.lists = []plan.Arg{
		plan.At(t.state), plan.At(part("pieces", t.pieceRoom*8)), plan.At(part("runs", 2*t.runRoom*16)), plan.At(part("owners", 2*t.chunkRoom*4)),
		plan.U32(uint32(t.pieceRoom)), plan.U32(uint32(t.runRoom)), plan.U32(uint32(t.chunkRoom)), plan.U32(uint32(t.chunk)),
	}
	t.counts = part("counts", t.chunkRoom*digits*4)
	t.memory = memoryArgs(b, p, t.runRoom > 0, t.state)
}

// split has three launches for each digit from round on. They are left out where no run is left.
func (t *tiles) split(round uint32) {
	if round == uint32(t.p.Type.Bytes()) {
		return
	}
	t.b.SkipIfZero("runs left", t.state.Add(clRunsAt+clRoundBytes*uint64(round)), func() {
		counts, of := []plan.Arg{plan.At(t.counts)}, []plan.Arg{plan.U32(round)}
		t.launch("count digits", "count", t.chunkRoom, 0, t.lists, t.memory, counts, of)
		t.launch("divide runs", "divide", t.runRoom, 0, t.lists, counts, of)
		t.launch("move keys", "move", t.chunkRoom, 0, t.lists, t.memory, counts, of)
		t.split(round + 1)
	})
}

// launch appends a launch for so many units of work, of which a group does one after the other.
func (t *tiles) launch(label, stage string, units, bytes uint64, args ...[]plan.Arg) {
	id := algo.Built(t.c, entry(stage, t.p), t.macros...)
	t.b.Launch(label, id, algo.Grid(t.c, units, 1, groupsOfUnit), t.threads, bytes, slices.Concat(args...)...)
}

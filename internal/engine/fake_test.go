package engine

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// inMemory is an algorithm for the fake device with a step of every kind: it
// copies the keys to scratch, counts in a control word, and lets one kernel
// sort by comparisons from there.
var inMemory = algo.Algorithm{
	Name: "in-memory", Doc: "test double", Source: "none", Backends: []string{"fake"},
	Supports: func(p plan.Problem, c driver.Caps) error {
		if p.Type == key.I16 {
			return algo.Unsupported("in-memory: no i16")
		}
		return nil
	},
	Plan: func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
		b := plan.NewBuilder("in-memory", p)
		if p.Items == 0 {
			return b.Plan(), nil
		}
		keys, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
		alt := b.Scratch("keys", p.KeyBytes())
		control := b.Scratch("control", 4)
		b.Memset("clear control", control, 0, 4)
		b.Copy("copy keys", alt, keys, p.KeyBytes())
		b.Launch("count", kernel.Plain("fake", "count"), 2, 32, 8, plan.At(control))
		args := []plan.Arg{plan.At(alt), plan.At(keys), plan.At(control), plan.U64(p.Items),
			plan.U32(uint32(p.Codec())), plan.U32(uint32(p.Mode)), plan.U32(uint32(p.ValueBytes))}
		if p.ValueBytes != 0 {
			args = append(args, plan.At(values))
		}
		b.Launch("sort", kernel.ID{Module: "fake", Symbol: "gs_fake_sort_" + p.Type.String()}, 1, 32, 2*p.KeyBytes(), args...)
		b.Passes(1)
		return b.Plan(), nil
	},
}

// newFake returns a fake driver with the kernels of inMemory.
func newFake(caps ...driver.Caps) *fake.Driver {
	d := fake.New(caps...)
	registerInMemory(d)
	return d
}

// inMemories is inMemory alone.
var inMemories = []algo.Algorithm{inMemory}

// registerInMemory has the kernels of inMemory.
func registerInMemory(d *fake.Driver) {
	d.Register("gs_fake_count", func(b *fake.Block) { fake.Slice[uint32](b, 0)[0]++ })
	for _, r := range key.Table() {
		d.Register("gs_fake_sort_"+r.Name, func(b *fake.Block) {
			switch r.Bits {
			case 8:
				sortFake[uint8](b, r.Type)
			case 16:
				sortFake[uint16](b, r.Type)
			case 32:
				sortFake[uint32](b, r.Type)
			default:
				sortFake[uint64](b, r.Type)
			}
		})
	}
}

func sortFake[U key.Word](b *fake.Block, t key.Type) {
	n := b.Uint(3)
	alt, keys := fake.Slice[U](b, 0)[:n], fake.Slice[U](b, 1)[:n]
	if fake.Slice[uint32](b, 2)[0] != 2 {
		panic("the control word was not cleared, or the count did not run before")
	}
	c := key.Codec(b.Uint(4))
	o := key.Order{Desc: c&key.CodecDesc != 0, NaNLast: c&^key.CodecDesc == key.CodecFloatNaNLast}
	mode, vb := plan.Mode(b.Uint(5)), b.Uint(6)
	switch {
	case mode == plan.Keys:
		for i, u := range alt {
			alt[i] = key.Encode(c, u)
		}
		slices.Sort(alt)
		for i, u := range alt {
			alt[i] = key.Decode(c, u)
		}
	case mode == plan.Pairs && vb == 4:
		verify.SortPairs(alt, fake.Slice[uint32](b, 7)[:n], t, o)
	case mode == plan.Pairs:
		verify.SortPairs(alt, fake.Slice[uint64](b, 7)[:n], t, o)
	default:
		for i, v := range verify.ArgsortRef(alt, t, o) {
			if vb == 4 {
				fake.Slice[uint32](b, 7)[i] = uint32(v)
			} else {
				fake.Slice[uint64](b, 7)[i] = uint64(v)
			}
		}
		return
	}
	copy(keys, alt)
}

func fakeImages(backend, module string) ([]driver.Image, error) {
	return []driver.Image{{Name: module, Format: driver.OpenCLC, Data: []byte{1}, Hash: "1"}}, nil
}

// fakeEngine makes an engine on drv's first device with small sizes, so that
// short inputs are staged.
func fakeEngine(t testing.TB, drv driver.Driver, limit uint64) (*Engine, error) {
	return fakeEngineOf(drv, limit, inMemory)
}

// fakeEngineOf is fakeEngine for another algorithm.
func fakeEngineOf(drv driver.Driver, limit uint64, a algo.Algorithm) (*Engine, error) {
	e, err := New(Config{
		Device: "fake:0", Drivers: []driver.Driver{drv}, Algorithms: []algo.Algorithm{a},
		Images: fakeImages, MemoryLimit: limit, Workers: 3,
	})
	if err == nil {
		e.exec.Sizes = smallSizes
	}
	return e, err
}

var smallSizes = exec.Sizes{
	Sizes:      transfer.Sizes{StageUnit: 512, StageWorkers: 12, StageFrom: 2048, DirectUnit: 1024, SaveUnit: 256, SaveAtOnce: 512, SaveUp: 2, SaveDown: 3},
	LeastPiece: 64, HeadUnit: 16, SharedSaveUp: 2,
}

// bytesOf is the job's memory, copied.
func bytesOf(j op.Job) []byte { return memoryOf(j, func(op.Use) bool { return true }) }

// memoryOf is the job's memory of some uses, copied.
func memoryOf(j op.Job, of func(op.Use) bool) (b []byte) {
	for i, e := range j.Extents() {
		if of(e.Use) {
			b = append(b, unsafe.Slice((*byte)(j.At[i]), e.Bytes)...)
		}
	}
	return b
}

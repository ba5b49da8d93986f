package run

import (
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// fakeClock moves by a millisecond whenever it is read.
type fakeClock struct{ t time.Time }

func (c *fakeClock) Now() time.Time {
	c.t = c.t.Add(time.Millisecond)
	return c.t
}

// newFake makes a device with little memory and a small cache, which are
// quickly filled and flushed.
func newFake() *fake.Driver {
	c := fake.Caps()
	c.L2Bytes, c.GlobalBytes, c.MaxAllocBytes = 4<<10, 32<<20, 32<<20
	return fake.New(c)
}

// sorter makes a device algorithm of u32 keys with values, whose kernel is a
// function of keys, values (nil for keys alone) and everything that follows
// the keys in their buffer. Its scratch is 64 bytes.
func sorter(drv *fake.Driver, name string, mode plan.Mode, f func(k, v, behind []uint32)) algo.Algorithm {
	drv.Register("gs_"+name, func(b *fake.Block) {
		n := int(b.Uint(2))
		k := fake.Slice[uint32](b, 0)
		var v []uint32
		if mode != plan.Keys {
			v = fake.Slice[uint32](b, 1)[:n]
		}
		f(k[:n], v, k[n:])
	})
	return algo.Algorithm{
		Name: name, Doc: "test double", Source: "none", Backends: []string{"fake"},
		Supports: func(p plan.Problem, _ driver.Caps) error {
			if p.Type.Bytes() != 4 || p.Mode != mode {
				return algo.Unsupported("%s sorts u32 %v only", name, mode)
			}
			return nil
		},
		Plan: func(p plan.Problem, _ driver.Caps, l algo.Params) (plan.Plan, error) {
			b := plan.NewBuilder(name, p)
			scratch := b.Scratch("all", 64)
			b.Memset("clear", scratch, 0, 64)
			values := plan.At(scratch)
			if mode != plan.Keys {
				values = plan.At(plan.Ref{Region: plan.ValuesIO})
			}
			b.Launch("sort", kernel.ID{Module: "double", Symbol: "gs_" + name}, max(1, l.Blocks), max(32, l.Threads), 2*p.KeyBytes(),
				plan.At(plan.Ref{Region: plan.KeysIO}), values, plan.U64(p.Items))
			return b.Plan(), nil
		},
	}
}

// operator makes a device algorithm of an operation without scratch. f is its kernel: arguments 0
// to 2 are the regions of keys, of values and of the other ones, 3 and 4 the items of the first
// and of the last.
func operator(drv *fake.Driver, name string, kind op.Kind, f func(*fake.Block)) algo.Algorithm {
	drv.Register("gs_"+name, f)
	return algo.Algorithm{
		Name: name, Doc: "test double", Source: "none", Backends: []string{"fake"}, Kind: kind,
		Supports: func(plan.Problem, driver.Caps) error { return nil },
		Plan: func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
			b := plan.NewBuilder(name, p)
			b.Launch(name, kernel.ID{Module: "double", Symbol: "gs_" + name}, 1, 32, 0,
				plan.At(plan.Ref{Region: op.KeysIO}), plan.At(plan.Ref{Region: op.ValuesIO}), plan.At(plan.Ref{Region: op.OtherIO}),
				plan.U64(p.Items), plan.U64(p.Other))
			return b.Plan(), nil
		},
	}
}

// honest sorts with values, stably.
func honest(k, v, _ []uint32) {
	if v == nil {
		slices.Sort(k)
		return
	}
	type pair struct{ k, v uint32 }
	ps := make([]pair, len(k))
	for i := range k {
		ps[i] = pair{k[i], v[i]}
	}
	slices.SortStableFunc(ps, func(a, b pair) int { return int(int64(a.k) - int64(b.k)) })
	for i, p := range ps {
		k[i], v[i] = p.k, p.v
	}
}

// lab is a run on the fake device.
type lab struct {
	o       Options
	records []result.Record
}

func newLab(drv *fake.Driver, list []algo.Algorithm, specs ...string) *lab {
	set, err := axes.ParseSet(append([]string{"Elements=1000"}, specs...))
	if err != nil {
		panic(err)
	}
	l := &lab{}
	l.o = Options{
		Axes: set, Devices: []string{"fake:0"}, Rule: sample.Rule{WarmUp: 1, Noise: 0.01, Min: 7, Max: 20}, Seed: 3,
		Clock: &fakeClock{time.Unix(0, 0)},
		Emit:  func(r result.Record) error { l.records = append(l.records, r); return nil },
		Engine: engine.Config{
			Drivers: []driver.Driver{drv}, Algorithms: list,
			Images: func(_, module string) ([]driver.Image, error) {
				return []driver.Image{{Name: module, Data: []byte("x")}}, nil
			},
		},
	}
	return l
}

// find returns the records whose key contains text.
func (l *lab) find(text string) (out []result.Record) {
	for _, r := range l.records {
		if strings.Contains(r.Key(), text) {
			out = append(out, r)
		}
	}
	return out
}

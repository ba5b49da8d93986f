package run

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// devBench runs algorithms on one device, all on one queue, with one set of
// buffers.
type devBench struct {
	dev driver.Device
	p   plan.Problem
	src source
	o   Options

	engine  *engine.Engine
	stock   *stock
	q       driver.Queue
	plans   []*exec.Direct // whose graphs close frees
	needTmp uint64
	needAlt bool
	cold    bool // flush the L2 cache before each sample

	in *input
	// Page-locked memory: the input, the output, and the guards' images.
	inKeys, inValues, outKeys, outValues, guards unsafe.Pointer
	// Device memory: the pristine input and what the sorts work on.
	origKeys, origValues                   *devBuffer
	keys, values, keysAlt, valuesAlt, temp *devBuffer
	flush                                  driver.Buffer
}

func newDevBench(e *engine.Engine, s *stock, p plan.Problem, src source, o Options) (*devBench, error) {
	dev := e.Device()
	q, err := dev.NewQueue()
	if err != nil {
		return nil, err
	}
	return &devBench{
		dev: dev, p: p, src: src, o: o, engine: e, stock: s, q: q, cold: !o.Warm,
	}, nil
}

func (b *devBench) add(c result.Cell) (contender, error) {
	backend := b.dev.Caps().Backend
	if c.Algo == Auto {
		return b.addChosen(paramsOf(c))
	}
	for _, a := range b.o.algorithms() {
		if a.Name == c.Algo {
			return contend(b.addPlan(a, paramsOf(c)))
		}
	}
	if a, err := study.Runnable(c.Algo); err == nil && a.Kind != op.Sort {
		return contend(b.addPlan(a, algo.Params{Threads: c.Threads, Blocks: c.Blocks}))
	}
	for _, s := range b.o.sorters {
		if s.Name == c.Algo && s.Memory.String() == backend {
			if c.Threads != 0 || c.Blocks != 0 || c.Scan != "" {
				return nil, algo.Unsupported("%s takes no threads, blocks or prefix sum", c.Algo)
			}
			return b.addPeer(s, c.MaxValue)
		}
	}
	return nil, b.o.elsewhere(c.Algo, backend)
}

func (b *devBench) addChosen(l algo.Params) (contender, error) {
	a, err := b.engine.Choose(b.p)
	if err != nil {
		return nil, err
	}
	s, err := b.addPlan(a, l)
	if err != nil {
		return nil, err
	}
	s.chosen = a.Name
	return s, nil
}

func (b *devBench) addPlan(a algo.Algorithm, l algo.Params) (*devSort, error) {
	problem := b.p
	problem.Kind = a.Kind
	direct, err := b.engine.Prepare(a, problem, l)
	if err != nil {
		return nil, err
	}
	p := direct.Plan()
	b.needTmp = max(b.needTmp, p.ScratchBytes)
	b.plans = append(b.plans, direct)
	return &devSort{b: b, scratch: p.ScratchBytes, direct: direct, params: l, result: a.Kind}, nil
}

func (b *devBench) addPeer(s peer.Sorter, most uint64) (contender, error) {
	if err := s.Supports(b.p); err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	if _, ok := b.q.(driver.Streamer); !ok {
		return nil, algo.Unsupported("queues of %s cannot be shared with a library", b.dev.Caps().Backend)
	}
	ordinal, err := b.ordinal()
	if err != nil {
		return nil, err
	}
	pr := peer.Problem{Problem: b.p, Device: ordinal}
	temp, err := s.TempBytes(pr)
	if err != nil {
		return nil, err
	}
	// A sorter that needs nothing gets a little all the same: CUB takes a null
	// pointer for a question.
	temp = max(temp, plan.ScratchAlign)
	b.needTmp = max(b.needTmp, temp)
	b.needAlt = b.needAlt || s.Flags&peer.Alternate != 0
	return &devSort{b: b, scratch: temp, peer: &s, problem: pr, params: algo.Params{MaxValue: most}}, nil
}

// ordinal is CUDA's number of the device.
func (b *devBench) ordinal() (n int, err error) {
	if _, err := fmt.Sscanf(b.dev.Caps().ID, "cuda:%d", &n); err != nil {
		return 0, algo.Unsupported("%s is no CUDA device", b.dev.Caps().ID)
	}
	return n, nil
}

// paramsOf are the launch parameters that a cell names.
func paramsOf(c result.Cell) algo.Params {
	return algo.Params{Threads: c.Threads, Blocks: c.Blocks, MaxValue: c.MaxValue, Scan: c.Scan}
}

// contend keeps a nil sort from becoming a contender that is not nil.
func contend(s *devSort, err error) (contender, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// flushBytes is what is written to push everything out of a cache of l2
// bytes: twice its size, because caches are not filled evenly.
func flushBytes(l2 uint64) uint64 {
	if l2 == 0 {
		l2 = 64 << 20
	}
	return 2 * l2
}

// takeFlush takes what is written before each sample from the stock.
func (b *devBench) takeFlush() (err error) {
	if b.cold {
		b.flush, err = b.stock.buffer("cache flush", flushBytes(b.dev.Caps().L2Bytes))
	}
	return err
}

// orAnew calls take, which takes buffers from the stock: if memory is short, again with an
// empty one.
func (b *devBench) orAnew(take func() error) error {
	err := take()
	if errors.Is(err, driver.ErrOutOfMemory) {
		if err = b.stock.close(); err == nil {
			err = take()
		}
	}
	return err
}

// allocate takes the group's buffers and makes the input.
func (b *devBench) allocate() (*input, error) {
	if err := b.orAnew(b.take); err != nil {
		return nil, err
	}
	if _, err := b.refresh(0); err != nil {
		return nil, err
	}
	return b.in, b.prepareLead()
}

// refresh makes a round's input on the host and copies it to the device. The queue
// is idle before and after.
func (b *devBench) refresh(round int) (*input, error) {
	b.in = fill(b.p, b.src.round(round), b.inKeys, b.inValues)
	if err := b.upload(b.origKeys, b.origValues); err != nil {
		return nil, err
	}
	return b.in, b.q.Synchronize()
}

func (b *devBench) take() error {
	kb, vb := b.p.KeyBytes(), b.p.ValuesBytes()
	pairs := uint64(0)
	if b.p.Mode == plan.Pairs {
		pairs = vb
	}
	// Device memory first: there is less of it, and asking is cheap.
	alt := func(n uint64) uint64 {
		if !b.needAlt {
			return 0
		}
		return n
	}
	for _, x := range []struct {
		to   **devBuffer
		name string
		n    uint64
	}{
		{&b.origKeys, "input keys", kb}, {&b.origValues, "input values", pairs},
		{&b.keys, "keys", kb}, {&b.values, "values", vb},
		{&b.keysAlt, "keys_alt", alt(kb)}, {&b.valuesAlt, "values_alt", alt(vb)}, {&b.temp, "scratch", b.needTmp},
	} {
		var err error
		if *x.to, err = newDevBuffer(b.stock, x.name, x.n); err != nil {
			return err
		}
	}
	if err := b.takeFlush(); err != nil {
		return err
	}
	for _, x := range []struct {
		p    *unsafe.Pointer
		name string
		n    uint64
	}{
		{&b.inKeys, "input keys", kb}, {&b.inValues, "input values", pairs}, {&b.outKeys, "keys", kb}, {&b.outValues, "values", vb},
		{&b.guards, "guards", 5 * 2 * guardBytes},
	} {
		if x.n == 0 {
			continue
		}
		var err error
		if *x.p, err = b.stock.pinned(x.name, x.n); err != nil {
			return err
		}
	}
	return nil
}

// upload queues the copy of the input from the host.
func (b *devBench) upload(keys, values *devBuffer) error {
	if keys != nil {
		if err := b.q.CopyIn(keys.buf, guardBytes, b.inKeys, b.p.KeyBytes()); err != nil {
			return err
		}
	}
	if values != nil && b.p.Mode == plan.Pairs {
		return b.q.CopyIn(values.buf, guardBytes, b.inValues, b.p.ValuesBytes())
	}
	return nil
}

// download queues the copy of the result to the host.
func (b *devBench) download(alternate bool) error {
	k, v := b.keys, b.values
	if alternate {
		k, v = b.keysAlt, b.valuesAlt
	}
	if k != nil {
		if err := b.q.CopyOut(b.outKeys, k.buf, guardBytes, b.p.KeyBytes()); err != nil {
			return err
		}
	}
	if v != nil {
		return b.q.CopyOut(b.outValues, v.buf, guardBytes, b.p.ValuesBytes())
	}
	return nil
}

// restore queues the copy of the pristine input to the working buffers.
func (b *devBench) restore() error {
	if b.keys != nil {
		if err := b.q.Copy(b.keys.buf, guardBytes, b.origKeys.buf, guardBytes, b.p.KeyBytes()); err != nil {
			return err
		}
	}
	if b.origValues != nil {
		return b.q.Copy(b.values.buf, guardBytes, b.origValues.buf, guardBytes, b.p.ValuesBytes())
	}
	return nil
}

// places are what a plan works on.
func (b *devBench) places() exec.Places {
	return exec.Places{plan.KeysIO: b.keys.place(), plan.ValuesIO: b.values.place(), plan.Scratch: b.temp.place()}
}

func (b *devBench) working() []*devBuffer {
	var out []*devBuffer
	for _, x := range []*devBuffer{b.keys, b.values, b.keysAlt, b.valuesAlt, b.temp} {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}

func (b *devBench) clocks() *result.Clocks { return b.o.nvml.read(b.dev.Caps().UUID) }

func (b *devBench) close() error {
	// Work that failed has been reported by the sample that it belonged to.
	_ = b.q.Synchronize()
	for _, d := range b.plans {
		d.Close()
	}
	return b.q.Close()
}

package run

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// devOps runs an operation other than a sort on a device, in memory that lies there: all
// contenders on one queue, with one set of buffers and one input. Of the devBench, which is of
// sorts, it uses all but the buffers of keys and values.
type devOps struct {
	*devBench
	draw ops.Work
	task ops.Task

	orig, regions [op.MostRegions]*devBuffer // what lies there before; what is worked on
	host          [op.MostRegions]unsafe.Pointer
	number        *devBuffer
	found         unsafe.Pointer // page-locked: the number
	spare         *devBuffer     // a peer's second room for segments
	needSpare     bool
}

// mostChecked is how many results of each contender are fetched and checked: the first
// ones. Guards are checked after every sample.
const mostChecked = 3

// operation is the group's operation as its device is asked for it.
func (g group) operation() (op.Spec, error) {
	p, err := g.op.Device()
	if err != nil {
		return p, algo.Unsupported("%v", err)
	}
	if g.engine.Several() {
		return p, algo.Unsupported("%s runs on one device: name one", g.op.Op)
	}
	return p, nil
}

func (j *Job) devOps(g group) (bench, error) {
	p, err := g.operation()
	if err != nil {
		return nil, err
	}
	w, err := ops.New(*g.op)
	if err != nil {
		return nil, err
	}
	b, err := j.devBench(g, p)
	if p.Kind == op.Strings {
		return &devStrings{devBench: b, draw: w}, err
	}
	return &devOps{devBench: b, draw: w}, err
}

func (b *devOps) add(c result.Cell) (contender, error) {
	if c.Algo == Auto {
		a, err := b.engine.Choose(b.p)
		if err != nil {
			return nil, err
		}
		return b.addPlan(a, a.Name)
	}
	for _, a := range catalog.Operations() {
		if a.Name == c.Algo && a.Kind == b.p.Kind {
			return b.addPlan(a, "")
		}
	}
	for _, o := range b.o.operators {
		if o.Name == c.Algo {
			return b.addOperator(o)
		}
	}
	return nil, algo.Unsupported("%s does no %v on a device", c.Algo, b.p.Kind)
}

func (b *devOps) addPlan(a algo.Algorithm, chosen string) (contender, error) {
	d, err := b.engine.Prepare(a, b.p, algo.Params{})
	if err != nil {
		return nil, err
	}
	b.plans = append(b.plans, d)
	b.needTmp = max(b.needTmp, d.Plan().ScratchBytes)
	return &devOp{b: b, direct: d, scratch: d.Plan().ScratchBytes, chosen: chosen}, nil
}

func (b *devOps) addOperator(o peer.Operator) (contender, error) {
	ordinal, err := b.ordinal()
	if err != nil {
		return nil, err
	}
	temp, ok, err := o.TempBytes(b.p, ordinal)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, algo.Unsupported("%s does no %v of %v, or not in this mode", o.Name, b.p.Kind, b.p.Type)
	}
	temp = max(temp, plan.ScratchAlign)
	b.needTmp, b.needSpare = max(b.needTmp, temp), b.needSpare || b.p.Kind == op.Segments
	return &devOp{b: b, peer: &o, ordinal: ordinal, scratch: temp}, nil
}

// allocate takes the buffers and makes the input.
func (b *devOps) allocate() (*input, error) {
	if err := b.orAnew(b.takeRegions); err != nil {
		return nil, err
	}
	in, err := b.refresh(0)
	if err != nil {
		return nil, err
	}
	return in, b.prepareLead()
}

func (b *devOps) takeRegions() (err error) {
	get := func(to **devBuffer, name string, n uint64) {
		if err == nil {
			*to, err = newDevBuffer(b.stock, name, n)
		}
	}
	for i, e := range b.p.Extents() {
		name := b.p.Kind.Region(op.Region(i))
		get(&b.regions[i], fmt.Sprintf("region %d", i), e.Bytes)
		if e.Use == op.InOut {
			get(&b.orig[i], "input", e.Bytes)
		}
		if err == nil && e.Bytes != 0 {
			b.regions[i].name = name
			b.host[i], err = b.stock.pinned(fmt.Sprintf("region %d", i), e.Bytes)
		}
	}
	get(&b.temp, "scratch", b.needTmp)
	get(&b.number, "number", 8)
	if b.needSpare {
		get(&b.spare, "spare keys", b.p.KeyBytes())
	}
	if err == nil {
		err = b.takeFlush()
	}
	if err == nil {
		b.found, err = b.stock.pinned("number", 8)
	}
	if err == nil {
		b.guards, err = b.stock.pinned("guards", 2*guardBytes*uint64(len(b.buffers())))
	}
	return err
}

// refresh draws a round's input and copies it to the device.
func (b *devOps) refresh(round int) (*input, error) {
	if err := b.draw.Draw(b.src.round(round).seed); err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	var err error
	if b.task, err = ops.TaskOf(b.draw); err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	for i, in := range b.task.In {
		if len(in) == 0 {
			continue
		}
		copy(unsafe.Slice((*byte)(b.host[i]), len(in)), in)
		to := b.regions[i]
		if b.orig[i] != nil {
			to = b.orig[i]
		}
		if err := b.q.CopyIn(to.buf, guardBytes, b.host[i], uint64(len(in))); err != nil {
			return nil, err
		}
	}
	return &input{p: b.p}, b.q.Synchronize()
}

// buffers are all that a contender may write to.
func (b *devOps) buffers() []*devBuffer {
	all := append(slices.Clone(b.regions[:]), b.temp, b.number, b.spare)
	return slices.DeleteFunc(all, func(x *devBuffer) bool { return x == nil })
}

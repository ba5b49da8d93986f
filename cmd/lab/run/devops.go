package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// devOps runs an operation other than a sort on a device, in memory that lies there: all
// contenders on one queue, with one set of buffers and one input.
type devOps struct {
	*devBench // queue, stock and the lead before each sample; its own buffers are not made
	spec      op.Spec
	draw      ops.Work
	task      ops.Task
	seeds     source
	drawn     bool

	orig, work   [op.MostRegions]*devBuffer // what lies there before; what is worked on
	host         [op.MostRegions]unsafe.Pointer
	temp, number *devBuffer
	spare        *devBuffer // a peer's second room for segments
	needSpare    bool
	found        unsafe.Pointer // page-locked: the number, and the images of guards
}

// mostChecked is how many results of each contender are fetched and checked: the first
// ones. Guards are checked after every sample.
const mostChecked = 3

func (j *Job) devOps(g group) (bench, error) {
	p, err := g.op.Device()
	if err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	if g.engine.Several() {
		return nil, algo.Unsupported("%s runs on one device: name one", g.op.Op)
	}
	w, err := ops.New(*g.op)
	if err != nil {
		return nil, err
	}
	b, err := j.devBench(g, p)
	return &devOps{devBench: b, spec: p, draw: w, seeds: g.source}, err
}

func (b *devOps) add(c result.Cell) (contender, error) {
	if c.Algo == Auto {
		a, err := b.engine.Choose(b.spec)
		if err != nil {
			return nil, err
		}
		return b.addPlan(a, a.Name)
	}
	for _, a := range catalog.Operations() {
		if a.Name == c.Algo && a.Kind == b.spec.Kind {
			return b.addPlan(a, "")
		}
	}
	for _, o := range b.o.operators {
		if o.Name == c.Algo {
			return b.addOperator(o)
		}
	}
	return nil, algo.Unsupported("%s does no %v on a device", c.Algo, b.spec.Kind)
}

func (b *devOps) addPlan(a algo.Algorithm, chosen string) (contender, error) {
	d, err := b.engine.Prepare(a, b.spec, algo.Params{})
	if err != nil {
		return nil, err
	}
	b.plans = append(b.plans, d)
	b.needTmp = max(b.needTmp, d.Plan().ScratchBytes)
	return &devOp{b: b, direct: d, scratch: d.Plan().ScratchBytes, chosen: chosen}, nil
}

func (b *devOps) addOperator(o peer.Operator) (contender, error) {
	var ordinal int
	if _, err := fmt.Sscanf(b.dev.Caps().ID, "cuda:%d", &ordinal); err != nil {
		return nil, algo.Unsupported("%s is no CUDA device", b.dev.Caps().ID)
	}
	temp, ok, err := o.TempBytes(b.spec, ordinal)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, algo.Unsupported("%s does no %v of %v, or not in this mode", o.Name, b.spec.Kind, b.spec.Type)
	}
	temp = max(temp, plan.ScratchAlign)
	b.needTmp, b.needSpare = max(b.needTmp, temp), b.needSpare || b.spec.Kind == op.Segments
	return &devOp{b: b, peer: &o, ordinal: ordinal, scratch: temp}, nil
}

// allocate takes the buffers, if need be from an empty stock, and makes the input.
func (b *devOps) allocate() (*input, error) {
	err := b.takeRegions()
	if errors.Is(err, driver.ErrOutOfMemory) {
		if err = b.stock.close(); err == nil {
			err = b.takeRegions()
		}
	}
	if err != nil {
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
	for i, e := range b.spec.Extents() {
		name := b.spec.Kind.Region(op.Region(i))
		get(&b.work[i], fmt.Sprintf("region %d", i), e.Bytes)
		if e.Use == op.InOut {
			get(&b.orig[i], "input", e.Bytes)
		}
		if err == nil && e.Bytes != 0 {
			b.work[i].name = name
			b.host[i], err = b.stock.pinned(fmt.Sprintf("region %d", i), e.Bytes)
		}
	}
	get(&b.temp, "scratch", b.needTmp)
	get(&b.number, "number", 8)
	if b.needSpare {
		get(&b.spare, "spare keys", b.spec.KeyBytes())
	}
	if err == nil && b.cold {
		b.flush, err = b.stock.buffer("cache flush", flushBytes(b.dev.Caps().L2Bytes))
	}
	if err == nil {
		b.found, err = b.stock.pinned("guards", 8+2*guardBytes*uint64(op.MostRegions+3))
	}
	return err
}

// refresh draws a round's input and copies it to the device.
func (b *devOps) refresh(round int) (*input, error) {
	if err := b.draw.Draw(b.seeds.round(round).seed); err != nil {
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
		to := b.work[i]
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
	all := append(b.work[:len(b.work):len(b.work)], b.temp, b.number, b.spare)
	return slices.DeleteFunc(slices.Clone(all), func(x *devBuffer) bool { return x == nil })
}

// intact fetches and judges the guards of all buffers. The queue is idle then.
func (b *devOps) intact() error {
	all := b.buffers()
	at := func(i int) unsafe.Pointer { return unsafe.Add(b.found, 8+i*2*guardBytes) }
	for i, x := range all {
		if err := x.fetch(b.q, at(i)); err != nil {
			return err
		}
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	for i, x := range all {
		if err := x.intact(at(i)); err != nil {
			return err
		}
	}
	return nil
}

// devOp is a plan or a library's operator.
type devOp struct {
	b       *devOps
	direct  *exec.Direct
	peer    *peer.Operator
	ordinal int
	scratch uint64
	chosen  string
	bound   bool
	checked int
	spare   bool // the keys of the last run lie in the spare buffer
}

func (d *devOp) describe(r *result.Record) {
	r.ScratchBytes = d.scratch
	if d.direct == nil {
		r.Source, r.Policy = d.peer.Library.Path, d.peer.Version
		return
	}
	p := d.direct.Plan()
	r.Source, r.Chosen, r.Launches, r.MinBytes = "catalog", d.chosen, p.Launches(), p.MinBytes()
	r.Policy = planHash(p, d.b.dev.Caps().Backend)
}

func (d *devOp) ready(*input) error { return nil }

// sample times the operation between two events, with the cache flushed before.
func (d *devOp) sample(ctx context.Context, _ bool) (t times, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b := d.b
	b.temp.used = d.scratch
	for i, o := range b.orig {
		if o != nil {
			if err := b.q.Copy(b.work[i].buf, guardBytes, o.buf, guardBytes, o.used); err != nil {
				return t, err
			}
		}
	}
	for _, x := range b.buffers() {
		if err := x.arm(b.q); err != nil {
			return t, err
		}
	}
	if err := b.q.Memset(b.number.buf, guardBytes, 0, 8); err != nil {
		return t, err
	}
	if err := b.takeLead(); err != nil {
		return t, err
	}
	start, err := b.q.Record()
	if err != nil {
		return t, err
	}
	defer start.Close()
	if err := d.submit(ctx); err != nil {
		return t, err
	}
	end, err := b.q.Record()
	if err != nil {
		return t, err
	}
	defer end.Close()
	if t.behind, err = start.Done(); err != nil {
		return t, err
	}
	if err := b.q.Synchronize(); err != nil {
		return t, err
	}
	if t.device, err = end.Since(start); err != nil {
		return t, err
	}
	if err := d.check(); err != nil {
		return t, err
	}
	return t, b.intact()
}

// submit queues the operation.
func (d *devOp) submit(ctx context.Context) (err error) {
	b := d.b
	if d.direct == nil {
		m := peer.OperatorMemory{
			Spare: b.spare.address(), Temp: b.temp.address(), TempBytes: d.scratch, Number: b.number.address(), Stream: b.stream(),
		}
		for i, w := range b.work {
			m.At[i] = w.address()
		}
		d.spare, err = d.peer.Operate(b.spec, d.ordinal, m)
		return err
	}
	if !d.bound {
		at := exec.Places{plan.Scratch: b.temp.place()}
		for i, w := range b.work {
			at[i] = w.place()
		}
		d.direct.Bind(at)
		d.bound = true
	}
	if b.o.Graph {
		return d.direct.SubmitGraph(ctx, b.q)
	}
	return d.direct.Submit(ctx, b.q)
}

// check fetches what was written, of the first samples, and judges it.
func (d *devOp) check() error {
	b := d.b
	if d.checked == mostChecked {
		return nil
	}
	d.checked++
	number, err := d.number()
	if err != nil {
		return err
	}
	var out [op.MostRegions][]byte
	for i, e := range b.spec.Extents() {
		if !e.Use.Writes() || e.Bytes == 0 {
			continue
		}
		from := b.work[i]
		if op.Region(i) == op.KeysIO && d.spare {
			from = b.spare
		}
		if err := b.q.CopyOut(b.host[i], from.buf, guardBytes, e.Bytes); err != nil {
			return err
		}
		out[i] = unsafe.Slice((*byte)(b.host[i]), e.Bytes)
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	return b.task.Check(number, out, d.peer != nil)
}

// number is what the operation has found.
func (d *devOp) number() (uint64, error) {
	b := d.b
	if d.direct != nil {
		return d.direct.Found(b.q)
	}
	if err := b.q.CopyOut(b.found, b.number.buf, guardBytes, 8); err != nil {
		return 0, err
	}
	err := b.q.Synchronize()
	return *(*uint64)(b.found), err
}

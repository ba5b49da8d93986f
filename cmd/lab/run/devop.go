package run

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

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
		r.Source, r.Policy = sourceOf(d.peer.Library), d.peer.Version
		return
	}
	describePlan(r, d.direct.Plan(), d.chosen, d.b.dev.Caps().Backend)
}

func (d *devOp) ready(*input) error { return nil }

// sample times the operation between two events, with the cache flushed before.
func (d *devOp) sample(ctx context.Context, _ bool) (t times, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b := d.b
	if b.temp != nil {
		b.temp.used = d.scratch
	}
	for i, o := range b.orig {
		if o != nil {
			if err := b.q.Copy(b.regions[i].buf, guardBytes, o.buf, guardBytes, o.used); err != nil {
				return t, err
			}
		}
	}
	if err := b.arm(b.buffers()); err != nil {
		return t, err
	}
	if err := b.q.Memset(b.number.buf, guardBytes, 0, 8); err != nil {
		return t, err
	}
	if err := b.clocked(&t, func() error { return d.submit(ctx) }); err != nil {
		return t, err
	}
	if err := d.check(); err != nil {
		return t, err
	}
	return t, b.checkGuards(b.buffers())
}

// submit queues the operation.
func (d *devOp) submit(ctx context.Context) (err error) {
	b := d.b
	if d.direct == nil {
		m := peer.OperatorMemory{
			Spare: b.spare.address(), Temp: b.temp.address(), TempBytes: d.scratch, Number: b.number.address(), Stream: b.stream(),
		}
		for i, w := range b.regions {
			m.At[i] = w.address()
		}
		d.spare, err = d.peer.Operate(b.p, d.ordinal, m)
		return err
	}
	if !d.bound {
		at := exec.Places{plan.Scratch: b.temp.place()}
		for i, w := range b.regions {
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
	for i, e := range b.p.Extents() {
		if !e.Use.Writes() || e.Bytes == 0 {
			continue
		}
		from := b.regions[i]
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

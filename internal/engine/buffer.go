package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// Memory is device memory that callers hold between sorts. On an engine that
// sorts on the CPU it is host memory.
type Memory struct {
	e    *Engine
	d    *device // nil: host memory
	dev  driver.Buffer
	host []uint64

	mu     sync.RWMutex // held for reading while in use
	closed bool
}

// Alloc reserves device memory; its contents are undefined. The caller closes
// it before the engine.
func (e *Engine) Alloc(bytes uint64) (*Memory, error) {
	d, err := e.any()
	if err != nil {
		return nil, err
	}
	if d == nil {
		words, err := mem.Words("allocate", bytes)
		if err != nil {
			return nil, fmt.Errorf("cpu: buffer: %w", err)
		}
		return &Memory{e: e, host: words}, nil
	}
	b, err := d.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	return &Memory{e: e, d: d, dev: b}, nil
}

// Wrap makes a Memory of device memory that somebody else owns and keeps alive.
func (e *Engine) Wrap(handle uintptr, bytes uint64) (*Memory, error) {
	d, err := e.any()
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("wrap of a device pointer: %w: the sorter has no device: name one", driver.ErrNoDevice)
	}
	b, err := d.Device().Wrap(handle, bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: wrap of a device pointer: %w", d.ID(), err)
	}
	return &Memory{e: e, d: d, dev: b}, nil
}

// Close waits for sorts of this memory and frees it. A second Close is a no-op.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed, m.host = true, nil
	if m.dev == nil {
		return nil
	}
	m.d.Forget(m.dev)
	return m.dev.Close()
}

// Region is a part of a Memory, in bytes.
type Region struct {
	M          *Memory
	Off, Bytes uint64
}

// use keeps the memory open until r.M.mu.RUnlock.
func (r Region) use(op string) error {
	r.M.mu.RLock()
	if r.M.closed {
		r.M.mu.RUnlock()
		return fmt.Errorf("buffer: %s: %w", op, driver.ErrClosed)
	}
	return nil
}

// overlaps reports whether r and o, on one device, have bytes in common, whoever
// allocated them: both may be wrapped, each from a pointer of its own.
func (r Region) overlaps(o Region) bool {
	from, to := r.Off, o.Off
	if r.M != o.M {
		if r.M.dev == nil {
			return false // the host's, each an allocation
		}
		a, off := r.M.dev.Place()
		b, other := o.M.dev.Place()
		if a != b {
			return false
		}
		from, to = from+off, to+other
	}
	return r.Bytes > 0 && o.Bytes > 0 && from < to+o.Bytes && to < from+r.Bytes
}

func (r Region) place() transfer.Place { return transfer.Place{Buf: r.M.dev, Off: r.Off} }

// hostPtr is the region's first byte; nil if it has none, since what lies behind
// the memory is somebody else's.
func (r Region) hostPtr() unsafe.Pointer {
	if r.Bytes == 0 {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.M.host)), r.Off)
}

// Upload copies r.Bytes from src and waits for them.
func (r Region) Upload(ctx context.Context, src unsafe.Pointer) error {
	return r.transfer(ctx, "upload", src, (*exec.Session).Upload)
}

// Download copies r.Bytes to dst. After an error dst holds anything; the device
// memory is as it was.
func (r Region) Download(ctx context.Context, dst unsafe.Pointer) error {
	return r.transfer(ctx, "download", dst, (*exec.Session).Download)
}

func (r Region) transfer(ctx context.Context, op string, host unsafe.Pointer, f func(*exec.Session, context.Context, []transfer.Span) error) error {
	if err := r.use(op); err != nil {
		return err
	}
	defer r.M.mu.RUnlock()
	if err := r.M.e.begin(op); err != nil {
		return err
	}
	defer r.M.e.running.Done()
	if err := ctx.Err(); err != nil || r.Bytes == 0 {
		return err
	}
	if r.M.d == nil {
		if op == "upload" {
			hostcopy.Parallel(r.M.e.exec.HostWorkers(), r.hostPtr(), host, r.Bytes)
		} else {
			hostcopy.Parallel(r.M.e.exec.HostWorkers(), host, r.hostPtr(), r.Bytes)
		}
		return nil
	}
	return f(r.M.d.Session, ctx, []transfer.Span{{Host: host, Dev: r.place(), Bytes: r.Bytes}})
}

// Regions are the memory of an operation, by op.Region; those that it does not have are
// zero.
type Regions [op.MostRegions]Region

// use keeps all memory open until the caller calls done with what it returns.
func (r *Regions) use(name string) (held int, err error) {
	for i := range r {
		if r.again(i) {
			continue
		}
		if err := r[i].use(name); err != nil {
			r.done(i)
			return 0, err
		}
	}
	return len(r), nil
}

// done ends the use of the first n regions.
func (r *Regions) done(n int) {
	for i := range n {
		if !r.again(i) {
			r[i].M.mu.RUnlock()
		}
	}
}

// again reports whether region i has no memory or that of an earlier one.
func (r *Regions) again(i int) bool {
	return r[i].M == nil || slices.ContainsFunc(r[:i], func(o Region) bool { return o.M == r[i].M })
}

// memory is where the regions, which are the host's, begin.
func (r *Regions) memory() (m op.Memory) {
	for i, a := range r {
		if a.M != nil {
			m[i] = a.hostPtr()
		}
	}
	return m
}

// check reports regions that p cannot work on together.
func (r *Regions) check(p op.Spec) error {
	extents := p.Extents()
	for i, a := range r {
		for k, b := range r[:i] {
			switch {
			case a.M == nil || b.M == nil:
			case a.M.d != b.M.d:
				return fmt.Errorf("buffers: %w: %s and %s lie on different devices", driver.ErrUnsupported, p.Kind.Region(op.Region(k)), p.Kind.Region(op.Region(i)))
			case a.overlaps(b) && (extents[i].Use.Writes() || extents[k].Use.Writes()):
				return fmt.Errorf("%v of buffers: %w: %v and %v overlap: give each its own memory", p.Kind, driver.ErrUnsupported, p.Kind.Region(op.Region(k)), p.Kind.Region(op.Region(i)))
			}
		}
	}
	return nil
}

// Run carries out p on memory where it lies, and waits. After an error the memory holds
// anything.
func (e *Engine) Run(ctx context.Context, p op.Spec, at Regions) (Report, error) {
	r, _, err := e.Find(ctx, p, at)
	return r, err
}

// Find is Run, and returns the number that p found, of an operation that finds one on a
// device: how many groups, the bits of a selected key.
func (e *Engine) Find(ctx context.Context, p op.Spec, at Regions) (r Report, number uint64, err error) {
	r = Report{Device: "cpu", Algorithm: e.host.Name, Items: p.Items, Pieces: 1}
	if err := p.Validate(); err != nil {
		return r, 0, fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	held, err := at.use(p.Kind.String())
	if err != nil {
		return r, 0, err
	}
	defer at.done(held)
	if err := ctx.Err(); err != nil {
		return r, 0, err
	}
	if err := e.begin(p.Kind.String()); err != nil {
		return r, 0, err
	}
	defer e.running.Done()
	if err := at.check(p); err != nil {
		return r, 0, err
	}
	defer func(start time.Time) { r.Elapsed = time.Since(start) }(time.Now())
	d := at[op.KeysIO].M.d
	if d == nil {
		r, err = e.host.run(ctx, op.Job{Spec: p, At: at.memory()}, r)
		return r, 0, err
	}
	if p.Type.HostOnly() {
		return r, 0, fmt.Errorf("%s: %w: download the buffer and sort it on the CPU", d.ID(), hostOnly(p))
	}
	var places exec.Places
	for i, a := range at {
		if a.M != nil {
			places[i] = a.place()
		}
	}
	done := exec.Result{Pieces: 1}
	err = d.Run(ctx, p, places, &done)
	return r.with(d, done), done.Number, err
}

// OnHost reports whether the memory is the host's.
func (m *Memory) OnHost() bool { return m.d == nil }

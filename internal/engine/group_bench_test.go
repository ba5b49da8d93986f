package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
)

// groupCell is one line of BenchmarkGroup: what one card takes and what all take.
type groupCell struct {
	name string
	p    plan.Problem
	dist string
	kind string // "resident", "pinned", "ordinary", "rounds" or "two at once"
}

// groupCells are the measured works of docs/multi-gpu.md.
func groupCells() (all []groupCell) {
	u32, u64 := plan.Problem{Type: key.U32, Items: 1 << 30}, plan.Problem{Type: key.U64, Items: 1 << 30}
	wide := plan.Problem{Type: key.U32, Items: 1 << 31}
	pairs := plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: 1 << 29}
	all = append(all, groupCell{"resident", u64, "uniform", "resident"}, groupCell{"resident", wide, "uniform", "resident"}, groupCell{"resident", pairs, "uniform", "resident"})
	for _, d := range []string{"zipf", "timestamps", "snowflakes", "prices", "constant", "sorted", "two-values"} {
		all = append(all, groupCell{"skew", u64, d, "resident"})
	}
	for _, p := range []plan.Problem{u64, u32} {
		all = append(all, groupCell{"host", p, "uniform", "pinned"}, groupCell{"host", p, "uniform", "ordinary"})
	}
	all = append(all, groupCell{"host", pairs, "uniform", "pinned"})
	half := u64
	half.Items /= 2
	all = append(all, groupCell{"apart", half, "uniform", "two at once"})
	large := u64
	large.Items = 3 << 30
	return append(all, groupCell{"limited", large, "uniform", "rounds"})
}

// BenchmarkGroup compares one CUDA device with all, in turn, and prints a line of JSON for
// each cell with the medians in milliseconds. A first turn is verified and not timed.
// $GPUSORT_BENCH_LOG2N less than 30 makes all cells as much smaller.
//
//	engine.test -test.run '^$' -test.bench Group/resident -test.benchtime 5x
func BenchmarkGroup(b *testing.B) {
	list, err := cuda.New().Devices()
	for _, d := range list {
		unused(d)
	}
	if err != nil || len(list) < 2 {
		b.Skipf("SKIPPED: a second CUDA device is absent: %d, %v", len(list), err)
	}
	for _, c := range groupCells() {
		if bits := linkBits(); bits != 20 {
			c.p.Items >>= 30 - bits
		}
		b.Run(fmt.Sprintf("%s/%v-%v-%s-%s-n=%d", c.name, c.p.Type, c.p.Mode, c.dist, strings.ReplaceAll(c.kind, " ", "-"), c.p.Items), func(b *testing.B) {
			times := c.run(b)
			out := map[string]any{"name": c.name, "kind": c.kind, "type": c.p.Type.String(), "mode": c.p.Mode.String(), "dist": c.dist, "items": c.p.Items}
			for who, t := range times {
				slices.Sort(t)
				ms := t[len(t)/2].Seconds() * 1e3
				b.ReportMetric(ms, who+"-ms")
				out[who+"_ms"], out[who+"_least_ms"], out["samples"] = ms, t[0].Seconds()*1e3, len(t)
			}
			line, _ := json.Marshal(out)
			fmt.Printf("\nGROUP %s\n", line)
		})
	}
}

// run times the cell on one card and on all.
func (c groupCell) run(b *testing.B) map[string][]time.Duration {
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	limit := uint64(0)
	if c.kind == "rounds" {
		limit = 8 << 30
	}
	open := func(device string) *Engine {
		e, err := New(Config{Device: device, MemoryLimit: limit})
		must(err)
		b.Cleanup(func() { must(e.Close()) })
		return e
	}
	in := make([]uint64, (c.p.KeyBytes()+7)/8+1)
	dist.FillAt(unsafe.Pointer(&in[0]), int(c.p.Items), 0, c.p.Items, dist.Must(c.dist), c.p.Type, 1)
	one, turns := open("cuda:0"), map[string]func() (time.Duration, error){}
	r := groupRig{c: c, in: in, one: one}
	switch c.kind {
	case "resident":
		all := open("cuda:all")
		turns["one"], turns["all"] = r.resident(b, one), r.resident(b, all)
		if c.p.Type.Bytes() == 8 && c.p.ValueBytes == 0 { // each share in one run, for comparison
			turns["all_one_run"] = func() (time.Duration, error) {
				most := all.exec.Sizes.RunItems
				defer func() { all.exec.Sizes.RunItems = most }()
				all.exec.Sizes.RunItems = 0
				return turns["all"]()
			}
		}
	case "two at once":
		a, z := r.resident(b, one), r.resident(b, open("cuda:1"))
		turns["one"], turns["all"] = a, func() (time.Duration, error) {
			var wg sync.WaitGroup
			var took [2]time.Duration
			var errs [2]error
			for i, f := range []func() (time.Duration, error){a, z} {
				wg.Go(func() { took[i], errs[i] = f() })
			}
			wg.Wait()
			return max(took[0], took[1]), firstOf(errs[:])
		}
	default:
		at := r.host(b)
		turns["one"], turns["all"] = r.sorts(one, at), r.sorts(open("cuda:all"), at)
		if c.kind == "rounds" {
			delete(turns, "one")
		}
	}
	times := map[string][]time.Duration{}
	for who, f := range turns {
		r.verify = true
		_, err := f()
		must(err)
		times[who] = nil
	}
	r.verify = false
	for b.Loop() {
		for who, f := range turns {
			t, err := f()
			must(err)
			times[who] = append(times[who], t)
		}
	}
	return times
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// groupRig is the input of a cell.
type groupRig struct {
	c      groupCell
	in     []uint64
	one    *Engine
	verify bool
	want   *verify.Digest // of the keys, made by the first check
	mu     sync.Mutex
}

// pinned is page-locked memory for the whole benchmark.
func (r *groupRig) pinned(b *testing.B, bytes uint64) unsafe.Pointer {
	m, err := r.one.AllocPinned(bytes + 8)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = m.Close() })
	return m.Pointer()
}

// resident returns a turn that brings the input to the devices and times the sort there.
func (r *groupRig) resident(b *testing.B, e *Engine) func() (time.Duration, error) {
	p, ctx := r.c.p, context.Background()
	keys, err := e.AllocSpread(p.Items, uint64(p.Type.Bytes()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = keys.Close() })
	var values *Spread
	if p.ValueBytes != 0 {
		if values, err = e.AllocSpread(p.Items, uint64(p.ValueBytes)); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = values.Close() })
	}
	index := make([]uint64, p.ValuesBytes()/8+1)
	if p.ValueBytes == 4 {
		for i, v := range unsafe.Slice((*uint32)(unsafe.Pointer(&index[0])), p.Items) {
			_ = v
			unsafe.Slice((*uint32)(unsafe.Pointer(&index[0])), p.Items)[i] = uint32(i)
		}
	}
	move := func(s *Spread, f func(Region, unsafe.Pointer) error, at unsafe.Pointer) error {
		var wg sync.WaitGroup
		parts := s.Parts()
		errs := make([]error, len(parts))
		for i, p := range parts {
			host := at
			wg.Go(func() { errs[i] = f(p, host) })
			at = unsafe.Add(at, p.Bytes)
		}
		wg.Wait()
		return firstOf(errs)
	}
	up := func(r Region, at unsafe.Pointer) error { return r.Upload(ctx, at) }
	down := func(r Region, at unsafe.Pointer) error { return r.Download(ctx, at) }
	return func() (time.Duration, error) {
		if err := move(keys, up, unsafe.Pointer(&r.in[0])); err != nil {
			return 0, err
		}
		if values != nil {
			if err := move(values, up, unsafe.Pointer(&index[0])); err != nil {
				return 0, err
			}
		}
		start := time.Now()
		_, err := e.RunSpread(ctx, p, keys, values)
		took := time.Since(start)
		if err != nil || !r.verify {
			return took, err
		}
		out := make([]uint64, len(r.in))
		if err := move(keys, down, unsafe.Pointer(&out[0])); err != nil {
			return 0, err
		}
		if values != nil {
			moved := make([]uint64, len(index))
			if err := move(values, down, unsafe.Pointer(&moved[0])); err != nil {
				return 0, err
			}
			n := p.Items
			return took, verify.Pairs(r.in[:n], out[:n], unsafe.Slice((*uint32)(unsafe.Pointer(&moved[0])), n), p.Codec())
		}
		return took, r.check(unsafe.Pointer(&out[0]))
	}
}

// check compares keys with the input.
func (r *groupRig) check(at unsafe.Pointer) error {
	if r.c.p.Type == key.U32 {
		return checkKeys[uint32](r, at)
	}
	return checkKeys[uint64](r, at)
}

func checkKeys[U uint32 | uint64](r *groupRig, at unsafe.Pointer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.c.p.Items
	if r.want == nil {
		d := verify.Multiset(unsafe.Slice((*U)(unsafe.Pointer(&r.in[0])), n))
		r.want = &d
	}
	got := unsafe.Slice((*U)(at), n)
	if i := verify.FirstDisorder(got, r.c.p.Codec()); i >= 0 {
		return fmt.Errorf("the keys are not sorted at %d", i)
	}
	if verify.Multiset(got) != *r.want {
		return fmt.Errorf("the keys are others than the input's")
	}
	return nil
}

// host is the memory that is sorted.
func (r *groupRig) host(b *testing.B) op.Memory {
	var at op.Memory
	for i, e := range r.c.p.Extents() {
		switch {
		case e.Bytes == 0:
		case r.c.kind == "pinned":
			at[i] = r.pinned(b, e.Bytes)
		default:
			at[i] = unsafe.Pointer(&make([]uint64, e.Bytes/8+1)[0])
		}
	}
	return at
}

// sorts returns a turn that times a sort of host memory.
func (r *groupRig) sorts(e *Engine, at op.Memory) func() (time.Duration, error) {
	p := r.c.p
	return func() (time.Duration, error) {
		hostcopy.Parallel(16, at[op.KeysIO], unsafe.Pointer(&r.in[0]), p.KeyBytes())
		start := time.Now()
		_, err := e.Sort(context.Background(), op.Job{Spec: p, At: at})
		took := time.Since(start)
		if err != nil || !r.verify {
			return took, err
		}
		return took, r.check(at[op.KeysIO])
	}
}

package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/exec"
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
	kind string // as the switch in run has it
}

// groupCells are the measured works of docs/multi-gpu.md.
func groupCells() (all []groupCell) {
	u32, u64 := plan.Problem{Type: key.U32, Items: 1 << 30}, plan.Problem{Type: key.U64, Items: 1 << 30}
	wide := plan.Problem{Type: key.U32, Items: 1 << 31}
	pairs := plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: 1 << 29}
	all = append(all, groupCell{"resident", u64, "uniform", "resident"}, groupCell{"resident", wide, "uniform", "resident"}, groupCell{"resident", pairs, "uniform", "resident"})
	order := pairs
	order.Mode = plan.Argsort
	all = append(all, groupCell{"argsort", order, "uniform", "resident"})
	for _, x := range []struct {
		t    key.Type
		desc bool
		dist string
	}{{key.I64, false, "uniform"}, {key.F64, false, "normal"}, {key.U64, true, "uniform"}} {
		p := plan.Problem{Type: x.t, Items: u64.Items, Order: key.Order{Desc: x.desc}}
		all = append(all, groupCell{"orders", p, x.dist, "resident"})
	}
	for _, d := range []string{"zipf", "timestamps", "snowflakes", "prices", "constant", "sorted", "two-values"} {
		all = append(all, groupCell{"skew", u64, d, "resident"})
	}
	for _, name := range []string{"host", "ways"} {
		for _, p := range []plan.Problem{u64, u32} {
			all = append(all, groupCell{name, p, "uniform", "pinned"}, groupCell{name, p, "uniform", "ordinary"})
		}
	}
	all = append(all, groupCell{"host", pairs, "uniform", "pinned"})
	all = append(all, groupCell{"links", u64, "uniform", "up"}, groupCell{"links", u64, "uniform", "down"}, groupCell{"links", u64, "uniform", "both ways"})
	all = append(all, groupCell{"peers", u64, "uniform", "one way"}, groupCell{"peers", u64, "uniform", "both ways at once"})
	half := u64
	half.Items /= 2
	all = append(all, groupCell{"apart", half, "uniform", "two at once"})
	large, full := u64, u32
	large.Items, full.Items = 3<<30, 95*(80<<30)/100/4
	return append(all, groupCell{"limited", large, "uniform", "rounds, pinned"}, groupCell{"limited", large, "uniform", "rounds, ordinary"}, groupCell{"full", full, "uniform", "nearly full"})
}

// groupDriver is CUDA where there are two cards, or else a processor's OpenCL as if it
// were two, whose times mean nothing.
func groupDriver(b *testing.B) driver.Driver {
	for _, drv := range []driver.Driver{cuda.New(), twiceDriver{opencl.New()}} {
		list, err := drv.Devices()
		for _, d := range list {
			unused(d)
		}
		if err == nil && len(list) > 1 {
			return drv
		}
	}
	absent.Skip(b, "two devices", "neither two CUDA devices nor one of OpenCL is there")
	return nil
}

// BenchmarkGroup compares one device with all, in turn, and prints a line of JSON for
// each cell with the medians in milliseconds. A first turn is verified and not timed.
// $GPUSORT_BENCH_LOG2N is the logarithm of the number of keys in the first cell, 2^20 if
// it is not set; other cells go by it.
//
//	GPUSORT_BENCH_LOG2N=30 engine.test -test.run '^$' -test.bench Group/resident -test.benchtime 5x
func BenchmarkGroup(b *testing.B) {
	drv := groupDriver(b)
	for _, c := range groupCells() {
		c.p.Items >>= 30 - linkBits()
		b.Run(fmt.Sprintf("%s/%v-%v-%s-%s-n=%d", c.name, c.p.Type, c.p.Mode, c.dist, strings.ReplaceAll(strings.ReplaceAll(c.kind, ",", ""), " ", "-"), c.p.Items), func(b *testing.B) {
			times := c.run(b, drv)
			out := map[string]any{"name": c.name, "kind": c.kind, "type": c.p.Type.String(), "mode": c.p.Mode.String(), "dist": c.dist, "items": c.p.Items}
			for who, t := range times {
				slices.Sort(t)
				ms := t[len(t)/2].Seconds() * 1e3
				b.ReportMetric(ms, who+"-ms")
				if c.name == "peers" { // GB/s each way
					out["gbps"] = float64(c.p.KeyBytes()) / 2 / t[len(t)/2].Seconds() / 1e9
				}
				out[who+"_ms"], out[who+"_least_ms"], out["samples"] = ms, t[0].Seconds()*1e3, len(t)
			}
			line, _ := json.Marshal(out)
			fmt.Printf("\nGROUP %s\n", line)
		})
	}
}

// run times the cell on one card and on all.
func (c groupCell) run(b *testing.B, drv driver.Driver) map[string][]time.Duration {
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	limit := uint64(0)
	if strings.HasPrefix(c.kind, "rounds") {
		limit = 8 << 30 >> (30 - linkBits())
	}
	open := func(device string) *Engine {
		e, err := New(Config{Device: drv.Name() + device, MemoryLimit: limit, Drivers: []driver.Driver{drv}})
		must(err)
		b.Cleanup(func() { must(e.Close()) })
		return e
	}
	var in []uint64
	if c.kind != "nearly full" {
		in = make([]uint64, (c.p.KeyBytes()+7)/8+1)
		dist.FillAt(unsafe.Pointer(&in[0]), int(c.p.Items), 0, c.p.Items, dist.Must(c.dist), c.p.Type, 1)
	}
	one, turns := open(":0"), map[string]func() (time.Duration, error){}
	r := groupRig{c: c, in: in, one: one}
	switch c.kind {
	case "resident":
		all := open(":all")
		turns["one"], turns["all"] = r.resident(b, one), r.resident(b, all)
		if c.p.Mode == plan.Keys { // shares that are sorted first, for comparison
			turns["all_by_shares"] = func() (time.Duration, error) {
				from := all.exec.Sizes.RangesFrom
				defer func() { all.exec.Sizes.RangesFrom = from }()
				all.exec.Sizes.RangesFrom = 0
				return turns["all"]()
			}
		}
	case "two at once":
		a, z := r.resident(b, one), r.resident(b, open(":1"))
		turns["one"], turns["all"] = a, func() (time.Duration, error) {
			var wg sync.WaitGroup
			var took [2]time.Duration
			var errs [2]error
			for i, f := range []func() (time.Duration, error){a, z} {
				wg.Go(func() { took[i], errs[i] = f() })
			}
			wg.Wait()
			return max(took[0], took[1]), cmp.Or(errs[:]...)
		}
	case "up", "down", "both ways":
		turns["one"], turns["all"] = r.links(b, one), r.links(b, open(":all"))
	case "one way", "both ways at once":
		turns["all"] = r.peers(b, open(":all"))
	case "nearly full":
		turns["all"] = r.nearlyFull(b, open(":all"))
	default:
		all := open(":all")
		turns["one"], turns["all"] = r.sorts(one, r.host(b, one)), r.sorts(all, r.host(b, all))
		if c.name != "ways" {
			break
		}
		// Other ways of several, for comparison among themselves. Each gives back memory of the devices that the one
		// before took, and takes its own.
		usual := all.exec.Settings
		other := func(name string, set func(*exec.Settings)) {
			turns[name] = func() (time.Duration, error) {
				defer func() { all.exec.Settings = usual }()
				set(&all.exec.Settings)
				return turns["all"]()
			}
		}
		other("all_host_copies", func(s *exec.Settings) { s.HostCopies = true })
		other("all_unsaved", func(s *exec.Settings) { s.Unsaved = true })
		if c.kind == "ordinary" {
			other("all_past_caches", func(s *exec.Settings) { s.Sizes.SharedCached = false })
			other("all_stage_12", func(s *exec.Settings) { s.Sizes.SharedStagers = 12 })
			other("all_stage_4m", func(s *exec.Settings) { s.Sizes.StageUnit = 4 << 20 })
		}
	}
	times := map[string][]time.Duration{}
	for who, f := range turns {
		r.verify = who != "one" || len(turns) == 1
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
func (r *groupRig) pinned(b *testing.B, e *Engine, bytes uint64) unsafe.Pointer {
	m, err := e.AllocPinned(bytes + 8)
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
	index := r.index()
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
		return cmp.Or(errs...)
	}
	up := func(r Region, at unsafe.Pointer) error { return r.Upload(ctx, at) }
	down := func(r Region, at unsafe.Pointer) error { return r.Download(ctx, at) }
	return func() (time.Duration, error) {
		if err := move(keys, up, unsafe.Pointer(&r.in[0])); err != nil {
			return 0, err
		}
		if values != nil && p.Mode == plan.Pairs {
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
			return took, r.checkPairs(unsafe.Pointer(&out[0]), unsafe.Pointer(&moved[0]))
		}
		return took, r.check(unsafe.Pointer(&out[0]))
	}
}

// index are the values of pairs: the places of the input, which verify.Pairs wants.
func (r *groupRig) index() []uint64 {
	index := make([]uint64, r.c.p.ValuesBytes()/8+1)
	if r.c.p.ValueBytes == 4 {
		x := unsafe.Slice((*uint32)(unsafe.Pointer(&index[0])), r.c.p.Items)
		for i := range x {
			x[i] = uint32(i)
		}
	}
	return index
}

// checkPairs checks sorted pairs of u64 keys and of values that were index, or an argsort.
func (r *groupRig) checkPairs(keys, values unsafe.Pointer) error {
	n := r.c.p.Items
	if r.c.p.Mode == plan.Argsort {
		if out := unsafe.Slice((*uint64)(keys), n); !slices.Equal(out, r.in[:n]) {
			return errors.New("an argsort changed the keys")
		}
		return verify.Argsort(r.in[:n], unsafe.Slice((*uint32)(values), n), r.c.p.Codec())
	}
	return verify.Pairs(r.in[:n], unsafe.Slice((*uint64)(keys), n), unsafe.Slice((*uint32)(values), n), r.c.p.Codec())
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

// nearlyFull returns a turn that times a sort of as many u32 keys as would fill 0.95 of
// one card of 80 GiB, spread over all. Of two such, none has memory beside its part.
func (r *groupRig) nearlyFull(b *testing.B, e *Engine) func() (time.Duration, error) {
	ctx, n := context.Background(), r.c.p.Items
	fullBlock := uint64(1) << linkBits() / 4 // keys, which are repeated until the cards are full
	host := unsafe.Slice((*uint32)(r.pinned(b, e, 4*fullBlock)), fullBlock)
	dist.Fill(host, dist.Must(r.c.dist), key.U32, 7)
	spread, err := e.AllocSpread(n, 4)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = spread.Close() })
	return func() (time.Duration, error) {
		var want, got verify.Digest
		block := verify.Multiset(host)
		for _, p := range spread.Parts() {
			for off := uint64(0); off < p.Bytes; off += 4 * fullBlock {
				piece := Region{M: p.M, Off: off, Bytes: min(4*fullBlock, p.Bytes-off)}
				if err := piece.Upload(ctx, unsafe.Pointer(&host[0])); err != nil {
					return 0, err
				}
				if piece.Bytes == 4*fullBlock {
					want.Add(block)
				} else {
					want.Add(verify.Multiset(host[:piece.Bytes/4]))
				}
			}
		}
		start := time.Now()
		_, err := e.RunSpread(ctx, r.c.p, spread, nil)
		took := time.Since(start)
		if err != nil || !r.verify {
			return took, err
		}
		out, last := make([]uint32, fullBlock), uint32(0)
		for _, p := range spread.Parts() {
			for off := uint64(0); off < p.Bytes; off += 4 * fullBlock {
				piece := Region{M: p.M, Off: off, Bytes: min(4*fullBlock, p.Bytes-off)}
				if err := piece.Download(ctx, unsafe.Pointer(&out[0])); err != nil {
					return 0, err
				}
				x := out[:piece.Bytes/4]
				if i := verify.FirstDisorder(x, 0); i >= 0 || x[0] < last {
					return 0, fmt.Errorf("the keys are not sorted, %d bytes into a part", off)
				}
				last = x[len(x)-1]
				got.Add(verify.Multiset(x))
			}
		}
		if got != want {
			return 0, fmt.Errorf("the keys are others than the input's")
		}
		return took, nil
	}
}

// host is the memory that is sorted.
func (r *groupRig) host(b *testing.B, e *Engine) op.Memory {
	var at op.Memory
	for i, x := range r.c.p.Extents() {
		switch {
		case x.Bytes == 0:
		case strings.HasSuffix(r.c.kind, "pinned"):
			at[i] = r.pinned(b, e, x.Bytes)
		default:
			at[i] = unsafe.Pointer(&make([]uint64, x.Bytes/8+1)[0])
		}
	}
	return at
}

// sorts returns a turn that times a sort of host memory.
func (r *groupRig) sorts(e *Engine, at op.Memory) func() (time.Duration, error) {
	p, index := r.c.p, r.index()
	return func() (time.Duration, error) {
		hostcopy.Parallel(16, at[op.KeysIO], unsafe.Pointer(&r.in[0]), p.KeyBytes())
		if p.ValueBytes != 0 {
			hostcopy.Parallel(16, at[op.ValuesIO], unsafe.Pointer(&index[0]), p.ValuesBytes())
		}
		start := time.Now()
		_, err := e.Sort(context.Background(), op.Job{Spec: p, At: at})
		took := time.Since(start)
		switch {
		case err != nil || !r.verify:
			return took, err
		case p.ValueBytes != 0:
			return took, r.checkPairs(at[op.KeysIO], at[op.ValuesIO])
		}
		return took, r.check(at[op.KeysIO])
	}
}

package run

import (
	"bytes"
	"context"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// guardBytes lie on both sides of every buffer and must not change. A multiple
// of plan.ScratchAlign, so that what lies between keeps its alignment.
const guardBytes = 2 * plan.ScratchAlign

// guardByte fills them: no pattern that a sort would write by chance often.
const guardByte = 0xA5

// region is host memory with guards.
type region struct {
	all []uint64
	n   uint64 // bytes between the guards
}

func newRegion(n uint64) *region {
	if n == 0 {
		return nil
	}
	r := &region{make([]uint64, (n+7)/8+2*guardBytes/8), n}
	r.arm()
	return r
}

func (r *region) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&r.all[0])), len(r.all)*8)
}

// inner is what lies between the guards.
func (r *region) inner() []byte { return r.bytes()[guardBytes : guardBytes+r.n] }

// pointer is the first byte between the guards; nil for no region.
func (r *region) pointer() unsafe.Pointer {
	if r == nil {
		return nil
	}
	return unsafe.Pointer(&r.all[guardBytes/8])
}

func (r *region) arm() {
	b := r.bytes()
	for _, g := range [][]byte{b[:guardBytes], b[guardBytes+r.n:]} {
		copy(g, bytes.Repeat([]byte{guardByte}, len(g)))
	}
}

func (r *region) broken() bool {
	if r == nil {
		return false
	}
	b := r.bytes()
	return !guarded(b[:guardBytes]) || !guarded(b[guardBytes+r.n:])
}

func guarded(b []byte) bool {
	for _, x := range b {
		if x != guardByte {
			return false
		}
	}
	return true
}

// hostBench runs algorithms on the processor.
type hostBench struct {
	p   plan.Problem
	src source
	o   Options

	in                           *input
	orig, origValues             *region     // of the round at hand
	made                         []turnInput // inputs made ahead, by round modulo their number
	keys, values, keysAlt, vsAlt *region
	temp                         *region
	needTemp                     uint64
	needAlt                      bool
}

func (b *hostBench) add(c result.Cell) (contender, error) {
	if c.Threads != 0 || c.Blocks != 0 || c.Scan != "" {
		return nil, algo.Unsupported("%s takes no threads, blocks or prefix sum on the processor", c.Algo)
	}
	name, chosen := c.Algo, ""
	if h, err := catalog.HostAlgorithm(""); err == nil && name == Auto {
		name, chosen = h.Name, h.Name
	}
	if h, err := catalog.HostAlgorithm(name); err == nil && name != "" {
		return &hostSort{b: b, source: "catalog", chosen: chosen, most: c.MaxValue, sort: func(ctx context.Context) (bool, error) {
			return false, h.Run(op.Job{Spec: b.p, At: op.Memory{b.keys.pointer(), b.values.pointer()}}, catalog.HostOptions{Ctx: ctx, Workers: b.o.Workers, MaxValue: c.MaxValue})
		}}, nil
	}
	if h, made, found := study.HostSum(c.Algo); found {
		return b.addSum(h, made)
	}
	for _, s := range b.o.sorters {
		if s.Name == c.Algo && s.Memory == peer.Host {
			return b.addPeer(s, c.MaxValue)
		}
	}
	return nil, b.o.elsewhere(c.Algo, "cpu")
}

func (b *hostBench) addSum(h study.HostScan, made op.Kind) (contender, error) {
	if b.p.Mode != plan.Keys || b.p.Type != key.U32 && b.p.Type != key.U64 {
		return nil, algo.Unsupported("%s sums u32 and u64 alone, not %v of %v", h.Name, b.p.Mode, b.p.Type)
	}
	return &hostSort{b: b, source: "catalog", result: made, sort: func(context.Context) (bool, error) {
		return false, h.Sum(b.p.Type, b.keys.pointer(), int(b.p.Items), made == op.InclusiveSums)
	}}, nil
}

func (b *hostBench) addPeer(s peer.Sorter, most uint64) (contender, error) {
	if err := s.Supports(b.p); err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	pr := peer.Problem{Problem: b.p, Device: -1, Threads: b.o.Workers}
	temp, err := s.TempBytes(pr)
	if err != nil {
		return nil, err
	}
	b.needTemp = max(b.needTemp, temp)
	b.needAlt = b.needAlt || s.Flags&peer.Alternate != 0
	return &hostSort{b: b, source: sourceOf(s.Library), policy: s.Version, peer: &s, most: most, sort: func(context.Context) (bool, error) {
		return s.Sort(pr, peer.Buffers{
			Keys: uintptr(b.keys.pointer()), KeysAlt: uintptr(b.keysAlt.pointer()),
			Values: uintptr(b.values.pointer()), ValuesAlt: uintptr(b.vsAlt.pointer()),
			Temp: uintptr(b.temp.pointer()), TempBytes: temp,
		})
	}}, nil
}

func (b *hostBench) allocate() (*input, error) {
	b.keys, b.values = newRegion(b.p.KeyBytes()), newRegion(b.p.ValuesBytes())
	b.made = make([]turnInput, b.ahead())
	for i := range b.made {
		b.made[i].keys = newRegion(b.p.KeyBytes())
		if b.p.Mode == plan.Pairs {
			b.made[i].values = newRegion(b.p.ValuesBytes())
		}
	}
	if b.needAlt {
		b.keysAlt, b.vsAlt = newRegion(b.p.KeyBytes()), newRegion(b.p.ValuesBytes())
	}
	b.temp = newRegion(b.needTemp)
	return b.refresh(0)
}

// turnInput is the input of one round.
type turnInput struct {
	keys, values *region
	in           *input
}

// aheadBytes bounds the inputs that are made ahead: less than a second-level cache.
const aheadBytes = 256 << 10

// ahead is how many inputs are made at once. Small ones are made many at a time, so
// that what runs between two samples is the same with fresh inputs as without.
func (b *hostBench) ahead() int {
	if !b.src.fresh {
		return 1
	}
	return int(max(1, min(64, aheadBytes/max(1, b.p.KeyBytes()+b.p.ValuesBytes()))))
}

func (b *hostBench) refresh(round int) (*input, error) {
	at := round % len(b.made)
	if at == 0 {
		for i := range b.made {
			m := &b.made[i]
			m.in = fill(b.p, b.src.round(round+i), m.keys.pointer(), m.values.pointer())
		}
	}
	m := b.made[at]
	b.orig, b.origValues, b.in = m.keys, m.values, m.in
	return b.in, nil
}

func (b *hostBench) clocks() *result.Clocks { return nil }

func (b *hostBench) close() error { return nil }

// hostSort is a host algorithm or a peer's host sorter.
type hostSort struct {
	b              *hostBench
	source, policy string
	chosen         string // by Auto; else empty
	peer           *peer.Sorter
	result         op.Kind
	most           uint64 // greatest key, 0 for none given
	sort           func(context.Context) (alternate bool, err error)
}

func (s *hostSort) describe(r *result.Record) {
	r.Source, r.Policy, r.Chosen = s.source, s.policy, s.chosen
	if s.peer != nil {
		r.ScratchBytes = s.b.needTemp
	}
}

func (s *hostSort) ready(in *input) error {
	if err := in.atMost(s.most); err != nil {
		return err
	}
	return peerReady(s.peer, in)
}

func (s *hostSort) sample(ctx context.Context, _ bool) (t times, err error) {
	b := s.b
	b.restore()
	start := b.o.now()
	alternate, err := s.sort(ctx)
	t.wall = int64(b.o.now().Sub(start))
	if err != nil {
		return t, err
	}
	t.outputs, err = s.outputs(alternate)
	return t, err
}

// restore writes the input, with guards, to the working buffers.
func (b *hostBench) restore() {
	if b.keys != nil {
		copy(b.keys.bytes(), b.orig.bytes())
	}
	if b.origValues != nil {
		copy(b.values.bytes(), b.origValues.bytes())
	}
}

// outputs checks the guards and says where the result lies.
func (s *hostSort) outputs(alternate bool) ([]output, error) {
	b := s.b
	for _, g := range []struct {
		name string
		r    *region
	}{{"keys", b.keys}, {"values", b.values}, {"keys_alt", b.keysAlt}, {"values_alt", b.vsAlt}, {"temp", b.temp}} {
		if g.r.broken() {
			g.r.arm()
			return nil, fmt.Errorf("wrote outside the %s buffer", g.name)
		}
	}
	out := output{keys: b.keys.pointer(), values: b.values.pointer(), result: s.result}
	if alternate {
		out = output{keys: b.keysAlt.pointer(), values: b.vsAlt.pointer()}
	}
	return []output{out}, nil
}

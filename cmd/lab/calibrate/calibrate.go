// Package calibrate measures sorts of host memory on the processor and on every
// device that "auto" may use, over kinds and sizes, for the table by which
// "auto" chooses.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/stat"
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Options bound the work. The zero value is the default.
type Options struct {
	// MostBytes bounds keys and values of one sort, and four times the bytes of strings,
	// whose headers take as much again; 0: 1 GiB. Input and working copy take twice as much.
	MostBytes uint64
	// Longest ends a curve: no sort larger than the first that takes so long is
	// measured, because from there on time grows in proportion. 0: 150 ms.
	Longest time.Duration
	// Progress, if not nil, is told after each curve how many of all are done.
	Progress func(done, total int, what string)
}

const (
	// Sizes are powers of four from 2^firstBits on.
	firstBits, stepBits = 4, 2
	// Each size is sorted until spend has passed, at least leastRuns and at most
	// mostRuns times; the median counts. Sorts of some microseconds are many, since
	// what disturbs one often lasts for a millisecond.
	leastRuns, mostRuns = 3, 301
	spend               = 10 * time.Millisecond
	// Sizes of sorts shorter than brief are measured visits times, and the least
	// median counts: what a shared host does to one visit is over at the next.
	visits, brief = 3, time.Millisecond
	// warmUps are runs that do not count: they load code and grow scratch.
	warmUps = 2
)

// kinds are the curves of a device.
func kinds() (out []crossover.Kind) {
	for _, bits := range []int{8, 16, 32, 64} {
		out = append(out, crossover.Kind{Bits: bits})
		for _, mode := range []plan.Mode{plan.Pairs, plan.Argsort} {
			out = append(out, crossover.Kind{Bits: bits, Mode: mode, ValueBytes: 4}, crossover.Kind{Bits: bits, Mode: mode, ValueBytes: 8})
		}
	}
	return append(out, crossover.Texts)
}

// Run measures. It ends with ctx, whose error it then returns. A device that
// fails is left out of the table and named in the error beside the table.
func Run(ctx context.Context, o Options) (*crossover.Table, error) {
	if o.MostBytes == 0 {
		o.MostBytes = 1 << 30
	}
	if o.Longest == 0 {
		o.Longest = 150 * time.Millisecond
	}
	auto, err := engine.New(engine.Config{})
	if err != nil {
		return nil, err
	}
	devices, err := auto.AutoDevices()
	var group string
	if err == nil {
		group, err = auto.AutoGroup()
	}
	if e := auto.Close(); err == nil {
		err = e
	}
	if err != nil {
		return nil, fmt.Errorf("tune: look for devices: %w", err)
	}
	ids := []string{crossover.CPU}
	for _, c := range devices {
		ids = append(ids, c.ID)
	}
	if group != "" {
		ids = append(ids, group)
	}
	t := crossover.New(time.Now().UTC().Format(time.RFC3339))
	m := meter{ctx: ctx, o: o, source: make([]uint64, o.MostBytes/8), work: make([]uint64, o.MostBytes/8)}
	uniform, err := dist.Find("uniform")
	if err != nil {
		return nil, err
	}
	dist.Fill(m.source, uniform, key.U64, uint64(time.Now().UnixNano()))
	all, done := kinds(), 0
	var failed []error
	for _, id := range ids {
		one, err := m.device(id, all, func(what string) {
			done++
			if o.Progress != nil {
				o.Progress(done, len(ids)*len(all), what)
			}
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("tune: %s: %w", id, err))
			continue
		}
		t.Devices = append(t.Devices, one)
	}
	return t, errors.Join(failed...)
}

// meter holds the memory that all measurements share.
type meter struct {
	ctx          context.Context
	o            Options
	source, work []uint64
}

// device measures all kinds on one device.
func (m *meter) device(id string, all []crossover.Kind, did func(string)) (out crossover.Measured, err error) {
	e, err := engine.New(engine.Config{Device: id})
	if err != nil {
		return out, err
	}
	defer func() {
		if x := e.Close(); err == nil {
			err = x
		}
	}()
	out.Device = e.MeasuredDevice()
	for _, k := range all {
		what := fmt.Sprintf("%s, %d-bit %v", id, k.Bits, k.Mode)
		if k.Texts {
			what = id + ", strings"
		}
		if several := strings.Contains(id, ","); !several || !k.Texts { // one device orders strings
			c, err := m.curve(e, k)
			if err != nil {
				return out, err
			}
			if len(c.Points) > 0 {
				out.Curves = append(out.Curves, c)
			}
		}
		did(what)
	}
	return out, nil
}

// curve measures one kind until a sort takes too long or too much memory.
func (m *meter) curve(e *engine.Engine, k crossover.Kind) (crossover.Curve, error) {
	c := crossover.Curve{Kind: k}
	for bits := firstBits; ; bits += stepBits {
		p := problem(k, 1<<bits)
		if p.KeyBytes()+p.ValuesBytes() > m.o.MostBytes || 4*p.Bytes > m.o.MostBytes {
			break
		}
		t, err := m.median(e, p)
		if err != nil {
			return c, err
		}
		c.Points = append(c.Points, crossover.Point{Items: p.Items, Seconds: t.Seconds()})
		if t > m.o.Longest {
			break
		}
	}
	for range visits - 1 {
		for i, at := range c.Points {
			if at.Seconds >= brief.Seconds() {
				break
			}
			t, err := m.median(e, problem(k, at.Items))
			if err != nil {
				return c, err
			}
			c.Points[i].Seconds = min(at.Seconds, t.Seconds())
		}
	}
	return c, nil
}

func problem(k crossover.Kind, items uint64) plan.Problem {
	p := plan.Problem{Type: key.UnsignedOf(k.Bits / 8), Mode: k.Mode, ValueBytes: k.ValueBytes, Items: items}
	if k.Texts {
		p.Kind, p.Bytes = op.Strings, crossover.TextBytes*items
	}
	return p
}

// task returns what sorts p from the same random input, and what makes that anew.
func (m *meter) task(e *engine.Engine, p plan.Problem) (renew func(), sort func() error) {
	if p.Kind == op.Strings {
		text := unsafe.Slice((*byte)(unsafe.Pointer(&m.source[0])), p.Bytes)
		words, idx := make([][]byte, p.Items), make([]uint32, p.Items)
		for i := range words {
			words[i], text = text[:crossover.TextBytes], text[crossover.TextBytes:]
		}
		do := engine.TextSort{
			Host: func(h cpu.Options, desc bool) error { return rows.ArgsortBytes(h, idx, words, desc) },
			By: func(h cpu.Options, order func([]uint32) error) error {
				return rows.IndicesBy(h, idx, len(words), order)
			},
		}
		return func() {}, func() error {
			_, err := e.SortTexts(m.ctx, engine.Strings{Name: "tune", Texts: op.HeadersOf(words)}, do)
			return err
		}
	}
	words := func(bytes uint64) uint64 { return (bytes + 7) / 8 }
	keys := words(p.KeyBytes())
	total := keys + words(p.ValuesBytes())
	j := op.Job{Spec: p, At: op.Memory{unsafe.Pointer(&m.work[0])}}
	if p.Mode != plan.Keys {
		j.At[op.ValuesIO] = unsafe.Pointer(&m.work[keys])
	}
	return func() { copy(m.work[:total], m.source) }, func() error {
		_, err := e.Sort(m.ctx, j)
		return err
	}
}

// median sorts p until the runs suffice.
func (m *meter) median(e *engine.Engine, p plan.Problem) (time.Duration, error) {
	renew, sort := m.task(e, p)
	var runs []time.Duration
	var spent time.Duration
	for len(runs) < leastRuns+warmUps || spent < spend && len(runs) < mostRuns+warmUps {
		renew()
		start := time.Now()
		err := sort()
		took := time.Since(start)
		if err != nil {
			return 0, err
		}
		runs = append(runs, max(took, 1))
		spent += took
	}
	return stat.Median(runs[warmUps:]), nil
}

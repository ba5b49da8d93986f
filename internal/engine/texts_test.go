package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// textsInMemory orders strings by host steps in two plans: the first finds that all strings go on, the second puts
// them in order.
func textsInMemory(kind op.Kind) algo.Algorithm {
	a := inMemory
	a.Name, a.Kind = kind.String(), kind
	a.Supports = func(plan.Problem, driver.Caps) error { return nil }
	a.Plan = func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
		b := plan.NewBuilder(a.Name, p)
		state := b.Scratch("state", plan.StatusBytes)
		b.Refuses(state)
		ref, e := func(r op.Region) plan.Ref { return plan.Ref{Region: r} }, p.Extents()
		b.Host("order", "order", []uint64{p.Items, uint64(kind), boolWord(p.Order.Desc)},
			plan.Use{Ref: state, Bytes: plan.StatusBytes, Writes: true},
			plan.Use{Ref: ref(op.KeysIO), Bytes: e[op.KeysIO].Bytes, Reads: true},
			plan.Use{Ref: ref(op.OtherIO), Bytes: e[op.OtherIO].Bytes, Reads: true},
			plan.Use{Ref: ref(op.ValuesIO), Bytes: e[op.ValuesIO].Bytes, Writes: true})
		return b.Plan(), nil
	}
	a.HostSteps = map[string]algo.HostStep{"order": func(r [][]byte, vals []uint64) error {
		n, next, desc := vals[0], vals[1] == uint64(op.StringsNext), vals[2] != 0
		clear(r[0])
		clear(r[3])
		if !next {
			binary.NativeEndian.PutUint64(r[0][8:], n|1<<32)
			return nil
		}
		offsets := unsafe.Slice((*uint32)(unsafe.Pointer(&r[2][0])), n+1)
		places := unsafe.Slice((*uint32)(unsafe.Pointer(&r[3][0])), n)
		for i := range places {
			places[i] = uint32(i)
		}
		text := func(i uint32) string { return string(r[1][offsets[i]:offsets[i+1]]) }
		slices.SortStableFunc(places, func(i, j uint32) int {
			if desc {
				i, j = j, i
			}
			return strings.Compare(text(i), text(j))
		})
		return nil
	}}
	return a
}

func boolWord(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// withTexts is e that has an order of strings.
func withTexts(e *Engine, err error) (*Engine, error) {
	if err == nil {
		e.cfg.Algorithms = append(slices.Clone(e.cfg.Algorithms), textsInMemory(op.Strings), textsInMemory(op.StringsNext))
	}
	return e, err
}

// someTexts are n strings, some of them equal and some empty.
func someTexts(n int) []string {
	x := make([]string, n)
	for i := range x {
		x[i] = strings.Repeat("ab", i%3) + fmt.Sprint(i * 7919 % (n/2 + 1))[i%2:]
	}
	return x
}

// sortTexts has e sort x.
func sortTexts(ctx context.Context, e *Engine, x []string, desc bool) (Report, error) {
	return e.SortTexts(ctx, stringsOf(x, desc), TextSort{
		Host: func(h cpu.Options, desc bool) error { return rows.SortStrings(h, x, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.ArrangeBy(h, x, order) },
	})
}

// stringsOf asks for the order of x.
func stringsOf(x []string, desc bool) Strings {
	return Strings{Name: "Texts", Texts: op.HeadersOf(x), Desc: desc}
}

// inOrder reports whether x is what was, in order.
func inOrder(x, was []string, desc bool) bool {
	want := slices.Clone(was)
	slices.Sort(want)
	if desc {
		slices.Reverse(want)
	}
	return slices.Equal(x, want)
}

// TestStringsSpec: offsets have 8 bytes where there are 4 GiB of text.
func TestStringsSpec(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for n, width := range map[int]int{4095: 4, 4096: 8} {
		x := exec.MeasureTexts(op.HeadersOf(slices.Repeat([]string{long}, n)), 2)
		p := stringsSpec(uint64(x.Len()), x.All(), false)
		if p.Width != width || p.Bytes != uint64(n)<<20 || p.Items != uint64(n) {
			t.Errorf("%d strings of 1 MiB: %+v", n, p)
		}
	}
}

// TestTextsFaults fails the k-th driver call of a sort of strings for every k: the error arrives with its class, the
// slice holds its input, and nothing leaks.
func TestTextsFaults(t *testing.T) {
	for name, make := range map[string]func(driver.Driver, int, *driver.Error) *fault.Driver{"once": fault.New, "lost": fault.Lost} {
		for _, n := range []int{100, 900} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				calls := 1
				for k := 0; k <= calls; k++ {
					drv := newFake()
					f := make(drv, k, &driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost})
					err := textsOnce(t, drv, f, n, k)
					if k == 0 {
						if calls = f.Calls(); err != nil {
							t.Fatal(err)
						}
					} else if err != nil && !errors.Is(err, driver.ErrDeviceLost) {
						t.Errorf("call %d (%s): %v", k, f.Failed(), err)
					}
				}
				t.Logf("%d calls", calls)
			})
		}
	}
}

func textsOnce(t *testing.T, drv *fake.Driver, f *fault.Driver, n, k int) error {
	e, err := withTexts(fakeEngine(t, f, 0))
	if err != nil {
		return err
	}
	x, was := someTexts(n), someTexts(n)
	r, err := sortTexts(t.Context(), e, x, true)
	switch {
	case err == nil && !inOrder(x, was, true):
		t.Errorf("call %d (%s): no error, and not in order", k, f.Failed())
	case err != nil && !slices.Equal(x, was):
		t.Errorf("call %d (%s): after %v strings have moved", k, f.Failed(), err)
	case err == nil && (r.Device != "fake:0" || r.Algorithm != op.Strings.String()):
		t.Errorf("call %d (%s): the report is %+v", k, f.Failed(), r)
	}
	for _, s := range e.known {
		err = errors.Join(err, s.CloseLanes())
	}
	if n := drv.Live(); n != 0 {
		t.Errorf("call %d (%s): %d objects leaked", k, f.Failed(), n)
	}
	return errors.Join(err, e.Close())
}

// TestTextsOfAnyNumber sorts up to 1,100 strings, and many: some equal, some that others begin with, NULs and 0xFF.
func TestTextsOfAnyNumber(t *testing.T) {
	e, err := withTexts(fakeEngine(t, newFake(), 0))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := rand.New(rand.NewPCG(7, 41))
	all := make([]string, 50_000)
	for i := range all {
		all[i] = strings.Repeat("ab\x00\xff"[r.IntN(4):][:1], r.IntN(4)) + "\x00\xff\x00"[r.IntN(4):]
	}
	for n := 2; n <= len(all); n++ {
		if n > 1100 {
			n = len(all)
		}
		x, desc := slices.Clone(all[:n]), n%2 != 0
		r, err := sortTexts(t.Context(), e, x, desc)
		if err != nil || !inOrder(x, all[:n], desc) || r.Device != "fake:0" || r.Items != uint64(n) {
			t.Fatalf("%d strings, descending %v: %+v, %v", n, desc, r, err)
		}
	}
}

// TestTextsCancelled ends the context at each look at it: the slice is whole.
func TestTextsCancelled(t *testing.T) {
	e, err := withTexts(fakeEngine(t, newFake(), 0))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for n := 0; ; n++ {
		x, was := someTexts(3000), someTexts(3000)
		_, err := sortTexts(&cancelAfter{Context: context.Background(), n: n}, e, x, false)
		switch {
		case err == nil && !inOrder(x, was, false):
			t.Fatalf("look %d: not in order", n)
		case err == nil && n < 10:
			t.Fatalf("%d looks at the context", n)
		case err == nil:
			return
		case !errors.Is(err, context.Canceled) || !slices.Equal(x, was):
			t.Fatalf("look %d: after %v strings have moved", n, err)
		}
	}
}

// TestTextsLimited: a memory limit is raised to what a named device takes, and the report says so.
func TestTextsLimited(t *testing.T) {
	for _, limit := range []uint64{1, 1 << 30} {
		e, err := withTexts(fakeEngine(t, newFake(), limit))
		if err != nil {
			t.Fatal(err)
		}
		x, was := someTexts(3000), someTexts(3000)
		r, err := sortTexts(t.Context(), e, x, false)
		if err != nil || !inOrder(x, was, false) || (r.RaisedLimit > limit) != (limit == 1) || r.Device != "fake:0" {
			t.Errorf("limit %d: %+v, %v", limit, r, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTextsTooMany: strings that a named device has no memory for are refused, and stay.
func TestTextsTooMany(t *testing.T) {
	caps := fake.Caps()
	caps.GlobalBytes, caps.MaxAllocBytes = 1<<16, 1<<16
	e, err := withTexts(fakeEngine(t, newFake(caps), 0))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x, was := someTexts(30_000), someTexts(30_000)
	if r, err := sortTexts(t.Context(), e, x, false); !errors.Is(err, driver.ErrOutOfMemory) || !slices.Equal(x, was) || r.Device != "fake:0" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestTextsUnknown: a device without code for strings leaves them to the processor, and the report says so.
func TestTextsUnknown(t *testing.T) {
	e, err := fakeEngine(t, newFake(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x, was := someTexts(3000), someTexts(3000)
	r, err := sortTexts(t.Context(), e, x, false)
	if err != nil || !inOrder(x, was, false) || r.Device != "cpu" || r.Algorithm != "cpu" || !strings.Contains(r.Fallback, "fake:0") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestTextsAuto: which strings auto takes to a device.
func TestTextsAuto(t *testing.T) {
	small := fast()
	small.GlobalBytes = 1 << 20
	host := fast()
	host.CPU = true
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		name  string
		caps  driver.Caps
		n     int
		text  string
		limit uint64
		want  bool
	}{
		{"many", fast(), 1 << 20, "a text of a few bytes", 0, true},
		{"few", fast(), StringsFloor - 1, "text", 0, false},
		{"long", fast(), 1 << 20, long, 0, false},
		{"beyond the device's memory", small, 1 << 20, "text", 0, false},
		{"beyond the limit", fast(), 1 << 20, "text", 1 << 24, false},
		{"within the limit", fast(), 1 << 20, "text", 1 << 28, true},
		{"the processor's OpenCL", host, 1 << 20, "text", 0, false},
		{"the processor's OpenCL, opened for a named algorithm", host, 1 << 20, "text", 0, false},
		{"a named algorithm", fast(), 1 << 20, "text", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := withTexts(autoEngine(t, newFake(c.caps)), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			e.cfg.MemoryLimit = c.limit
			if strings.HasSuffix(c.name, "a named algorithm") {
				e.cfg.Algorithm = inMemory.Name
			}
			x := slices.Repeat([]string{c.text}, c.n)
			few := e.onlyHostTexts(len(x))
			if few && c.want {
				t.Fatal("no device is asked")
			}
			if d, _, _, why := e.placeTexts(stringsOf(x, false)); !few && (d != nil) != c.want || why != "" {
				t.Errorf("a device: %v, want %v; %s", d != nil, c.want, why)
			}
		})
	}
}

// TestTextsTuned: measured times decide where strings go, and of longer strings the further bytes count.
func TestTextsTuned(t *testing.T) {
	caps := fast() // the model prefers it
	curve := func(perItem float64) []crossover.Curve {
		c := crossover.Curve{Kind: crossover.Texts}
		for n := uint64(16); n <= 1<<22; n *= 4 {
			c.Points = append(c.Points, crossover.Point{Items: n, Seconds: perItem * float64(n)})
		}
		return []crossover.Curve{c}
	}
	for _, c := range []struct {
		name   string
		cpu    float64
		length uint64
		want   string
	}{
		{"the device is slower", 1e-9, crossover.TextBytes, "cpu"},
		{"the device is faster", 4e-9, crossover.TextBytes, "fake:0"},
		{"shorter strings", 4e-9, 8, "fake:0"},
		{"longer strings", 4e-9, 10_000, "cpu"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := withTexts(autoEngine(t, newFake(caps)), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			e.cfg.Tuning = crossover.New("")
			e.cfg.Tuning.Devices = []crossover.Measured{{Device: crossover.Host(), Curves: curve(c.cpu)}, {Device: measuredDevice(caps), Curves: curve(2e-9)}}
			const n = 1 << 20
			x, err := e.ExplainTexts(n, n*c.length, false)
			if err != nil || x.Device != c.want {
				t.Errorf("on %s because %q, want %s; %v", x.Device, x.Why, c.want, err)
			}
		})
	}
}

// TestTextsAutoWaits: no device is opened for one sort that gains little.
func TestTextsAutoWaits(t *testing.T) {
	e, err := withTexts(autoEngine(t, newFake(fast())), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.probe.missed = 0
	x := slices.Repeat([]string{"text"}, 1<<20)
	if d, _, _, _ := e.placeTexts(stringsOf(x, false)); d != nil || e.probe.done {
		t.Error("a device was opened at once")
	}
	for sorts := 0; ; sorts++ {
		if d, _, _, _ := e.placeTexts(stringsOf(x, false)); d != nil {
			return
		} else if sorts > 10 {
			t.Fatal("no device was opened")
		}
	}
}

// TestTextsAutoFallsBack has every call fail under auto: the processor sorts, and the report says why.
func TestTextsAutoFallsBack(t *testing.T) {
	was := someTexts(1 << 16)
	for k := 0; k < 40; k++ {
		drv := newFake(fast())
		f := fault.Lost(drv, k, &driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost})
		e, err := withTexts(autoEngine(t, f), nil)
		if err != nil {
			t.Fatal(err)
		}
		x := slices.Clone(was)
		r, err := sortTexts(t.Context(), e, x, false)
		if err != nil || !inOrder(x, was, false) {
			t.Fatalf("call %d (%s): %v", k, f.Failed(), err)
		}
		if k == 0 && (r.Device != "fake:0" || r.Fallback != "") {
			t.Errorf("without a fault: %+v", r)
		}
		if k > 1 && r.Device == "cpu" && (!strings.Contains(r.Fallback, "fake:0") || r.Algorithm != "cpu") {
			t.Errorf("call %d (%s): no word of the fallback: %+v", k, f.Failed(), r)
		}
		if err := e.Close(); err != nil && k == 0 {
			t.Error(err)
		}
		if n := drv.Live(); n != 0 {
			t.Errorf("call %d: %d objects leaked", k, n)
		}
	}
}

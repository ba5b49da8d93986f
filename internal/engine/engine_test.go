package engine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
)

// cancelAfter is a context that ends after its Err was asked n times: a cancel
// at every place where the engine looks.
type cancelAfter struct {
	context.Context
	mu sync.Mutex
	n  int
}

func (c *cancelAfter) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel ends the context at every place where it is looked at.
func TestCancel(t *testing.T) {
	for _, limit := range []uint64{0, 26000} {
		for n := 0; ; n++ {
			drv := newFake()
			e, err := fakeEngine(t, drv, limit)
			if err != nil {
				t.Fatal(err)
			}
			j, want := testJob(plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: 1500})
			in := string(bytesOf(j))
			_, err = e.Sort(&cancelAfter{Context: context.Background(), n: n}, j)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("limit %d, look %d: %v", limit, n, err)
			}
			if err != nil && string(bytesOf(j)) != in {
				t.Fatalf("limit %d, look %d: cancelled, and the slice is not the input", limit, n)
			}
			if cerr := e.Close(); cerr != nil {
				t.Fatal(cerr)
			}
			if drv.Live() != 0 {
				t.Fatalf("limit %d, look %d: %d objects leaked", limit, n, drv.Live())
			}
			if err == nil {
				if err := sameJob(j, want); err != nil {
					t.Error(err)
				}
				if n < 10 {
					t.Errorf("limit %d: the context was looked at %d times only", limit, n)
				}
				break
			}
		}
	}
}

// TestCallersAtOnce runs sorts, and Close after them, from several goroutines.
func TestCallersAtOnce(t *testing.T) {
	drv := newFake()
	e, err := fakeEngine(t, drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for i := range 5 {
				j, want := testJob(plan.Problem{Type: key.F32, Mode: plan.Mode(i % 2), ValueBytes: 8 * (i % 2), Items: uint64(300*g + i)})
				if _, err := e.Sort(context.Background(), j); err != nil {
					t.Error(err)
				} else if err := sameJob(j, want); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	j, _ := testJob(plan.Problem{Type: key.U8, Items: 3})
	if _, err := e.Sort(context.Background(), j); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("sort after Close: %v", err)
	}
	for i := 0; runtime.NumGoroutine() > before && i < 100; i++ {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines before, %d after", before, n)
	}
	if drv.Live() != 0 {
		t.Errorf("%d objects leaked", drv.Live())
	}
}

// TestMemory covers buffers: regions at odd offsets, use after Close, wrong
// devices.
func TestMemory(t *testing.T) {
	drv := newFake()
	e, err := fakeEngine(t, drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	j, want := testJob(plan.Problem{Type: key.I32, Mode: plan.Pairs, ValueBytes: 8, Items: 777})
	km, err := e.Alloc(j.KeyBytes() + 12)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := e.Alloc(j.ValuesBytes() + 8)
	if err != nil {
		t.Fatal(err)
	}
	k, v := Region{km, 12, j.KeyBytes()}, Region{vm, 8, j.ValuesBytes()}
	ctx := context.Background()
	for _, err := range []error{k.Upload(ctx, j.At[op.KeysIO]), v.Upload(ctx, j.At[op.ValuesIO])} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for range exec.GraphAfter + 2 {
		if _, err := e.Run(ctx, j.Spec, Regions{k, v}); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{k.Download(ctx, j.At[op.KeysIO]), v.Download(ctx, j.At[op.ValuesIO]), sameJob(j, want)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := km.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.Run(ctx, j.Spec, Regions{k, v}); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("sort of closed memory: %v", err)
	}
	if err := vm.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil || drv.Live() != 0 {
		t.Errorf("close: %v, %d objects leaked", err, drv.Live())
	}
}

// TestPinnedGoesDirect checks that page-locked memory is not staged.
func TestPinnedGoesDirect(t *testing.T) {
	tr := trace.New(newFake())
	e, err := fakeEngine(t, tr, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := plan.Problem{Type: key.U32, Items: 3000}
	m, err := e.AllocPinned(p.KeyBytes())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	j, want := testJob(p)
	hostcopy.Copy(m.Pointer(), j.At[op.KeysIO], p.KeyBytes())
	j.At[op.KeysIO] = m.Pointer()
	tr.Reset()
	if _, err := e.Sort(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	if err := sameJob(j, want); err != nil {
		t.Error(err)
	}
	if s := tr.String(); strings.Contains(s, "AllocHost") || strings.Count(s, "CopyIn") != 12 {
		t.Errorf("staged, or not in 12 units of %d bytes:\n%s", smallSizes.DirectUnit, s)
	}
}

// TestLimit checks that device memory stays below the limit.
func TestLimit(t *testing.T) {
	const limit = 26000
	tr := trace.New(newFake())
	e, err := fakeEngine(t, tr, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	j, want := testJob(plan.Problem{Type: key.U64, Items: 4000})
	r, err := e.Sort(context.Background(), j)
	if err != nil || sameJob(j, want) != nil || r.Pieces < 2 {
		t.Fatalf("%+v, %v, %v", r, err, sameJob(j, want))
	}
	if held := e.known["fake:0"].Held(); held > limit {
		t.Errorf("%d bytes held, the limit is %d", held, limit)
	}
	// The most pieces that there are take more than the limit, which is raised to that.
	j, want = testJob(plan.Problem{Type: key.U64, Items: 1 << 20})
	r, err = e.Sort(context.Background(), j)
	if err != nil || sameJob(j, want) != nil || r.RaisedLimit <= limit || r.RaisedLimit > 2*limit {
		t.Errorf("a sort that cannot fit: %+v, %v, %v", r, err, sameJob(j, want))
	}
	if held := e.known["fake:0"].Held(); held > r.RaisedLimit {
		t.Errorf("%d bytes held, the limit was raised to %d", held, r.RaisedLimit)
	}
}

// TestLimitOfDevice: no limit is raised to more than the device has.
func TestLimitOfDevice(t *testing.T) {
	for _, limit := range []uint64{0, 1, 1000} {
		caps := fast()
		caps.GlobalBytes = 10_000
		e, err := fakeEngine(t, newFake(caps), limit)
		if err != nil {
			t.Fatal(err)
		}
		j, _ := testJob(plan.Problem{Type: key.U64, Items: 1 << 20})
		if r, err := e.Sort(context.Background(), j); !errors.Is(err, driver.ErrOutOfMemory) {
			t.Errorf("a sort that cannot fit, with a limit of %d: %+v, %v", limit, r, err)
		}
		e.Close()
	}
}

// TestExplainLimit: as many pieces are explained as a sort takes. No limit is too low,
// and more never takes more pieces.
func TestExplainLimit(t *testing.T) {
	raised, pieces := 0, math.MaxInt
	for limit := uint64(2); limit <= 1<<17; limit = limit * 3 / 2 {
		e, err := fakeEngine(t, newFake(), limit)
		if err != nil {
			t.Fatal(err)
		}
		j, want := testJob(plan.Problem{Type: key.U32, Items: 5000})
		x, expErr := e.Explain(j.Spec)
		r, err := e.Sort(context.Background(), j)
		if x.Pieces != r.Pieces || err != nil || expErr != nil {
			t.Errorf("limit %d: explained %d pieces, %v; sorted in %d, %v", limit, x.Pieces, expErr, r.Pieces, err)
		}
		if err := sameJob(j, want); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
		if r.Pieces > pieces {
			t.Errorf("limit %d: %d pieces, of less memory %d", limit, r.Pieces, pieces)
		}
		if pieces = r.Pieces; r.RaisedLimit != 0 {
			raised++
			if r.RaisedLimit <= limit {
				t.Errorf("limit %d was raised to %d", limit, r.RaisedLimit)
			}
		}
		e.Close()
	}
	if raised == 0 || pieces != 1 {
		t.Errorf("%d limits were too low; with the most memory there are %d pieces", raised, pieces)
	}
}

// TestLostUnderAuto checks that a lost device is not tried again.
func TestLostUnderAuto(t *testing.T) {
	f := fault.Lost(newFake(fast()), 6, &driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost})
	e := autoEngine(t, f)
	p := plan.Problem{Type: key.U32, Items: DeviceFloor}
	for i := range 2 {
		j, _ := testJob(p)
		r, err := e.Sort(context.Background(), j)
		if err != nil || r.Device != "cpu" || (r.Fallback != "") != (i == 0) {
			t.Errorf("sort %d: %+v, %v", i, r, err)
		}
	}
	// The device is gone; what Close reports of it is not the matter here.
	_ = e.Close()
}

func TestScratchBytes(t *testing.T) {
	p := plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8, Items: 1 << 24}
	got, err := ScratchBytes(Config{}, p)
	if err != nil {
		t.Fatal(err)
	}
	if least, most := p.KeyBytes(), p.KeyBytes()+p.ValuesBytes()+64<<20; got < least || got > most {
		t.Errorf("%d bytes, want %d to %d", got, least, most)
	}
	if n, err := ScratchBytes(Config{Device: "cpu"}, p); n != 0 || err != nil {
		t.Errorf("cpu: %d, %v", n, err)
	}
	if _, err := ScratchBytes(Config{Algorithm: "bogo"}, p); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("unknown algorithm: %v", err)
	}
	p.ValueBytes = 3
	if _, err := ScratchBytes(Config{}, p); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("3-byte values: %v", err)
	}
}

// TestNothingToSort sorts no item and one by an algorithm that takes many only.
func TestNothingToSort(t *testing.T) {
	large := inMemory
	large.Name = "large"
	large.Supports = func(p plan.Problem, c driver.Caps) error {
		if p.Items < 1000 {
			return algo.Unsupported("large: %d items", p.Items)
		}
		return inMemory.Supports(p, c)
	}
	e, err := New(Config{
		Device: "fake:0", Algorithm: "large",
		Drivers: []driver.Driver{newFake(fast())}, Algorithms: []algo.Algorithm{large, inMemory}, Images: fakeImages,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
		for items := range uint64(3) {
			p := plan.Problem{Type: key.U32, Mode: mode, Items: items}
			if mode != plan.Keys {
				p.ValueBytes = 4
			}
			j, want := testJob(p)
			_, err := e.Sort(context.Background(), j)
			if items == 2 {
				if !errors.Is(err, driver.ErrUnsupported) {
					t.Errorf("%v of 2: %v, want that the named algorithm is refused", mode, err)
				}
				continue
			}
			if err == nil {
				err = sameJob(j, want)
			}
			if err != nil {
				t.Errorf("%v of %d: %v", mode, items, err)
			}
		}
	}
}

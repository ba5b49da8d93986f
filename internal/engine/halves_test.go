package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// newMergingFake is newFake with merge-path's kernels, which do what
// kernels/cuda/block/merge_path.cuh does for one pair of runs, and with blocks of
// 32 threads, so that few keys are several tiles.
func newMergingFake() *fake.Driver {
	c := fake.Caps()
	c.MaxThreadsPerBlock = 32
	d := newFake(c)
	registerMerge[uint32](d, 32)
	registerMerge[uint64](d, 64)
	return d
}

func registerMerge[U key.Word](d *fake.Driver, bits int) {
	d.Register(fmt.Sprintf("gs_merge_partition_%d_keys", bits), func(b *fake.Block) {
		if b.ID.X != 0 {
			return
		}
		in, splits := fake.Slice[U](b, 0), fake.Slice[uint64](b, 1)
		n, run, tiles, tile := b.Uint(2), b.Uint(3), b.Uint(5), b.Uint(6)
		x, y := in[:run], in[run:n]
		i := uint64(0)
		for t := range tiles {
			for ; i < run && (t*tile > i+uint64(len(y)) || i < t*tile && x[i] <= y[t*tile-1-i]); i++ {
			}
			splits[t] = i
		}
	})
	d.Register(fmt.Sprintf("gs_merge_pass_%d_keys", bits), func(b *fake.Block) {
		in, out, splits := fake.Slice[U](b, 0), fake.Slice[U](b, 1), fake.Slice[uint64](b, 2)
		n, run, tiles := b.Uint(3), b.Uint(4), b.Uint(6)
		tile := uint64(len(b.Shared))/uint64(unsafe.Sizeof(U(0))) - 32
		for t := uint64(b.ID.X); t < tiles; t += uint64(b.Grid.X) {
			diagonal := t * tile
			a, end := splits[t], min(run, n)
			if diagonal+tile != n {
				end = splits[t+1]
			}
			for i, c := diagonal, diagonal-a; i < min(diagonal+tile, n); i++ {
				if a < end && (c-(diagonal-splits[t]) >= tile-(end-splits[t]) || in[a] <= in[run+c]) {
					out[i] = in[a]
					a++
				} else {
					out[i] = in[run+c]
					c++
				}
			}
		}
	})
}

// halvesEngine is an engine that sorts from 4 KiB on in halves.
func halvesEngine(t testing.TB, drv driver.Driver) (*Engine, error) {
	t.Helper()
	e, err := fakeEngine(t, drv, 0)
	if err == nil {
		e.exec.Sizes.HalveFrom = 4 << 10
	}
	return e, err
}

// pinnedJob is the job with its keys in page-locked memory; the caller closes it.
func pinnedJob(e *Engine, j op.Job) (op.Job, *Pinned, error) {
	m, err := e.AllocPinned(j.KeyBytes())
	if err != nil {
		return j, nil, err
	}
	copy(unsafe.Slice((*byte)(m.Pointer()), j.KeyBytes()), unsafe.Slice((*byte)(j.At[op.KeysIO]), j.KeyBytes()))
	j.At[op.KeysIO] = m.Pointer()
	return j, m, nil
}

// TestHalves sorts twice in halves, from page-locked and from ordinary memory: the
// head's sort is queued before the tail's upload, each part of the output is
// awaited before it is copied, and nothing is made anew the second time.
func TestHalves(t *testing.T) {
	for _, typ := range []key.Type{key.U32, key.U64} {
		for _, n := range []uint64{2048, 5001, 12345} {
			for _, pinned := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v/%d/pinned=%v", typ, n, pinned), func(t *testing.T) {
					drv := newMergingFake()
					tr := trace.New(drv)
					e, err := halvesEngine(t, tr)
					if err != nil {
						t.Fatal(err)
					}
					for turn := range 2 {
						tr.Reset()
						j, want := testJob(plan.Problem{Type: typ, Items: n})
						if pinned {
							var m *Pinned
							if j, m, err = pinnedJob(e, j); err != nil {
								t.Fatal(err)
							}
							defer m.Close()
						}
						r, err := e.Sort(context.Background(), j)
						if err != nil || r.DeviceTime <= 0 {
							t.Fatal(r, err)
						}
						if err := sameJob(j, want); err != nil {
							t.Fatal(err)
						}
						checkHalves(t, tr.Entries(), turn)
					}
					if err := e.Close(); err != nil || drv.Live() != 0 {
						t.Errorf("close: %v, %d objects leaked", err, drv.Live())
					}
				})
			}
		}
	}
}

// checkHalves looks at the calls of one sort.
func checkHalves(t *testing.T, calls []trace.Entry, turn int) {
	t.Helper()
	var sorts, merges, before, after int
	for _, c := range calls {
		switch {
		case c.Method == "Queue.Launch" && strings.HasPrefix(c.Args, "gs_fake_sort"):
			sorts++
		case c.Method == "Queue.Launch" && strings.HasPrefix(c.Args, "gs_merge_pass"):
			merges++
		case c.Method == "Queue.CopyIn" && sorts == 0:
			before++
		case c.Method == "Queue.CopyIn" && sorts == 1:
			after++
		case c.Method == "Queue.CopyOut" && merges == 0:
			t.Error("a copy to the host is queued before any part is made")
		case c.Method == "Device.Alloc" && turn > 0, c.Method == "Device.NewQueue" && turn > 0, c.Method == "Device.LoadModule" && turn > 0:
			t.Errorf("the second sort made %s", c)
		}
	}
	if sorts != 2 || merges < 2 || before == 0 || after == 0 {
		t.Errorf("%d sorts, %d merges, %d uploads before the head's sort and %d behind it", sorts, merges, before, after)
	}
}

// TestHalvesOrWhole: what the merge cannot do, or what is asked for by name, is
// sorted as a whole.
func TestHalvesOrWhole(t *testing.T) {
	for _, c := range []struct {
		name string
		p    plan.Problem
		with func(*Engine)
		want bool
	}{
		{"long", plan.Problem{Type: key.U32, Items: 4000}, nil, true},
		{"short", plan.Problem{Type: key.U32, Items: 1000}, nil, false},
		{"signed", plan.Problem{Type: key.I32, Items: 4000}, nil, false},
		{"descending", plan.Problem{Type: key.U32, Items: 4000, Order: key.Order{Desc: true}}, nil, false},
		{"pairs", plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 4000}, nil, false},
		{"narrow", plan.Problem{Type: key.U16, Items: 8000}, nil, false},
		{"named", plan.Problem{Type: key.U32, Items: 4000}, func(e *Engine) { e.exec.Whole = true }, false},
		{"limited", plan.Problem{Type: key.U32, Items: 4000}, func(e *Engine) { e.exec.MemoryLimit = 32400 }, false},
		{"poisoned", plan.Problem{Type: key.U32, Items: 4000}, func(e *Engine) { e.exec.Poison = true }, false},
		{"off", plan.Problem{Type: key.U32, Items: 4000}, func(e *Engine) { e.exec.Sizes.HalveFrom = 0 }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := trace.New(newMergingFake())
			e, err := halvesEngine(t, tr)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if c.with != nil {
				c.with(e)
			}
			j, want := testJob(c.p)
			if r, err := e.Sort(context.Background(), j); err != nil || r.Pieces != 1 {
				t.Fatal(r, err)
			}
			if err := sameJob(j, want); err != nil {
				t.Error(err)
			}
			if got := strings.Contains(tr.String(), "Launch gs_merge_pass"); got != c.want {
				t.Errorf("in halves: %v", got)
			}
		})
	}
}

// TestHalvesFaults fails the k-th driver call of a sort in halves for every k, and
// ends the context at every look: the slice must hold the input or the output, and
// nothing may leak.
func TestHalvesFaults(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 1500}
	lost := driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost}
	once := driver.Error{Name: "BROKEN", Code: 99}
	for _, pinned := range []bool{false, true} {
		for name, inject := range map[string]func(driver.Driver, int) *fault.Driver{
			"once": func(d driver.Driver, k int) *fault.Driver { return fault.New(d, k, &once) },
			"lost": func(d driver.Driver, k int) *fault.Driver { return fault.Lost(d, k, &lost) },
		} {
			t.Run(fmt.Sprintf("%s/pinned=%v", name, pinned), func(t *testing.T) {
				calls := 1
				for k := 0; k <= calls; k++ {
					drv := newMergingFake()
					f := inject(drv, k)
					err := halvesOnce(t, drv, f, context.Background(), p, pinned, fmt.Sprintf("call %d", k))
					if k == 0 {
						calls = f.Calls()
					}
					var de *driver.Error
					if err != nil && (k == 0 || !errors.As(err, &de)) {
						t.Errorf("call %d (%s): %v", k, f.Failed(), err)
					}
				}
				t.Logf("%d calls", calls)
			})
		}
		t.Run(fmt.Sprintf("cancelled/pinned=%v", pinned), func(t *testing.T) {
			for n := 0; ; n++ {
				drv := newMergingFake()
				err := halvesOnce(t, drv, drv, &cancelAfter{Context: context.Background(), n: n}, p, pinned, fmt.Sprintf("look %d", n))
				if err == nil {
					if n < 10 {
						t.Errorf("the context was looked at %d times only", n)
					}
					return
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("look %d: %v", n, err)
				}
			}
		})
	}
}

// halvesOnce sorts with a driver that may fail and checks what is left.
func halvesOnce(t *testing.T, drv *fake.Driver, with driver.Driver, ctx context.Context, p plan.Problem, pinned bool, what string) error {
	t.Helper()
	e, err := halvesEngine(t, with)
	if err != nil {
		return err
	}
	j, want := testJob(p)
	in := bytesOf(j)
	var m *Pinned
	if pinned {
		if j, m, err = pinnedJob(e, j); err != nil {
			m = nil
		}
	}
	if err == nil {
		_, err = e.Sort(ctx, j)
		if err != nil && !bytes.Equal(bytesOf(j), in) {
			t.Errorf("%s: after %v the slice is not the input", what, err)
		}
		if err == nil {
			if err := sameJob(j, want); err != nil {
				t.Errorf("%s: success, but %v", what, err)
			}
		}
	}
	if m != nil {
		_ = m.Close() // the fault may hit here
	}
	for _, s := range e.known {
		_ = s.CloseLanes()
	}
	if n := drv.Live(); n != 0 {
		t.Errorf("%s: %d objects leaked", what, n)
	}
	_ = e.Close()
	return err
}

package engine

import (
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
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// spreadJob brings a job to the devices, sorts it there and brings it back. It returns the
// lengths of the parts.
func spreadJob(e *Engine, j op.Job) (lengths []uint64, r Report, err error) {
	ctx := context.Background()
	var all [2]*Spread
	for i, ext := range j.Extents() {
		if ext.Bytes == 0 {
			continue
		}
		if all[i], err = e.AllocSpread(j.Items, ext.Bytes/j.Items); err != nil {
			return nil, r, err
		}
		defer func() { err = errors.Join(err, all[i].Close()) }()
		off := uint64(0)
		for _, p := range all[i].Parts() {
			if err := p.Upload(ctx, unsafe.Add(j.At[i], off)); err != nil {
				return nil, r, err
			}
			off += p.Bytes
		}
	}
	for range 2 { // the second one finds the parts where the first has left them
		if r, err = e.RunSpread(ctx, j.Spec, all[0], all[1]); err != nil {
			return nil, r, err
		}
	}
	for i := range all {
		off := uint64(0)
		if all[i] == nil {
			continue
		}
		for _, p := range all[i].Parts() {
			if err := p.Download(ctx, unsafe.Add(j.At[i], off)); err != nil {
				return nil, r, err
			}
			if off += p.Bytes; i == 0 {
				lengths = append(lengths, p.Bytes/uint64(j.Type.Bytes()))
			}
		}
	}
	return lengths, r, nil
}

// TestSpread sorts memory spread over 1 to 8 devices, with memory beside it and without:
// the parts are even whatever the keys are, and one behind the other what the host makes.
func TestSpread(t *testing.T) {
	turn := 0
	for _, n := range []int{1, 2, 3, 8} {
		for _, memory := range []uint64{1 << 30, 3*exec.Slack + 32000, 2*exec.Slack + 32000} {
			t.Run(fmt.Sprintf("%d/%d", n, memory), func(t *testing.T) {
				for input, f := range groupInputs {
					drv := newGroupFake(fake.Linked, n, memory)
					e, err := groupEngine(t, drv, 0, nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range groupProblems(1000) {
						if p.Mode == plan.Argsort && memory < 3*exec.Slack && n > 1 {
							continue // there is no room for a copy of the keys
						}
						if turn++; testing.Short() && turn%17 != 0 {
							continue
						}
						p.Items += uint64(turn % 3)
						e.exec.Sizes.RunItems = uint64(turn % 2 * 300)
						what := fmt.Sprintf("%s %v %v %d %+v n=%d", input, p.Type, p.Mode, p.ValueBytes, p.Order, p.Items)
						j, want := testInput(p), testInput(p)
						if f != nil {
							fillKeys(j, f)
							fillKeys(want, f)
						}
						SortHost(want)
						lengths, r, err := spreadJob(e, j)
						if err != nil {
							t.Fatalf("%s: %v", what, err)
						}
						if err := sameJob(j, want); err != nil {
							t.Errorf("%s: %v", what, err)
						}
						for _, l := range lengths {
							if l < p.Items/uint64(n) || l > p.Items/uint64(n)+1 {
								t.Errorf("%s: parts of %v", what, lengths)
							}
						}
						if len(lengths) != n || r.Algorithm != "in-memory" || r.DeviceTime <= 0 {
							t.Errorf("%s: %d parts, %+v", what, len(lengths), r)
						}
					}
					if err := e.Close(); err != nil || drv.Live() != 0 {
						t.Errorf("close: %v, %d objects leaked", err, drv.Live())
					}
				}
			})
		}
	}
}

// TestSpreadFaults fails the k-th call of a sort of a Spread for every k: nothing leaks,
// and the devices sort again.
func TestSpreadFaults(t *testing.T) {
	for i, memory := range []uint64{1 << 30, 2*exec.Slack + 16000, 1 << 30} {
		p := plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 600}
		if i == 2 {
			p.Mode = plan.Argsort
		}
		spreadFaults(t, p, driver.Error{Name: "BROKEN", Code: 99},
			func() *fake.Driver { return newGroupFake(fake.Linked, 2, memory) },
			func(drv driver.Driver) (*Engine, error) { return groupEngine(t, drv, 0, nil) })
	}
}

// spreadFaults fails the k-th call of a sort of p for every k, on engines that open makes.
func spreadFaults(t *testing.T, p plan.Problem, kind driver.Error, devices func() *fake.Driver, open func(driver.Driver) (*Engine, error)) {
	t.Helper()
	calls, step := 1, 1
	if testing.Short() {
		step = 31
	}
	for k := 0; k <= calls; k += step {
		drv := devices()
		f := fault.New(drv, k, &kind)
		e, err := open(f)
		if err == nil {
			j, want := testJob(p)
			if _, _, err = spreadJob(e, j); err == nil {
				err = sameJob(j, want)
			} else {
				again, want := testJob(p)
				if _, _, err := spreadJob(e, again); err != nil {
					t.Errorf("call %d (%s): the next sort: %v", k, f.Failed(), err)
				} else if err := sameJob(again, want); err != nil {
					t.Errorf("call %d (%s): the next sort: %v", k, f.Failed(), err)
				}
			}
			for _, s := range e.known {
				_ = s.CloseLanes() // the fault may hit here
			}
			if n := drv.Live(); n != 0 {
				t.Errorf("call %d (%s): %d objects leaked", k, f.Failed(), n)
			}
			_ = e.Close()
		}
		var de *driver.Error
		if err != nil && (k == 0 || !errors.As(err, &de)) {
			t.Errorf("call %d (%s): %v", k, f.Failed(), err)
		}
		if k == 0 {
			calls = f.Calls()
		}
	}
}

// TestSpreadPlaces: devices that have the kernel number an argsort's items by themselves.
func TestSpreadPlaces(t *testing.T) {
	for _, n := range []int{2, 5} {
		list := make([]driver.Caps, n)
		for i := range list {
			list[i] = fake.Caps()
		}
		tr := trace.New(groupFakeOf(fake.Linked, list))
		e, err := groupEngine(t, tr, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []plan.Problem{
			{Type: key.U32, Mode: plan.Argsort, ValueBytes: 4, Items: 50000},
			{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8, Items: 20000, Order: key.Order{Desc: true}},
		} {
			spreadOnce(t, e, p, groupInputs["heavy"], fmt.Sprintf("%d devices, %v", n, p.Type))
		}
		if launches := strings.Count(tr.String(), "gs_elements_pairs_64"); launches < 8*n { // two sorts of each spread
			t.Errorf("%d devices: the kernel ran %d times", n, launches)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

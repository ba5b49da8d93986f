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
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// lossShapes are sorts whose members keep the shares' input.
var lossShapes = []struct {
	name   string
	n      int
	p      plan.Problem
	pinned bool
	halve  uint64
}{
	{"keys", 2, plan.Problem{Type: key.U64, Items: 700}, false, 1000},
	{"pinned", 2, plan.Problem{Type: key.U64, Items: 700}, true, 1000},
	{"pairs", 2, plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 8, Items: 401}, false, 0},
	{"pinned pairs", 3, plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: 500}, true, 0},
	{"sorted", 2, plan.Problem{Type: key.U64, Items: 600}, false, 1000}, // the parts stay where they are
	{"floats of three", 3, plan.Problem{Type: key.F32, Items: 600, Order: key.Order{Desc: true}}, false, 0},
}

// lossOnce sorts on devices some of which are lost before call k, calls check with what
// the sort left, and reports how many calls there are.
func lossOnce(t *testing.T, shape int, k int, lost []int, hostCopies bool, check func(e *Engine, what string, err error, whole bool)) int {
	t.Helper()
	s := lossShapes[shape]
	drv := newGroupFake(fake.Linked, s.n)
	f := fault.At(drv, k, func() {
		for _, d := range lost {
			drv.Lose(d)
		}
	})
	e, err := groupEngine(t, f, 0, nil)
	if err != nil {
		return f.Calls()
	}
	e.exec.Sizes.HalveFrom, e.exec.HostCopies = s.halve, hostCopies
	j, want := testJob(s.p)
	if s.name == "sorted" {
		fillKeys(j, groupInputs["sorted"])
		fillKeys(want, groupInputs["sorted"])
	}
	var pins []*Pinned
	if s.pinned {
		for i, x := range j.Extents() {
			if x.Bytes == 0 {
				continue
			}
			m, err := e.AllocPinned(x.Bytes)
			if err != nil { // lost before
				break
			}
			pins = append(pins, m)
			copy(unsafe.Slice((*byte)(m.Pointer()), x.Bytes), unsafe.Slice((*byte)(j.At[i]), x.Bytes))
			j.At[i] = m.Pointer()
		}
	}
	in := memoryOf(j, op.Use.Reads)
	_, err = e.Sort(context.Background(), j)
	what := fmt.Sprintf("call %d (%s), %v lost", k, f.Failed(), lost)
	if err == nil {
		if err := sameJob(j, want); err != nil {
			t.Errorf("%s: success, but %v", what, err)
		}
	} else {
		if !errors.Is(err, driver.ErrDeviceLost) || !strings.Contains(err.Error(), "fake:") {
			t.Errorf("%s: the error names no lost device: %v", what, err)
		}
		check(e, what, err, bytes.Equal(memoryOf(j, op.Use.Reads), in))
	}
	calls := f.Calls()
	for _, s := range e.known {
		_ = s.CloseLanes()
	}
	for _, m := range pins {
		_ = m.Close()
	}
	if drv.Live() != 0 {
		t.Errorf("%s: %d objects leaked", what, drv.Live())
	}
	_ = e.Close()
	return calls
}

// everyCall calls f with each call number k of a shape, in short tests with some.
func everyCall(t *testing.T, shape, step int, f func(k int)) {
	t.Helper()
	calls := lossOnce(t, shape, 0, nil, false, func(_ *Engine, what string, err error, _ bool) {
		t.Fatalf("%s: failed without a fault: %v", what, err)
	})
	if !testing.Short() {
		step = 1
	}
	for k := 1; k <= calls; k += step {
		f(k)
	}
}

// TestGroupLosesOne loses one device at every call: the slice is sorted or whole, and the
// other devices sort by themselves.
func TestGroupLosesOne(t *testing.T) {
	for i, shape := range lossShapes {
		t.Run(shape.name, func(t *testing.T) {
			everyCall(t, i, 61, func(k int) {
				for d := range shape.n {
					lossOnce(t, i, k, []int{d}, false, func(e *Engine, what string, err error, whole bool) {
						if !whole || errors.Is(err, driver.ErrInputLost) {
							t.Errorf("%s: the slice is not the input after %v", what, err)
						}
						j, want := testJob(shape.p)
						other := e.group.list[(d+1)%shape.n]
						if err := other.Session.Sort(context.Background(), j, &exec.Result{}); err != nil {
							t.Errorf("%s: %s by itself: %v", what, other.ID(), err)
						} else if err := sameJob(j, want); err != nil {
							t.Errorf("%s: %s by itself: %v", what, other.ID(), err)
						}
					})
				}
			})
		})
	}
}

// TestGroupLosesAll loses all devices at every call. The slice is whole as long as any of
// them still has to make its part, and if the host has made copies. Else the error says
// that the input is lost, of which items, and the host does not sort what is left.
func TestGroupLosesAll(t *testing.T) {
	for i, shape := range lossShapes {
		t.Run(shape.name, func(t *testing.T) {
			all := make([]int, shape.n)
			for d := range all {
				all[d] = d
			}
			lost := 0
			everyCall(t, i, 13, func(k int) {
				lossOnce(t, i, k, all, false, func(e *Engine, what string, err error, whole bool) {
					if !errors.Is(err, driver.ErrInputLost) {
						if !whole {
							t.Errorf("%s: the slice is not the input after %v", what, err)
						}
						return
					}
					lost++
					if !strings.Contains(err.Error(), fmt.Sprintf("to %d of the slice", shape.p.Items)) && !strings.Contains(err.Error(), "items 0 to") {
						t.Errorf("%s: the error does not say what is lost: %v", what, err)
					}
					for _, makes := range []string{"Launch", "CopyPeer", "Queue.Copy ", "CopyIn"} {
						if strings.Contains(what, makes) {
							t.Errorf("%s: the slice was written before the parts were made: %v", what, err)
						}
					}
				})
				lossOnce(t, i, k, all, true, func(e *Engine, what string, err error, whole bool) {
					if !whole || errors.Is(err, driver.ErrInputLost) {
						t.Errorf("%s, copies by the host: the slice is not the input after %v", what, err)
					}
				})
			})
			if lost == 0 {
				t.Error("no call lost the input: the test saw none of the last copies")
			}
		})
	}
}

// TestInputLostIsFinal: under auto the host does not sort a slice whose input is lost.
func TestInputLostIsFinal(t *testing.T) {
	p := lossShapes[0].p
	seen := false
	for k := 600; k < 1400 && !seen; k += 7 {
		drv := newGroupFake(fake.Linked, 2)
		f := fault.At(drv, k, func() { drv.Lose(0); drv.Lose(1) })
		e, err := groupEngine(t, f, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		j, _ := testJob(p)
		e.auto = true // as if auto had chosen the group
		r, err := e.Sort(context.Background(), j)
		if errors.Is(err, driver.ErrInputLost) {
			seen = true
		}
		if r.Fallback != "" && strings.Contains(r.Fallback, "input lost") {
			t.Errorf("call %d: the host sorted what was left: %s", k, r.Fallback)
		}
		_ = e.Close()
	}
	if !seen {
		t.Error("no call lost the input")
	}
}

// TestGroupMirrors: members keep the shares' input where they reach each other and have
// the memory, and only then.
func TestGroupMirrors(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 2000}
	for name, c := range map[string]struct {
		links  fake.Links
		n      int
		memory uint64
		p      plan.Problem
		host   bool
		want   int // peer copies of shares
	}{
		"linked":          {fake.Linked, 2, 1 << 30, p, false, 2},
		"three":           {fake.Linked, 3, 1 << 30, p, false, 3},
		"eight":           {fake.Linked, 8, 1 << 30, p, false, 8},
		"relayed":         {fake.Relayed, 2, 1 << 30, p, false, 0},
		"unlinked":        {fake.Unlinked, 2, 1 << 30, p, false, 0},
		"copies by host":  {fake.Linked, 2, 1 << 30, p, true, 0},
		"little memory":   {fake.Linked, 2, 40000, p, false, 0},
		"enough memory":   {fake.Linked, 2, 60000, p, false, 2},
		"argsort":         {fake.Linked, 2, 1 << 30, plan.Problem{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Items: 2000}, false, 0},
		"pairs of values": {fake.Linked, 2, 1 << 30, plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: 2000}, false, 4},
	} {
		tr := trace.New(newGroupFake(c.links, c.n, c.memory))
		e, err := groupEngine(t, tr, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		e.exec.HostCopies = c.host
		for range 2 { // the second sort finds what the first has left
			tr.Reset()
			groupSortOnce(t, e, c.p, groupInputs["sorted"], name)
			peers, before := 0, map[string]string{} // by queue: the last call
			for _, entry := range tr.Entries() {
				if strings.HasSuffix(entry.Method, "CopyPeer") {
					peers++
					if b := before[entry.On]; b != "Queue.Wait" && b != entry.Method {
						t.Errorf("%s: a copy of a share is behind %q, not behind the upload: %v", name, b, entry)
					}
				}
				before[entry.On] = entry.Method
			}
			if peers != c.want {
				t.Errorf("%s: %d copies between devices for sorted input, want %d", name, peers, c.want)
			}
		}
		if err := e.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
}

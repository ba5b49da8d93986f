package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// byHost sorts in two host steps, each of which checks what the step before it
// left in device memory.
var byHost = func() algo.Algorithm {
	a := inMemory
	a.Name = "by-host"
	a.Plan = func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
		b := plan.NewBuilder("by-host", p)
		if p.Items == 0 {
			return b.Plan(), nil
		}
		keys, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
		mark := b.Scratch("mark", 64)
		b.Memset("mark", mark, 0x11111111, 64)
		uses := []plan.Use{{Ref: mark, Bytes: 64, Reads: true}, {Ref: mark, Bytes: 64, Writes: true}, {Ref: keys, Bytes: p.KeyBytes(), Reads: true, Writes: p.Mode != plan.Argsort}}
		if p.ValueBytes != 0 {
			uses = append(uses, plan.Use{Ref: values, Bytes: p.ValuesBytes(), Reads: p.Mode == plan.Pairs, Writes: true})
		}
		vals := []uint64{p.Items, uint64(p.Type), uint64(p.Mode), uint64(p.ValueBytes)}
		b.Host("sort", "sort", append(vals, 0x11), uses...)
		b.Host("sort again", "sort", append(vals, 0x22), uses...)
		return b.Plan(), nil
	}
	a.HostSteps = map[string]algo.HostStep{"sort": func(r [][]byte, vals []uint64) error {
		for _, x := range r[0] {
			if x != byte(vals[4]) {
				return errors.New("the mark is not the one of the step before")
			}
		}
		for i := range r[1] {
			r[1][i] = byte(vals[4]) * 2
		}
		j := op.Job{Spec: plan.Problem{Items: vals[0], Type: key.Type(vals[1]), Mode: plan.Mode(vals[2]), ValueBytes: int(vals[3])}, At: op.Memory{unsafe.Pointer(&r[2][0])}}
		if len(r) > 3 {
			j.At[op.ValuesIO] = unsafe.Pointer(&r[3][0])
		}
		SortHost(j)
		return nil
	}}
	return a
}()

// TestHostSteps: copies, waits and calls are in order, the memory for them is
// made once, and no graph is tried.
func TestHostSteps(t *testing.T) {
	tr := trace.New(newFake())
	e, err := fakeEngineOf(tr, 0, byHost)
	if err != nil {
		t.Fatal(err)
	}
	for range exec.GraphAfter + 2 {
		for _, p := range []plan.Problem{{Type: key.I64, Items: 100}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 4, Items: 100}, {Type: key.U8, Mode: plan.Argsort, ValueBytes: 8, Items: 33}} {
			j, want := testJob(p)
			if _, err := e.Sort(context.Background(), j); err != nil {
				t.Fatal(err)
			}
			if err := sameJob(j, want); err != nil {
				t.Error(err)
			}
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	calls := tr.String()
	if n := strings.Count(calls, "AllocHost"); n > 3*2 {
		t.Errorf("page-locked memory was made %d times", n)
	}
	if strings.Contains(calls, "Capture") {
		t.Error("a graph was tried")
	}
}

func TestHostStepErrors(t *testing.T) {
	broken := byHost
	broken.HostSteps = map[string]algo.HostStep{"sort": func([][]byte, []uint64) error { return errors.New("the host is on fire") }}
	none := byHost
	none.HostSteps = nil
	for _, c := range []struct {
		a    algo.Algorithm
		want string
	}{{broken, "host function sort: the host is on fire"}, {none, `calls the host function "sort", which the algorithm does not have`}} {
		drv := newFake()
		e, err := fakeEngineOf(drv, 0, c.a)
		if err != nil {
			t.Fatal(err)
		}
		j, _ := testJob(plan.Problem{Type: key.U32, Items: 100})
		in := string(bytesOf(j))
		if _, err := e.Sort(context.Background(), j); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if string(bytesOf(j)) != in {
			t.Error("the slice is not the input")
		}
		if err := e.Close(); err != nil || drv.Live() != 0 {
			t.Errorf("%v, %d objects left", err, drv.Live())
		}
	}
}

// TestHostStepsDirect: bytes and time are told, and a graph is refused.
func TestHostStepsDirect(t *testing.T) {
	drv := newFake()
	e, err := fakeEngineOf(drv, 0, byHost)
	if err != nil {
		t.Fatal(err)
	}
	slow := byHost
	slow.HostSteps = map[string]algo.HostStep{"sort": func(r [][]byte, vals []uint64) error {
		time.Sleep(2 * time.Millisecond)
		return byHost.HostSteps["sort"](r, vals)
	}}
	p := plan.Problem{Type: key.U32, Items: 100}
	d, err := e.Prepare(slow, p, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Plan().HostBytes(); got != 2*(64+64+2*400) || d.Plan().MinBytes() != got+64 {
		t.Errorf("%d bytes for the host, %d in all", got, d.Plan().MinBytes())
	}
	dev := e.Device()
	q, err := dev.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := dev.Alloc(400)
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := dev.Alloc(d.Plan().ScratchBytes)
	if err != nil {
		t.Fatal(err)
	}
	j, want := testJob(p)
	if err := q.CopyIn(keys, 0, j.At[op.KeysIO], 400); err != nil {
		t.Fatal(err)
	}
	d.Bind(exec.Places{plan.KeysIO: {Buf: keys}, plan.Scratch: {Buf: scratch}})
	steps := 0
	if err := d.SubmitSteps(t.Context(), q, func(int) error { steps++; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := q.CopyOut(j.At[op.KeysIO], keys, 0, 400); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Synchronize(), sameJob(j, want)); err != nil || steps != 4 {
		t.Errorf("%v after %d steps", err, steps)
	}
	if err := d.Submit(t.Context(), q); err != nil || d.HostTime() < 4*time.Millisecond {
		t.Errorf("%v, %v on the host", err, d.HostTime())
	}
	if err := d.SubmitGraph(t.Context(), q); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "host steps") {
		t.Errorf("graph: %v", err)
	}
	d.Close()
	if err := errors.Join(keys.Close(), scratch.Close(), q.Close(), e.Close()); err != nil || drv.Live() != 0 {
		t.Errorf("%v, %d objects left", err, drv.Live())
	}
}

// TestSkip: what a skip leaves out is left out where its word is 0, and what comes behind it runs.
func TestSkip(t *testing.T) {
	for _, c := range []struct {
		outer, inner uint32
		want         string
	}{{0, 0, "behind"}, {0, 1, "behind"}, {1 << 31, 0, "outer, behind"}, {1, 1 << 8, "outer, inner, behind"}} {
		var ran []string
		a := inMemory
		a.Name, a.HostSteps = "skipping", map[string]algo.HostStep{"note": func(_ [][]byte, vals []uint64) error {
			ran = append(ran, []string{"outer", "inner", "behind"}[vals[0]])
			return nil
		}}
		a.Plan = func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
			b := plan.NewBuilder("skipping", p)
			words := b.Scratch("words", 8)
			b.Memset("outer", words, c.outer, 4)
			b.Memset("inner", words.Add(4), c.inner, 4)
			b.SkipIfZero("outer", words, func() {
				b.Host("outer", "note", []uint64{0})
				b.SkipIfZero("inner", words.Add(4), func() { b.Host("inner", "note", []uint64{1}) })
			})
			b.Host("behind", "note", []uint64{2})
			return b.Plan(), nil
		}
		drv := newFake()
		e, err := fakeEngineOf(drv, 0, a)
		if err != nil {
			t.Fatal(err)
		}
		j, _ := testJob(plan.Problem{Type: key.U32, Items: 100})
		if _, err := e.Sort(t.Context(), j); err != nil {
			t.Error(err)
		}
		if got := strings.Join(ran, ", "); got != c.want {
			t.Errorf("words %#x and %#x: %s ran, want %s", c.outer, c.inner, got, c.want)
		}
		if err := e.Close(); err != nil || drv.Live() != 0 {
			t.Errorf("%v, %d objects left", err, drv.Live())
		}
	}
}

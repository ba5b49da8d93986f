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
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// newGroupFake has so many devices with inMemory's and merge-path's kernels; memory, if
// given, is that of the last one.
func newGroupFake(links fake.Links, n int, memory ...uint64) *fake.Driver {
	list := make([]driver.Caps, n)
	for i := range list {
		list[i] = fake.Caps()
		list[i].MaxThreadsPerBlock = 32
	}
	for _, m := range memory {
		list[n-1].GlobalBytes = m
	}
	return groupFakeOf(links, list)
}

// groupFakeOf is newGroupFake with these capabilities.
func groupFakeOf(links fake.Links, list []driver.Caps) *fake.Driver {
	d := fake.NewLinked(links, list...)
	registerInMemory(d)
	for _, bits := range []int{8, 16, 32, 64} {
		for _, v := range []int{0, 4, 8} {
			registerTwo(d, bits, v)
		}
	}
	if links == fake.Linked && list[0].MaxThreadsPerBlock >= layout.ElementsThreads { // else the host numbers an argsort's items
		registerPlaces[uint32](d, "gs_elements_pairs_64_pairs32")
		registerPlaces[uint64](d, "gs_elements_pairs_64_pairs64")
	}
	return d
}

// registerPlaces has the kernel of merge.PlanPlaces.
func registerPlaces[V uint32 | uint64](d *fake.Driver, name string) {
	d.Register(name, func(b *fake.Block) {
		if b.ID.X != 0 {
			return
		}
		n := b.Uint(4)
		copy(fake.Slice[uint64](b, 1)[:n], fake.Slice[uint64](b, 0)[:n])
		for i := range n {
			fake.Slice[V](b, 2)[i] = V(b.Uint(3) + i)
		}
	})
}

// registerTwo has the kernels of merge.PlanTwo for one pair of runs of keys of so many
// bits, with values of so many bytes.
func registerTwo(d *fake.Driver, bits, valueBytes int) {
	suffix := map[int]string{0: "keys", 4: "pairs32", 8: "pairs64"}[valueBytes]
	width := uint64(bits / 8)
	at := func(b []byte, i uint64) (u uint64) {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&u)), 8), b[i*width:(i+1)*width])
		return u
	}
	if valueBytes == 0 {
		d.Register(fmt.Sprintf("gs_merge_partition_%d_keys", bits), func(b *fake.Block) {
			if b.ID.X != 0 {
				return
			}
			in, splits := b.Bytes(0), fake.Slice[uint64](b, 1)
			n, run, tiles, tile := b.Uint(2), b.Uint(3), b.Uint(5), b.Uint(6)
			i := uint64(0)
			for t := range tiles {
				diagonal := min(t*tile, n)
				for ; i < run && (diagonal > i+n-run || i < diagonal && at(in, i) <= at(in, run+diagonal-1-i)); i++ {
				}
				splits[t] = i
			}
		})
	}
	d.Register(fmt.Sprintf("gs_merge_pass_%d_%s", bits, suffix), func(b *fake.Block) {
		arg, v := 2, uint64(valueBytes)
		in, out := b.Bytes(0), b.Bytes(1)
		var valuesIn, valuesOut []byte
		items := uint64(len(b.Shared))/width - 32
		if v != 0 {
			valuesIn, valuesOut, arg = b.Bytes(2), b.Bytes(3), 4
			items = (uint64(len(b.Shared))/32*32 - 32*max(width, v)) / (max(width, v) + 2)
		}
		splits := fake.Slice[uint64](b, arg)
		n, run, tiles := b.Uint(arg+1), b.Uint(arg+2), b.Uint(arg+4)
		tile := items / 32 * 32
		if n-run > run {
			panic("the second run is the longer one")
		}
		complement := byte(0)
		switch key.Codec(b.Uint(arg + 5)) {
		case key.CodecUnsigned:
		case key.CodecDesc:
			complement = 0xff
		default:
			panic("another codec")
		}
		put := func(to, from uint64) {
			for i := range width {
				out[to*width+i] = in[from*width+i] ^ complement
			}
			copy(valuesOut[min(to*v, uint64(len(valuesOut))):min((to+1)*v, uint64(len(valuesOut)))], valuesIn[from*v:])
		}
		for t := uint64(b.ID.X); t < tiles; t += uint64(b.Grid.X) {
			diagonal, end := t*tile, min(t*tile+tile, n)
			a, last := splits[t], run
			if end != n {
				last = splits[t+1]
			}
			c, lastB := run+diagonal-a, run+end-last
			for i := diagonal; i < end; i++ {
				if a < last && (c >= lastB || at(in, a) <= at(in, c)) {
					put(i, a)
					a++
				} else {
					put(i, c)
					c++
				}
			}
		}
	})
}

// groupEngine is an engine on all of drv's devices.
func groupEngine(t testing.TB, drv driver.Driver, limit uint64, with func(*Config)) (*Engine, error) {
	t.Helper()
	c := Config{Device: "fake:all", Drivers: []driver.Driver{drv}, Images: fakeImages, MemoryLimit: limit, Workers: 3, Algorithms: inMemories}
	if with != nil {
		with(&c)
	}
	e, err := New(c)
	if err == nil {
		e.exec.Sizes = smallSizes
		z := &e.exec.Sizes
		z.ShareFrom, z.ChunkFrom, z.SameUnit, z.LeastPiece = 1, 64, 64, 16
	}
	return e, err
}

// fillKeys overwrites a job's keys by key number i of n.
func fillKeys(j op.Job, f func(i, n uint64) uint64) {
	w := uint64(j.Type.Bytes())
	for i := range j.Items {
		u := f(i, j.Items)
		copy(unsafe.Slice((*byte)(unsafe.Add(j.At[op.KeysIO], i*w)), w), unsafe.Slice((*byte)(unsafe.Pointer(&u)), w))
	}
}

// groupInputs are keys that exchanges find easy or hard; nil: those of testInput.
var groupInputs = map[string]func(i, n uint64) uint64{
	"mixed":    nil,
	"constant": func(i, n uint64) uint64 { return 5 },
	"sorted":   func(i, n uint64) uint64 { return i },
	"reversed": func(i, n uint64) uint64 { return n - i },
	"two":      func(i, n uint64) uint64 { return i * 7 % 5 % 2 },
	"coarse":   func(i, n uint64) uint64 { return i/((n+7)/8)<<20 - i },
	"largest":  func(i, n uint64) uint64 { return ^uint64(0) - i*2654435761%3 },
	"heavy":    func(i, n uint64) uint64 { return i * 2654435761 % 1000 * (i % 2) },
	"spread":   func(i, n uint64) uint64 { return (i*0x9e3779b97f4a7c15 + 12345) ^ i<<7 },
}

// groupProblems are all types, modes, widths and orders, turn by turn.
func groupProblems(items uint64) (out []plan.Problem) {
	for i, r := range key.Table() {
		for m := range 3 {
			for _, width := range []int{4, 8} {
				p := plan.Problem{Type: r.Type, Mode: plan.Mode(m), Items: items, Order: key.Order{Desc: i%3 == 1 && m != 0, NaNLast: m == 1}}
				if p.Mode == plan.Keys && width == 8 {
					p.Order.Desc = true
				} else if p.Mode != plan.Keys {
					p.ValueBytes = width
				}
				if p.Type != key.I16 {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// TestGroup sorts on 2 to 8 devices, linked and not, with and without memory beside the
// shares: all types and modes, many inputs; the result is the host's.
func TestGroup(t *testing.T) {
	turn := 0
	for _, n := range []int{2, 3, 4, 8} {
		for links, name := range []string{"unlinked", "relayed", "linked"} {
			t.Run(fmt.Sprintf("%d/%s", n, name), func(t *testing.T) {
				for input, f := range groupInputs {
					drv := newGroupFake(fake.Links(links), n)
					e, err := groupEngine(t, drv, 0, nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range groupProblems(3000) {
						if turn++; testing.Short() && turn%7 != 0 {
							continue
						}
						p.Items = []uint64{3000, 2999, 64, 2*uint64(n) + 1, 1201}[turn%5]
						e.exec.Sizes.HalveFrom, e.exec.Sizes.RunItems = uint64(turn%2*1000), uint64(turn%3*600)
						groupSortOnce(t, e, p, f, fmt.Sprintf("%s %v %v %d %+v n=%d", input, p.Type, p.Mode, p.ValueBytes, p.Order, p.Items))
					}
					if err := e.Close(); err != nil || drv.Live() != 0 {
						t.Errorf("close: %v, %d objects leaked", err, drv.Live())
					}
				}
			})
		}
	}
}

// groupSortOnce sorts one input and compares with the host's sort.
func groupSortOnce(t *testing.T, e *Engine, p plan.Problem, f func(i, n uint64) uint64, what string) Report {
	t.Helper()
	j, want := testInput(p), testInput(p)
	if f != nil {
		fillKeys(j, f)
		fillKeys(want, f)
	}
	SortHost(want)
	r, err := e.Sort(context.Background(), j)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := sameJob(j, want); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if r.Device != e.group.ID() {
		t.Errorf("%s: on %s", what, r.Device)
	}
	return r
}

// TestGroupLimited sorts with less and less memory: with no room beside the shares, then
// in rounds, then by one device in pieces; and with a last device that has little.
func TestGroupLimited(t *testing.T) {
	pieces := map[int]bool{}
	for _, n := range []int{2, 3} {
		for i, limit := range []uint64{0, 36000, 30000, 24000, 18000, 12000, 9000} {
			if testing.Short() && (i+n)%3 != 0 {
				continue
			}
			for name, memory := range map[string]uint64{"even": 1 << 30, "uneven": 20000} {
				for i, p := range []plan.Problem{
					{Type: key.U64}, {Type: key.U32}, {Type: key.F32, Order: key.Order{Desc: true}},
					{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I64, Mode: plan.Argsort, ValueBytes: 4}, {Type: key.U32, Mode: plan.Argsort, ValueBytes: 8},
				} {
					drv := newGroupFake(fake.Linked, n, memory)
					e, err := groupEngine(t, drv, limit, nil)
					if err != nil {
						t.Fatal(err)
					}
					for input, f := range groupInputs {
						p.Items = uint64(2000 + i)
						r := groupSortOnce(t, e, p, f, fmt.Sprintf("%d devices, limit %d, %s memory, %s %v %v", n, limit, name, input, p.Type, p.Mode))
						pieces[r.Pieces] = true
					}
					if err := e.Close(); err != nil || drv.Live() != 0 {
						t.Errorf("close: %v, %d objects leaked", err, drv.Live())
					}
				}
			}
		}
	}
	if !pieces[1] || len(pieces) < 4 {
		t.Errorf("numbers of pieces: %v", pieces)
	}
}

// TestGroupFaults fails the k-th driver call of a sort on two and three devices for every
// k, once, for good and for want of memory: the slice holds the input or the output,
// nothing leaks, the error names a device, and the engine sorts again if the fault is gone.
func TestGroupFaults(t *testing.T) {
	kinds := []struct {
		name string
		make func(driver.Driver, int, *driver.Error) *fault.Driver
		err  driver.Error
		host bool // safety copies by the host: see TestGroupLosesAll for those by the devices
	}{
		{"once", fault.New, driver.Error{Name: "BROKEN", Code: 99}, false},
		{"once, copies by the host", fault.New, driver.Error{Name: "BROKEN", Code: 99}, true},
		{"lost", fault.Lost, driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost}, true},
		{"memory", fault.New, driver.Error{Name: "NO_MEMORY", Code: 4, Class: driver.ErrOutOfMemory}, false},
	}
	shapes := []struct {
		name  string
		n     int
		links fake.Links
		limit uint64
		p     plan.Problem
	}{
		{"keys", 2, fake.Linked, 0, plan.Problem{Type: key.U64, Items: 700}},
		{"keys of three", 3, fake.Relayed, 0, plan.Problem{Type: key.U32, Items: 400}},
		{"through the host", 2, fake.Unlinked, 0, plan.Problem{Type: key.U32, Items: 400}},
		{"in place", 2, fake.Linked, 9000, plan.Problem{Type: key.U64, Items: 700}},
		{"pairs", 2, fake.Linked, 0, plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: 500}},
		{"argsort", 2, fake.Linked, 0, plan.Problem{Type: key.I32, Mode: plan.Argsort, ValueBytes: 8, Items: 400}},
		{"pieces", 2, fake.Linked, 4000, plan.Problem{Type: key.U64, Items: 700}},
	}
	for _, kind := range kinds {
		for _, shape := range shapes {
			t.Run(kind.name+"/"+shape.name, func(t *testing.T) {
				calls, step := 1, 1
				for k := 0; k <= calls; k += step {
					drv := newGroupFake(shape.links, shape.n)
					f := kind.make(drv, k, &kind.err)
					err := groupFaultOnce(t, drv, f, shape.limit, shape.p, k, kind.host)
					if k == 0 {
						if calls = f.Calls(); err != nil {
							t.Fatal("the sort failed without a fault: ", err)
						}
						if testing.Short() {
							step = 41
						}
					}
				}
				t.Logf("%d calls", calls)
			})
		}
	}
}

func groupFaultOnce(t *testing.T, drv *fake.Driver, f *fault.Driver, limit uint64, p plan.Problem, k int, host bool) error {
	t.Helper()
	e, err := groupEngine(t, f, limit, nil)
	if err != nil {
		return err
	}
	e.exec.Sizes.HalveFrom, e.exec.HostCopies = 1000, host
	j, want := testJob(p)
	in := memoryOf(j, op.Use.Reads)
	_, err = e.Sort(context.Background(), j)
	what := fmt.Sprintf("call %d (%s)", k, f.Failed())
	if err == nil {
		if err := sameJob(j, want); err != nil {
			t.Errorf("%s: success, but %v", what, err)
		}
	} else {
		var de *driver.Error
		if !errors.As(err, &de) {
			t.Errorf("%s: the error is no driver.Error: %v", what, err)
		}
		if !strings.Contains(err.Error(), "fake:") {
			t.Errorf("%s: the error names no device: %v", what, err)
		}
		if got := memoryOf(j, op.Use.Reads); !bytes.Equal(got, in) {
			t.Errorf("%s: after %v the slice is not the input", what, err)
		}
		if de != nil && de.Class != driver.ErrDeviceLost {
			again, want := testJob(p)
			if _, err := e.Sort(context.Background(), again); err != nil {
				t.Errorf("%s: the next sort: %v", what, err)
			} else if err := sameJob(again, want); err != nil {
				t.Errorf("%s: the next sort: %v", what, err)
			}
		}
	}
	for _, s := range e.known {
		_ = s.CloseLanes() // the fault may hit here
	}
	if n := drv.Live(); n != 0 {
		t.Errorf("%s: %d objects leaked", what, n)
	}
	_ = e.Close()
	return err
}

// TestGroupCancelled ends the context at every look of a sort.
func TestGroupCancelled(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 700}
	for n := 0; ; n++ {
		drv := newGroupFake(fake.Linked, 2)
		e, err := groupEngine(t, drv, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		j, want := testJob(p)
		in := bytesOf(j)
		_, err = e.Sort(&cancelAfter{Context: context.Background(), n: n}, j)
		if err == nil {
			if err := sameJob(j, want); err != nil {
				t.Error(err)
			}
			if n < 10 {
				t.Errorf("the context was looked at %d times only", n)
			}
		} else if !errors.Is(err, context.Canceled) || !bytes.Equal(bytesOf(j), in) {
			t.Fatalf("look %d: %v", n, err)
		}
		if e := e.Close(); e != nil || drv.Live() != 0 {
			t.Fatalf("look %d: close: %v, %d objects leaked", n, e, drv.Live())
		}
		if err == nil {
			return
		}
	}
}

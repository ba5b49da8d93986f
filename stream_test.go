package gpusort

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// onFake makes a Sorter of a device in memory, which does nothing before it is waited for.
// Its kernel sorts uint32 keys, by way of scratch that it shares with other sorts.
func onFake(t *testing.T, d *fake.Driver) *Sorter {
	d.Register("gs_fake_test_sort", func(b *fake.Block) {
		n := b.Uint(2)
		alt, keys := fake.Slice[uint32](b, 0)[:n], fake.Slice[uint32](b, 1)[:n]
		copy(alt, keys)
		slices.Sort(alt)
		copy(keys, alt)
	})
	a := algo.Algorithm{
		Name: "test", Doc: "test double", Source: "none", Backends: []string{"fake"},
		Supports: func(p plan.Problem, _ driver.Caps) error {
			if p.Type != key.U32 || p.Mode != plan.Keys {
				return algo.Unsupported("test: only u32 keys")
			}
			return nil
		},
		Plan: func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
			b := plan.NewBuilder("test", p)
			alt := b.Scratch("keys", p.KeyBytes())
			b.Launch("sort", kernel.Plain("fake", "test_sort"), 1, 1, 2*p.KeyBytes(), plan.At(alt), plan.At(plan.Ref{Region: plan.KeysIO}), plan.U64(p.Items))
			return b.Plan(), nil
		},
	}
	s, err := New(WithDevice("fake:0"), func(set *settings) {
		set.Drivers, set.Algorithms = []driver.Driver{d}, []algo.Algorithm{a}
		set.Images = func(string, string) ([]driver.Image, error) { return []driver.Image{{Name: "fake"}}, nil }
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// must1 is the first of a call's results.
func must1[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestStream: sorts are in order with the owner's work in the queue, return before the
// device has done them, and share scratch that grows.
func TestStream(t *testing.T) {
	d := fake.New()
	s := onFake(t, d)
	own := must1[*Stream](t)(NewStream(s))
	st := must1[*Stream](t)(WrapStream(s, own.Handle()))
	if st.Handle() == 0 || st.Handle() != own.Handle() {
		t.Errorf("handles %#x and %#x", st.Handle(), own.Handle())
	}
	ctx := t.Context()
	var buffers []*Buffer[uint32]
	var pending []*Pending
	var want [][]uint32
	for i, n := range []int{5, 3, 1000, 2, 0} {
		x := make([]uint32, n)
		for k := range x {
			x[k] = uint32(k*7919+i) % 101
		}
		b := must1[*Buffer[uint32]](t)(NewBuffer[uint32](s, n))
		if err := b.Upload(ctx, x); err != nil {
			t.Fatal(err)
		}
		p := must1[*Pending](t)(SortBufferOn(ctx, []*Stream{st, own}[i%2], b))
		slices.Sort(x)
		buffers, pending, want = append(buffers, b), append(pending, p), append(want, x)
	}
	if done, err := pending[3].Done(); done || err != nil {
		t.Errorf("done at once: %v, %v", done, err)
	}
	for i := range pending {
		i = len(pending) - 1 - i
		r, err := pending[i].Wait()
		again, err2 := pending[i].Wait()
		if err != nil || err2 != nil || r != again || r.Device != "fake:0" || r.Algorithm != "test" || r.Items != uint64(len(want[i])) || s.Last() != r {
			t.Errorf("%+v, then %+v, %v, %v", r, again, err, err2)
		}
		got := make([]uint32, len(want[i]))
		if err := buffers[i].Download(ctx, got); err != nil || !slices.Equal(got, want[i]) {
			t.Errorf("sort %d: %v, %v", i, got, err)
		}
		if done, err := pending[i].Done(); !done || err != nil {
			t.Errorf("not done after Wait: %v", err)
		}
	}
	// What is in the queue when its Buffer is closed is done.
	last := must1[*Buffer[uint32]](t)(NewBuffer[uint32](s, 9))
	p := must1[*Pending](t)(SortBufferOn(ctx, st, last))
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
	for _, b := range buffers {
		b.Close()
	}
	if err := errors.Join(st.Close(), st.Close(), own.Close(), s.Close()); err != nil || d.Live() != 0 {
		t.Errorf("%d objects left, %v", d.Live(), err)
	}
	if own.Handle() != 0 {
		t.Error("a closed Stream has a handle")
	}
}

// TestDevicePointer: what one Sorter's Buffer names, another library's wrap finds.
func TestDevicePointer(t *testing.T) {
	s := onFake(t, fake.New())
	defer s.Close()
	ctx := t.Context()
	b := must1[*Buffer[uint32]](t)(NewBuffer[uint32](s, 10))
	if err := b.Upload(ctx, []uint32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}); err != nil {
		t.Fatal(err)
	}
	at := must1[uintptr](t)(b.Slice(4, 8).DevicePointer())
	if all := must1[uintptr](t)(b.DevicePointer()); at != all+16 {
		t.Errorf("the slice is at %#x, the buffer at %#x", at, all)
	}
	w := must1[*Buffer[uint32]](t)(WrapDevicePointer[uint32](s, at, 4))
	if err := SortBuffer(ctx, w); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, 10)
	if err := b.Download(ctx, got); err != nil || !slices.Equal(got, []uint32{9, 8, 7, 6, 2, 3, 4, 5, 1, 0}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestStreamErrors: each error says what is wrong, and its class.
func TestStreamErrors(t *testing.T) {
	ctx := t.Context()
	s, other := onFake(t, fake.New()), onFake(t, fake.New())
	defer other.Close()
	host := must1[*Sorter](t)(New(WithDevice("cpu")))
	defer host.Close()
	st := must1[*Stream](t)(NewStream(s))
	b, far := must1[*Buffer[uint32]](t)(NewBuffer[uint32](s, 4)), must1[*Buffer[uint32]](t)(NewBuffer[uint32](other, 4))
	onHost := must1[*Buffer[uint32]](t)(NewBuffer[uint32](host, 4))
	halves := must1[*Buffer[Float16]](t)(NewBuffer[Float16](s, 4))
	closed := must1[*Buffer[uint32]](t)(NewBuffer[uint32](s, 4))
	closed.Close()
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		what  string
		err   error
		class error
		text  string
	}{
		{"a closed buffer", second(SortBufferOn(ctx, st, closed)), ErrClosed, "SortBufferOn"},
		{"its pointer", second(closed.DevicePointer()), ErrClosed, "Buffer.DevicePointer"},
		{"another sorter's buffer", second(SortBufferOn(ctx, st, far)), ErrUnsupported, "another device than the stream"},
		{"a host buffer", second(SortBufferOn(ctx, st, onHost)), ErrUnsupported, "another device than the stream"},
		{"its pointer", second(onHost.DevicePointer()), ErrNoDevice, "host memory"},
		{"keys that no device has", second(SortBufferOn(ctx, st, halves)), ErrUnsupported, "f16"},
		{"values that overlap", second(SortPairsBufferOn(ctx, st, b, b)), ErrUnsupported, "overlap"},
		{"lengths", second(ArgsortBufferOn(ctx, st, b.Slice(1, 2), b)), nil, "same length"},
		{"no device", second(NewStream(host)), ErrNoDevice, "name one"},
		{"a wrong handle", second(WrapStream(s, 1)), nil, "handle"},
		{"a nil stream", second(SortBufferOn(ctx, nil, b)), ErrClosed, "NewStream"},
		{"a zero pending", second(new(Pending).Wait()), ErrClosed, "SortBufferOn"},
	} {
		if c.err == nil || c.class != nil && !errors.Is(c.err, c.class) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v, want one with %q of class %v", c.what, c.err, c.text, c.class)
		}
	}
	p := must1[*Pending](t)(SortBufferOn(ctx, st, b))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); !errors.Is(err, ErrClosed) {
		t.Errorf("wait after the Sorter's close: %v", err)
	}
	if _, err := SortBufferOn(ctx, st, b); !errors.Is(err, ErrClosed) {
		t.Errorf("sort after the Sorter's close: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

package gpusort_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort"
)

// TestNilAndZero: what New and its like did not make returns ErrClosed.
func TestNilAndZero(t *testing.T) {
	ctx, x, idx := context.Background(), []uint32{2, 1}, []uint32{0, 0}
	good := newCPU(t)
	whole, err := gpusort.NewBuffer[uint32](good, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	for _, s := range []*gpusort.Sorter{nil, new(gpusort.Sorter)} {
		_, explain := gpusort.Explain[uint32](s, gpusort.ModeKeys, 2, 0)
		_, buffer := gpusort.NewBuffer[uint32](s, 2)
		_, wrap := gpusort.WrapDevicePointer[uint32](s, 0, 2)
		_, pinned := gpusort.AllocPinned[uint32](s, 2)
		for i, err := range []error{
			s.Close(), gpusort.SortWith(ctx, s, x), gpusort.SortPairsWith(ctx, s, x, idx),
			gpusort.SortPairsWith(ctx, s, x, []string{"", ""}), gpusort.ArgsortWith(ctx, s, idx, x),
			explain, buffer, wrap, pinned,
		} {
			if !errors.Is(err, gpusort.ErrClosed) {
				t.Errorf("Sorter, call %d: %v", i, err)
			}
		}
		if s.Last() != (gpusort.Report{}) || gpusort.IsSortedWith(s, x) {
			t.Error("a Sorter that sorted nothing has a report, or an order of its own")
		}
	}
	for _, b := range []*gpusort.Buffer[uint32]{nil, new(gpusort.Buffer[uint32])} {
		for i, err := range []error{
			b.Close(), gpusort.SortBuffer(ctx, b), b.Upload(ctx, nil), b.Download(ctx, nil), gpusort.SortBuffer(ctx, b.Slice(0, 0)),
			gpusort.SortPairsBuffer(ctx, b, whole), gpusort.SortPairsBuffer(ctx, whole, b),
			gpusort.ArgsortBuffer(ctx, b, whole), gpusort.ArgsortBuffer(ctx, whole, b),
		} {
			if !errors.Is(err, gpusort.ErrClosed) {
				t.Errorf("Buffer, call %d: %v", i, err)
			}
		}
		if b.Len() != 0 || b.OnHost() {
			t.Error("a Buffer of nothing has items or lies somewhere")
		}
	}
	for _, p := range []*gpusort.Pinned[uint32]{nil, new(gpusort.Pinned[uint32])} {
		if err := p.Close(); len(p.Slice()) != 0 || !errors.Is(err, gpusort.ErrClosed) {
			t.Errorf("Pinned: %v", err)
		}
	}
}

// TestNilOption: an option that is nil is an error of New and of ScratchBytes.
func TestNilOption(t *testing.T) {
	_, err := gpusort.New(gpusort.WithDevice("cpu"), nil)
	_, scratch := gpusort.ScratchBytes[uint32](gpusort.ModeKeys, 2, 0, nil)
	for want, err := range map[string]error{"gpusort: New: option 2 of 2 is nil: leave it out": err, "gpusort: ScratchBytes: option 1 of 1 is nil: leave it out": scratch} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOverlap: Buffers of one memory are refused if they have items in common.
func TestOverlap(t *testing.T) {
	ctx := context.Background()
	b, err := gpusort.NewBuffer[uint32](newCPU(t), 12)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for at := range 9 {
		k, v := b.Slice(4, 8), b.Slice(at, at+4)
		for _, err := range []error{gpusort.SortPairsBuffer(ctx, k, v), gpusort.ArgsortBuffer(ctx, v, k)} {
			if overlap := at > 0 && at < 8; errors.Is(err, gpusort.ErrUnsupported) != overlap || !overlap && err != nil {
				t.Errorf("[4:8] and [%d:%d]: %v", at, at+4, err)
			}
		}
	}
}

// TestManyWorkers: a number of workers beyond reason is no reason to fail.
func TestManyWorkers(t *testing.T) {
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithWorkers(math.MaxInt))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x := make([]uint64, 1<<17)
	for i := range x {
		x[i] = rand.Uint64()
	}
	if err := gpusort.SortWith(context.Background(), s, x); err != nil || !gpusort.IsSorted(x) {
		t.Errorf("not sorted, %v", err)
	}
}

// TestUnknownLevel: New refuses a GPUSORT_CPU that is no level, and takes any case.
func TestUnknownLevel(t *testing.T) {
	for name, ok := range map[string]bool{"AVX2": true, "plain": true, "sse": false} {
		t.Setenv("GPUSORT_CPU", name)
		s, err := gpusort.New(gpusort.WithDevice("cpu"))
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			s.Close()
		}
	}
}

func newCPU(t *testing.T) *gpusort.Sorter {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

package gpusort_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// eachSorter calls f with a Sorter on the CPU and on each device present.
func eachSorter(t *testing.T, f func(t *testing.T, s *gpusort.Sorter)) {
	list, err := gpusort.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, d := range list {
		t.Run(d.ID, func(t *testing.T) {
			s, err := gpusort.New(gpusort.WithDevice(d.ID), gpusort.WithDescending())
			if err != nil {
				t.Fatal(err)
			}
			f(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBuffers(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		ctx := context.Background()
		in := make([]int32, 10001)
		for i := range in {
			in[i] = int32(i*7919%1000 - 500)
		}
		want := slices.Clone(in)
		slices.SortFunc(want, func(a, b int32) int { return int(b) - int(a) })
		k, err := gpusort.NewBuffer[int32](s, len(in))
		if err != nil {
			t.Fatal(err)
		}
		idx, err := gpusort.NewBuffer[uint64](s, len(in))
		if err != nil {
			t.Fatal(err)
		}
		out, order := make([]int32, len(in)), make([]uint64, len(in))
		for _, step := range []struct {
			what string
			do   func() error
		}{
			{"upload", func() error { return k.Upload(ctx, in) }},
			{"argsort", func() error { return gpusort.ArgsortBuffer(ctx, idx, k) }},
			{"download of indices", func() error { return idx.Download(ctx, order) }},
			{"sort of pairs", func() error { return gpusort.SortPairsBuffer(ctx, k, idx) }},
			{"sort of a part", func() error { return gpusort.SortBuffer(ctx, k.Slice(10, 500)) }},
			{"sort", func() error { return gpusort.SortBuffer(ctx, k) }},
			{"download", func() error { return k.Download(ctx, out) }},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
		}
		if !slices.Equal(out, want) {
			t.Error("the sorted buffer is wrong")
		}
		for j := 1; j < len(order); j++ {
			a, b := order[j-1], order[j]
			if in[a] < in[b] || in[a] == in[b] && a > b {
				t.Fatalf("argsort: position %d", j)
			}
		}
		if r := s.Last(); r.Items != uint64(len(in)) || r.Algorithm == "" || r.Elapsed <= 0 || k.OnHost() != (r.Device == "cpu") {
			t.Errorf("report %+v", r)
		}
		if err := k.Upload(ctx, in[1:]); err == nil {
			t.Error("upload of another length")
		}
		for range 2 {
			if err := errors.Join(k.Close(), idx.Close(), k.Slice(0, 1).Close()); err != nil {
				t.Error(err)
			}
		}
		if err := gpusort.SortBuffer(ctx, k); !errors.Is(err, gpusort.ErrClosed) {
			t.Errorf("sort of a closed buffer: %v", err)
		}
	})
}

func TestPinned(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		p, err := gpusort.AllocPinned[uint64](s, 200003)
		if err != nil {
			t.Fatal(err)
		}
		x := p.Slice()
		for i := range x {
			x[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		want := slices.Clone(x)
		slices.Sort(want)
		slices.Reverse(want)
		if err := gpusort.SortWith(context.Background(), s, x); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x, want) {
			t.Error("wrong order")
		}
		for range 2 {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestTooLarge asks for more memory than there is.
func TestTooLarge(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		absent.Skip(t, "64-bit integers", "every size that can be asked for a slice can have")
	}
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		for _, n := range []int{math.MaxInt / 16, math.MaxInt / (1 << 16)} {
			if _, err := gpusort.NewBuffer[uint64](s, n); !errors.Is(err, gpusort.ErrOutOfMemory) {
				t.Errorf("buffer of %d: %v", n, err)
			}
			if _, err := gpusort.AllocPinned[uint64](s, n); !errors.Is(err, gpusort.ErrOutOfMemory) {
				t.Errorf("%d pinned: %v", n, err)
			}
		}
	})
}

func TestScratchAndExplain(t *testing.T) {
	n, err := gpusort.ScratchBytes[uint32](gpusort.ModeKeys, 1<<28, 0)
	if err != nil || n < 4<<28 || n > 4<<28+64<<20 {
		t.Errorf("%d bytes, %v: want n keys and at most 64 MiB more", n, err)
	}
	if _, err := gpusort.ScratchBytes[uint32](gpusort.ModePairs, 1<<28, 5); !errors.Is(err, gpusort.ErrUnsupported) {
		t.Errorf("5-byte values: %v", err)
	}
	for _, q := range []struct {
		mode          gpusort.Mode
		n, valueBytes int
	}{{gpusort.ModePairs, 9, 5}, {gpusort.ModeKeys, 9, 4}, {gpusort.ModeArgsort + 1, 9, 4}, {gpusort.ModeKeys, -1, 0}, {gpusort.ModeKeys, math.MaxInt, 0}} {
		if q.n == math.MaxInt32 {
			continue // with 32 bits no number is too large
		}
		if n, err := gpusort.ScratchBytes[uint64](q.mode, q.n, q.valueBytes); !errors.Is(err, gpusort.ErrUnsupported) {
			t.Errorf("scratch of %+v: %d bytes, %v", q, n, err)
		}
		eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
			if x, err := gpusort.Explain[uint64](s, q.mode, q.n, q.valueBytes); !errors.Is(err, gpusort.ErrUnsupported) {
				t.Errorf("explanation of %+v: %v, %v", q, x.Predicted, err)
			}
		})
	}
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		x, err := gpusort.Explain[float32](s, gpusort.ModeArgsort, 1<<20, 4)
		if err != nil {
			t.Fatal(err)
		}
		if x.Why == "" || x.Predicted <= 0 || x.Device != "cpu" && (x.Passes == 0 || x.BytesMoved == 0 || len(x.Steps) == 0) {
			t.Errorf("%+v", x)
		}
	})
}

// TestMemoryLimit: no limit is too low on any device, and what a limit is raised to is told.
func TestMemoryLimit(t *testing.T) {
	list, err := gpusort.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, d := range list {
		for _, limit := range []uint64{1, 1 << 12, 1 << 20, 1 << 26} {
			t.Run(fmt.Sprintf("%s/%d", d.ID, limit), func(t *testing.T) {
				s, err := gpusort.New(gpusort.WithDevice(d.ID), gpusort.WithMemoryLimit(limit))
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				x := make([]uint32, 300_000)
				for i := range x {
					x[i] = uint32(i) * 2654435761
				}
				want := slices.Clone(x)
				slices.Sort(want)
				b, err := gpusort.NewBuffer[uint32](s, len(x))
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				ctx := context.Background()
				if err := errors.Join(b.Upload(ctx, x), gpusort.SortBuffer(ctx, b)); err != nil {
					t.Error(err)
				}
				if r := s.Last(); r.RaisedLimit != 0 && r.RaisedLimit <= limit || limit == 1 && r.RaisedLimit == 0 && d.ID != "cpu" {
					t.Errorf("a sort of a Buffer: %+v", r)
				}
				if err := gpusort.SortWith(ctx, s, x); err != nil || !slices.Equal(x, want) {
					t.Errorf("error %v, sorted: %v", err, slices.IsSorted(x))
				}
				r := s.Last()
				if d.ID == "cpu" {
					return
				}
				if limit == 1 && r.RaisedLimit <= limit || limit >= 1<<20 && r.RaisedLimit != 0 || limit == 1<<20 && r.Pieces < 2 || limit == 1<<26 && r.Pieces != 1 {
					t.Errorf("%+v", r)
				}
				if err := b.Download(ctx, x); err != nil || !slices.Equal(x, want) {
					t.Errorf("Buffer: error %v, sorted: %v", err, slices.IsSorted(x))
				}
			})
		}
	}
}

// TestStreamsOnDevices sorts in a stream of its own and in one that is wrapped, where a
// device is.
func TestStreamsOnDevices(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		own, err := gpusort.NewStream(s)
		if errors.Is(err, gpusort.ErrNoDevice) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		st, err := gpusort.WrapStream(s, own.Handle())
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		for _, n := range []int{1000, 300_000, 7} {
			in := make([]uint32, n)
			for i := range in {
				in[i] = uint32(i) * 2654435761
			}
			want := slices.Clone(in)
			slices.SortFunc(want, func(a, b uint32) int { return cmp.Compare(b, a) })
			var buffers [2]*gpusort.Buffer[uint32]
			var pending [2]*gpusort.Pending
			for i, on := range []*gpusort.Stream{st, own} {
				if buffers[i], err = gpusort.NewBuffer[uint32](s, n); err != nil {
					t.Fatal(err)
				}
				if err := buffers[i].Upload(ctx, in); err != nil {
					t.Fatal(err)
				}
				if pending[i], err = gpusort.SortBufferOn(ctx, on, buffers[i]); err != nil {
					t.Fatal(err)
				}
			}
			for i, p := range pending {
				r, err := p.Wait()
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", r)
				got := make([]uint32, n)
				if err := buffers[i].Download(ctx, got); err != nil || !slices.Equal(got, want) {
					t.Errorf("%d keys, stream %d: not sorted, %v", n, i, err)
				}
				if err := buffers[i].Close(); err != nil {
					t.Error(err)
				}
			}
		}
		if err := errors.Join(st.Close(), own.Close()); err != nil {
			t.Error(err)
		}
	})
}

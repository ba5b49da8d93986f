package gpusort_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/gpusort/gpusort"
)

// holder is a slog.Handler that keeps the sort that logs to it from returning.
type holder struct{ in, out chan struct{} }

func (holder) Enabled(context.Context, slog.Level) bool { return true }
func (h holder) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h holder) WithGroup(string) slog.Handler          { return h }
func (h holder) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "sorted" {
		h.in <- struct{}{}
		<-h.out
	}
	return nil
}

// TestCloseWaits closes a Sorter on the CPU while it sorts.
func TestCloseWaits(t *testing.T) {
	h := holder{make(chan struct{}), make(chan struct{})}
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithLogger(slog.New(h)))
	if err != nil {
		t.Fatal(err)
	}
	sorted, closed := make(chan error, 1), make(chan error, 1)
	go func() { sorted <- gpusort.SortWith(t.Context(), s, []int{2, 1}) }()
	<-h.in
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
		t.Error("Close did not wait for the sort")
	case <-time.After(50 * time.Millisecond):
	}
	close(h.out)
	if err := <-sorted; err != nil {
		t.Errorf("the sort that Close waits for: %v", err)
	}
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("Close waits for nothing")
	}
}

// TestBufferAfterClose uses Buffers of a closed Sorter, on the CPU and on devices.
func TestBufferAfterClose(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		b, err := gpusort.NewBuffer[uint32](s, 100)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		ctx, x := t.Context(), make([]uint32, 100)
		for what, err := range map[string]error{
			"sort": gpusort.SortBuffer(ctx, b), "upload": b.Upload(ctx, x), "download": b.Download(ctx, x),
			"argsort": gpusort.ArgsortBuffer(ctx, b, b),
		} {
			if !errors.Is(err, gpusort.ErrClosed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

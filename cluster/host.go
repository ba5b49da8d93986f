package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/gpusort/gpusort/cluster/internal/store"
	"github.com/gpusort/gpusort/rows"
)

// Host is the process that tasks run in.
type Host struct {
	Memory  uint64                  // bytes that a task may take; 0: DefaultMemory
	Temp    []string                // folders of temporary files; none: the system's
	Workers int                     // goroutines at a time; 0: one a processor
	Heap    func(bytes int64) int64 // as rows.Heap has it, or nil

	stores store.Stores
}

// Requests are what the host's tasks have asked of stores so far.
func (h *Host) Requests() store.Requests { return h.stores.Counts.Told() }

// DefaultMemory is what a task may take if nothing is said.
const DefaultMemory uint64 = 1 << 30

func (h *Host) memory() uint64 { return cmp.Or(h.Memory, DefaultMemory) }

// programBytes is what the process has before it does anything, and what the heap has besides.
const programBytes = 40 << 20

// rowMemory is what is left for rows: package rows raises what is less than works.
func (h *Host) rowMemory() uint64 {
	taken := programBytes + h.uploadRoom() + uint64(h.chunkBytes())*(aheadReads+2)
	return h.memory() - min(h.memory(), taken)
}

func (h *Host) workers() int { return cmp.Or(max(h.Workers, 0), runtime.GOMAXPROCS(0)) }

// FinalError is an error that another try of a task will have, too.
type FinalError struct{ error }

// Unwrap returns the error inside.
func (e FinalError) Unwrap() error { return e.error }

func final(format string, args ...any) error { return FinalError{fmt.Errorf(format, args...)} }

// Final reports whether another try of the task will have the same error.
func Final(err error) bool {
	var f FinalError
	var d rows.DataError
	return errors.As(err, &f) || errors.As(err, &d) || store.Lasting(err)
}

// missing reports whether an object is not there.
func missing(err error) bool { return errors.Is(err, store.ErrNotExist) }

// folder is the location of a URL that stands for a folder.
func (h *Host) folder(ctx context.Context, url string) (store.Location, error) {
	l, err := h.stores.Locate(ctx, url)
	if err != nil {
		return l, FinalError{err}
	}
	if l.Key != "" && l.Key[len(l.Key)-1] != '/' {
		l.Key += "/"
	}
	return l, nil
}

// mostJSON bounds the files that tasks exchange.
const mostJSON = 1 << 30

// load reads a file that a task wrote.
func (h *Host) load(ctx context.Context, l store.Location, v any) error {
	n, err := l.Size(ctx, l.Key)
	if err != nil {
		return fmt.Errorf("%v: %w", l, err)
	}
	if n > mostJSON {
		return final("%v has %d bytes: it is not what a task wrote", l, n)
	}
	b, err := fetch(ctx, l, 0, n)
	if err != nil {
		return fmt.Errorf("%v: %w", l, err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return final("%v is not what a task wrote: %w", l, err)
	}
	return nil
}

// save writes a file for other tasks.
func (h *Host) save(ctx context.Context, l store.Location, v any, fresh bool) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := l.Put(ctx, l.Key, append(b, '\n'), fresh); err != nil {
		return fmt.Errorf("%v: %w", l, err)
	}
	return nil
}

// loadFrom reads a file that a task wrote to a URL.
func (h *Host) loadFrom(ctx context.Context, url string, v any) (store.Location, error) {
	l, err := h.stores.Locate(ctx, url)
	if err != nil {
		return l, FinalError{err}
	}
	return l, h.load(ctx, l, v)
}

// splitters reads splitters, and checks that this program can use them.
func (h *Host) splitters(ctx context.Context, url string) (*Splitters, error) {
	s := &Splitters{}
	if _, err := h.loadFrom(ctx, url, s); err != nil {
		return nil, err
	}
	if err := s.known(url); err != nil {
		return nil, err
	}
	if s.Ranges != len(s.Splitters)+1 || s.ID == "" {
		return nil, final("%s holds no splitters: it is what cut writes that is wanted", url)
	}
	return s, nil
}

// known refuses a plan of another version, which was read from a URL.
func (p Plan) known(url string) error {
	if p.Version != Version {
		return final("%s has version %d, and this program knows %d: have all machines run the same one", url, p.Version, Version)
	}
	return nil
}

// each calls f for 0 to n−1, some of them at a time, and returns the first error.
func each(ctx context.Context, n, most int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var team sync.WaitGroup
	for range min(n, most) {
		team.Go(func() {
			for i := range next {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(next)
	team.Wait()
	return context.Cause(ctx)
}

// sameJSON reports whether two values are written alike.
func sameJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// FinalOf marks an error as one that another try will have, too.
func FinalOf(err error) error { return FinalError{err} }

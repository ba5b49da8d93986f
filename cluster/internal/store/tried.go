package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"gocloud.dev/gcerrors"
)

// Counts are the requests of a process. Uploads in parts count as one each.
type Counts struct {
	Reads, Writes, Lists    atomic.Int64
	BytesRead, BytesWritten atomic.Int64
}

// Requests are Counts as they are told.
type Requests struct {
	Read         int64 `json:"requests_read"`
	Write        int64 `json:"requests_write"`
	List         int64 `json:"requests_list"`
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
}

// Told are the counts so far.
func (c *Counts) Told() Requests {
	return Requests{c.Reads.Load(), c.Writes.Load(), c.Lists.Load(), c.BytesRead.Load(), c.BytesWritten.Load()}
}

// counted counts the calls of a store.
type counted struct {
	Store
	*Counts
}

func (c *counted) List(ctx context.Context, prefix string, f func(Object) error) error {
	c.Lists.Add(1)
	return c.Store.List(ctx, prefix, f)
}

func (c *counted) Size(ctx context.Context, key string) (int64, error) {
	c.Reads.Add(1)
	return c.Store.Size(ctx, key)
}

func (c *counted) Open(ctx context.Context, key string, at, n int64) (io.ReadCloser, error) {
	c.Reads.Add(1)
	r, err := c.Store.Open(ctx, key, at, n)
	if err != nil {
		return nil, err
	}
	return &countedReader{r, c.Counts}, nil
}

type countedReader struct {
	io.ReadCloser
	*Counts
}

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.BytesRead.Add(int64(n))
	return n, err
}

func (c *counted) Create(ctx context.Context, key string, size int64, room uint64) (Writer, error) {
	c.Writes.Add(1)
	w, err := c.Store.Create(ctx, key, size, room)
	if err != nil {
		return nil, err
	}
	return &countedWriter{w, c.Counts}, nil
}

type countedWriter struct {
	Writer
	*Counts
}

func (w *countedWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.BytesWritten.Add(int64(n))
	return n, err
}

func (c *counted) Put(ctx context.Context, key string, data []byte, fresh bool) error {
	c.Writes.Add(1)
	c.BytesWritten.Add(int64(len(data)))
	return c.Store.Put(ctx, key, data, fresh)
}

// tried tries again what fails for a moment. What is written in parts is left to the store's own
// tries and to the engine, which starts the task again.
type tried struct {
	Store
	name string
}

const tries = 7

// pause is before the second try; it doubles.
var pause = 50 * time.Millisecond

// Lasting reports whether another try will have the same error.
func Lasting(err error) bool {
	if errors.Is(err, ErrNotExist) || errors.Is(err, ErrExist) || errors.Is(err, ErrPermission) {
		return true
	}
	code := gcerrors.Code(err)
	return code == gcerrors.InvalidArgument || code == gcerrors.Unimplemented
}

// again calls f until it succeeds or there is no use.
func again(ctx context.Context, f func() error) (err error) {
	for i := range tries {
		if i > 0 {
			wait := pause << (i - 1)
			select {
			case <-time.After(wait/2 + rand.N(wait)):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err = f(); err == nil || Lasting(err) || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("%w (tried %d times)", err, tries)
}

func (t *tried) List(ctx context.Context, prefix string, f func(Object) error) error {
	var all []Object
	err := again(ctx, func() error {
		all = all[:0]
		return t.Store.List(ctx, prefix, func(o Object) error {
			all = append(all, o)
			return nil
		})
	})
	for _, o := range all {
		if err == nil {
			err = f(o)
		}
	}
	return err
}

func (t *tried) Size(ctx context.Context, key string) (n int64, err error) {
	err = again(ctx, func() (err error) {
		n, err = t.Store.Size(ctx, key)
		return err
	})
	return n, err
}

func (t *tried) Put(ctx context.Context, key string, data []byte, fresh bool) error {
	return again(ctx, func() error { return t.Store.Put(ctx, key, data, fresh) })
}

func (t *tried) Delete(ctx context.Context, key string) error {
	return again(ctx, func() error { return t.Store.Delete(ctx, key) })
}

func (t *tried) Sweep(ctx context.Context, prefix string) (n int, err error) {
	err = again(ctx, func() (err error) {
		n, err = t.Store.Sweep(ctx, prefix)
		return err
	})
	return n, err
}

func (t *tried) Open(ctx context.Context, key string, at, n int64) (io.ReadCloser, error) {
	r := &triedReader{ctx: ctx, t: t, key: key, at: at, left: n}
	if n == 0 {
		return r, nil
	}
	return r, r.open()
}

// triedReader opens an object again where its reading failed.
type triedReader struct {
	ctx      context.Context
	t        *tried
	key      string
	at, left int64
	in       io.ReadCloser
	failures int // since bytes came
}

func (r *triedReader) open() error {
	return again(r.ctx, func() (err error) {
		r.in, err = r.t.Store.Open(r.ctx, r.key, r.at, r.left)
		return err
	})
}

func (r *triedReader) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	for {
		if r.in == nil {
			if err := r.open(); err != nil {
				return 0, err
			}
		}
		n, err := r.in.Read(b[:min(int64(len(b)), r.left)])
		r.at, r.left = r.at+int64(n), r.left-int64(n)
		if n > 0 {
			r.failures = 0
			return n, nil
		}
		if err == nil {
			continue
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		r.in.Close()
		if r.in = nil; r.ctx.Err() != nil || Lasting(err) {
			return 0, err
		}
		if r.failures++; r.failures >= tries {
			return 0, fmt.Errorf("%s%s, at byte %d: %w (tried %d times)", r.t.name, r.key, r.at, err, tries)
		}
	}
}

func (r *triedReader) Close() error {
	if r.in == nil {
		return nil
	}
	in := r.in
	r.in = nil
	return in.Close()
}

// Fast has tests not wait long before tries.
func Fast() { pause = time.Microsecond }

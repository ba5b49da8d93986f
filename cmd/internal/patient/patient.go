// Package patient opens, reads and writes what may keep one waiting, such as a
// pipe or a terminal, and gives up when a context ends. The call that waits is
// then left behind with its buffer.
package patient

import (
	"bytes"
	"context"
	"io"
	"os"
)

// result is what a call returned.
type result[T any] struct {
	v   T
	err error
}

// wait returns what f returns, or the error of ctx if that ends first; late is
// then told what f returned after all.
func wait[T any](ctx context.Context, f func() (T, error), late func(T)) (v T, err error) {
	done := make(chan result[T], 1)
	go func() {
		v, err := f()
		done <- result[T]{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		if late != nil {
			go func() {
				if r := <-done; r.err == nil {
					late(r.v)
				}
			}()
		}
		return v, ctx.Err()
	}
}

// Open is os.OpenFile for reading or writing what exists: a named pipe has its
// opener wait for the other end.
func Open(ctx context.Context, name string, flag int) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return os.OpenFile(name, flag, 0)
	}
	return wait(ctx, func() (*os.File, error) { return os.OpenFile(name, flag, 0) }, func(f *os.File) { f.Close() })
}

// Reader reads from R until Ctx ends.
type Reader struct {
	Ctx context.Context
	R   io.Reader
}

// Read implements io.Reader.
func (r Reader) Read(b []byte) (int, error) {
	if err := r.Ctx.Err(); err != nil {
		return 0, err
	}
	return wait(r.Ctx, func() (int, error) { return r.R.Read(b) }, nil)
}

// Writer writes to W; a write that waits when Ctx ends is given up. What is
// written after that, such as how far interrupted work came, is written.
type Writer struct {
	Ctx context.Context
	W   io.Writer
}

// pooled is the length up to which a buffer may be one that its owner, such as
// package fmt, uses again after a write that was given up.
const pooled = 64 << 10

// Write implements io.Writer.
func (w Writer) Write(b []byte) (int, error) {
	if w.Ctx.Err() != nil {
		return w.W.Write(b)
	}
	if len(b) <= pooled {
		b = bytes.Clone(b)
	}
	return wait(w.Ctx, func() (int, error) { return w.W.Write(b) }, nil)
}

// Package store reads and writes objects by URL: of object stores by gocloud.dev/blob, and files
// by itself. What a store refuses for a moment is tried again, and all requests are counted.
package store

import (
	"context"
	"io"
	"io/fs"
)

// Store is one bucket, or all files of this machine.
type Store interface {
	// List calls f for each object whose key begins with prefix, in the order of their keys.
	List(ctx context.Context, prefix string, f func(Object) error) error
	// Open reads n bytes from a place on.
	Open(ctx context.Context, key string, at, n int64) (io.ReadCloser, error)
	// Size is that of an object.
	Size(ctx context.Context, key string) (int64, error)
	// Create begins an object, which is there when it is committed, and not before. size is about
	// how many bytes it will have, and room what buffers may take.
	Create(ctx context.Context, key string, size int64, room uint64) (Writer, error)
	// Put writes a small object at once. If there is one already, and fresh is true, the error is
	// fs.ErrExist, unless the store knows no conditions.
	Put(ctx context.Context, key string, data []byte, fresh bool) error
	// Delete removes an object. That there is none is no error.
	Delete(ctx context.Context, key string) error
	// Sweep removes what was begun below a prefix and not committed. It returns how many there
	// were.
	Sweep(ctx context.Context, prefix string) (int, error)
}

// Object is what List finds.
type Object struct {
	Key  string
	Size int64
}

// Writer writes an object. One of Commit and Abort ends it.
type Writer interface {
	io.Writer
	Commit() error
	Abort()
}

// The errors that another try will have, too. Errors of stores wrap them.
var (
	ErrNotExist   = fs.ErrNotExist
	ErrExist      = fs.ErrExist
	ErrPermission = fs.ErrPermission
)

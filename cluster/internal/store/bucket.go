package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// bucket is a Store of gocloud.dev.
type bucket struct {
	b    *blob.Bucket
	name string
}

// Sweepers remove uploads that were not finished below a prefix, where stores keep them until they
// are removed. One that does not know a bucket returns ok false.
var Sweepers []func(ctx context.Context, b *blob.Bucket, name, prefix string) (n int, ok bool, err error)

// known wraps the errors that another try will have, too.
func known(err error) error {
	var kind error
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		kind = ErrNotExist
	case gcerrors.AlreadyExists, gcerrors.FailedPrecondition:
		kind = ErrExist
	case gcerrors.PermissionDenied:
		kind = ErrPermission
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", kind, err)
}

func (b *bucket) List(ctx context.Context, prefix string, f func(Object) error) error {
	it := b.b.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return known(err)
		}
		if o.IsDir {
			continue
		}
		if err := f(Object{o.Key, o.Size}); err != nil {
			return err
		}
	}
}

func (b *bucket) Open(ctx context.Context, key string, at, n int64) (io.ReadCloser, error) {
	r, err := b.b.NewRangeReader(ctx, key, at, n, nil)
	if err != nil {
		return nil, known(err)
	}
	return r, nil
}

func (b *bucket) Size(ctx context.Context, key string) (int64, error) {
	a, err := b.b.Attributes(ctx, key)
	if err != nil {
		return 0, known(err)
	}
	return a.Size, nil
}

// Parts of an upload have from leastPart bytes on, and there are no more than mostParts.
const (
	leastPart = 5 << 20
	mostParts = 9000
)

func (b *bucket) Create(ctx context.Context, key string, size int64, room uint64) (Writer, error) {
	ctx, cancel := context.WithCancel(ctx)
	part := max(leastPart, int(size/mostParts), int(min(room/4, 16<<20)))
	w, err := b.b.NewWriter(ctx, key, &blob.WriterOptions{
		BufferSize: part, MaxConcurrency: max(1, min(4, int(room/uint64(part))-1)), ContentType: "application/octet-stream",
	})
	if err != nil {
		cancel()
		return nil, known(err)
	}
	return &upload{w, cancel}, nil
}

// upload is an object that is written.
type upload struct {
	*blob.Writer
	cancel func()
}

func (u *upload) Write(b []byte) (int, error) {
	n, err := u.Writer.Write(b)
	if err != nil {
		err = known(err)
	}
	return n, err
}

func (u *upload) Commit() error {
	err := u.Close()
	u.cancel()
	if err != nil {
		return known(err)
	}
	return nil
}

func (u *upload) Abort() {
	u.cancel()
	u.Close()
}

func (b *bucket) Put(ctx context.Context, key string, data []byte, fresh bool) error {
	err := b.b.WriteAll(ctx, key, data, &blob.WriterOptions{IfNotExist: fresh, ContentType: "application/json"})
	if err != nil {
		return known(err)
	}
	return nil
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	err := b.b.Delete(ctx, key)
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return known(err)
	}
	return nil
}

func (b *bucket) Sweep(ctx context.Context, prefix string) (int, error) {
	for _, sweep := range Sweepers {
		if n, ok, err := sweep(ctx, b.b, b.name, prefix); ok {
			return n, err
		}
	}
	return 0, nil
}

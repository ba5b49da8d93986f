package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/gpusort/gpusort/cluster/internal/store"
	"github.com/gpusort/gpusort/cmd/unpack"
	"github.com/gpusort/gpusort/rows"
)

// mostUnpacking bounds the files that samples unpack at a time: each takes the memory of a decoder
// and of chunks that are read ahead.
const mostUnpacking = 4

// mostPacking is how many times as large as its file a packed input may be, for the parts of an
// upload to be large enough: text is seldom packed to less than a tenth.
const mostPacking = 16

// packed reports whether some input is compressed as a whole.
func (p Plan) packed() bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.Packed })
}

// unpackedSize is that of all inputs, by their samples if some are packed.
func (p Plan) unpackedSize(all []Sampled) int64 {
	if !p.packed() {
		return p.Size()
	}
	n := int64(0)
	for _, s := range all {
		n += s.Bytes
	}
	return n
}

// unpack reads what is in a packed file. About so many bytes of the file will be read.
func (h *Host) unpack(ctx context.Context, l store.Location, f File, end int64) (io.ReadCloser, error) {
	in := h.read(ctx, l, 0, min(end, f.Size), f.Size)
	// Errors of the store have the name of the file.
	r, err := unpack.Reader(in, func(err error) error { return FinalError{fmt.Errorf("%s: %w", f.URL, err)} })
	if err != nil {
		in.Close()
	}
	return r, err
}

// unpackedHead reads what a packed file begins with.
func (h *Host) unpackedHead(ctx context.Context, l store.Location, f File, n int64) ([]byte, error) {
	r, err := h.unpack(ctx, l, f, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, n))
}

// packed is all rows of a packed file.
func (t *textLayout) packed(ctx context.Context, file int, l store.Location) rows.Part {
	f := t.Files[file]
	p, _ := t.f.Part(file, f.URL, -1, 0, 1, func(int64) (io.ReadCloser, error) { return t.unpack(ctx, l, f, f.Size) })
	return p
}

// samplePacked reads a packed file to its end: rows of its beginning alone would say nothing of a
// file that is in some order, as logs are.
func (t *textLayout) samplePacked(ctx context.Context, file int, l store.Location, most int) ([]rows.Splitter, int64, error) {
	t.unpacking <- struct{}{}
	defer func() { <-t.unpacking }()
	all, size, err := t.f.Sample(t.packed(ctx, file, l), most)
	for i := range all {
		all[i].Key = short(all[i].Key)
	}
	return all, size, err
}

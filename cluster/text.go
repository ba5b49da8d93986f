package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/gpusort/gpusort/rows"
)

// textLayout is rows that lie in files as they are sorted.
type textLayout struct {
	*Host
	Plan
	f         *rows.Form
	unpacking chan struct{} // has a place for each sample that may read a packed file at a time
}

func (t *textLayout) form() *rows.Form { return t.f }

func (t *textLayout) parts(ctx context.Context, file int, from, to int64) ([]rows.Part, error) {
	f := t.Files[file]
	l, err := t.stores.Locate(ctx, f.URL)
	if err != nil {
		return nil, FinalError{err}
	}
	if f.Packed {
		if from > 0 {
			return nil, nil
		}
		return []rows.Part{t.packed(ctx, file, l)}, nil
	}
	p, ok := t.f.Part(file, f.URL, f.Size, from, to, func(at int64) (io.ReadCloser, error) {
		end := to
		if !t.f.Divisible() {
			end = f.Size
		}
		return t.read(ctx, l, at, min(end, f.Size), f.Size), nil
	})
	if !ok {
		return nil, nil
	}
	return []rows.Part{p}, nil
}

// textSample is how much of a file is read for a sample, and mostSample how much if a row is long.
const textSample, mostSample = 64 << 10, 16 << 20

func (t *textLayout) sampleBytes() int64 { return textSample }

func (t *textLayout) sample(ctx context.Context, file int, at int64, most int) (all []rows.Splitter, bytes int64, err error) {
	f := t.Files[file]
	l, err := t.stores.Locate(ctx, f.URL)
	if err != nil {
		return nil, 0, FinalError{err}
	}
	if f.Packed {
		return t.samplePacked(ctx, file, l, most)
	}
	if t.Order.Record > 0 {
		at = at / int64(t.Order.Record) * int64(t.Order.Record)
	}
	for n := int64(textSample); ; n *= 8 {
		n = min(n, f.Size-at)
		b, err := fetch(ctx, l, at, n)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", f.URL, err)
		}
		skip := 0
		if at > 0 && t.Order.Record == 0 {
			delim := byte('\n')
			if t.Order.Zero {
				delim = 0
			}
			skip = slices.Index(b, delim) + 1
		}
		if at == 0 {
			skip = min(len(t.f.Heading()), len(b))
		}
		for place, key := range t.f.Keys(b[skip:], at+n == f.Size) {
			all = append(all, rows.Splitter{Key: short(key), File: file, At: at + int64(skip+place)})
		}
		if len(all) > 0 || at+n == f.Size || n >= mostSample {
			return thin(all, most), 0, nil
		}
	}
}

// longestKey is the length of keys of samples: longer ones are cut off, which moves a splitter a
// little.
const longestKey = 4096

func short(key []byte) []byte { return slices.Clone(key[:min(len(key), longestKey)]) }

// thin keeps at most so many rows, evenly spaced.
func thin(all []rows.Splitter, most int) []rows.Splitter {
	n := len(all)
	if n <= most {
		return all
	}
	for i := range most {
		all[i] = all[(2*i+1)*n/(2*most)]
	}
	return all[:most]
}

func (t *textLayout) output(_ context.Context, w io.Writer) (output, error) {
	_, err := w.Write(t.f.Heading())
	return plain{w}, err
}

// plain writes rows as they are.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }
func (plain) Stop()        {}

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/gpusort/gpusort/cmd/unpack"
	"github.com/gpusort/gpusort/rows"
)

// SampleOptions say what to sample.
type SampleOptions struct {
	URLs    []string
	Order   Order
	Samples int // keys; 0: DefaultSamples
}

// DefaultSamples is how many keys a sample has: with 2000 a range, the largest of 100 ranges is
// seldom more than a tenth larger than the mean.
const DefaultSamples = 200_000

// A sample reads one byte of sampleShare, and at least leastSample and at most mostSamples places.
const (
	sampleShare = 200
	leastSample = 1 << 20
	mostSamples = 1 << 14
	sampleTasks = 16
)

// Sample finds the inputs, and reads keys at places that are evenly spaced. It writes what it found
// to a URL.
func (h *Host) Sample(ctx context.Context, o SampleOptions, out string) (*Samples, error) {
	s := &Samples{Plan: Plan{Version: Version, Order: o.Order}}
	if err := h.find(ctx, &s.Plan, o.URLs); err != nil {
		return nil, err
	}
	l, err := h.layout(ctx, s.Plan)
	if err != nil {
		return nil, err
	}
	if s.Samples, err = s.take(ctx, l, o.Samples); err != nil {
		return nil, err
	}
	return s, h.saveTo(ctx, out, s)
}

// find lists the inputs and reads the beginning of the first.
func (h *Host) find(ctx context.Context, p *Plan, urls []string) error {
	if len(urls) == 0 {
		return final("no input is named: give at least one URL")
	}
	for _, url := range urls {
		l, objects, err := h.stores.Find(ctx, url)
		if err != nil {
			if errors.Is(err, path.ErrBadPattern) {
				err = FinalError{err}
			}
			return fmt.Errorf("input: %w", err)
		}
		for _, o := range objects {
			_, packed := unpack.Inner(o.Key)
			p.Files = append(p.Files, File{l.URL(o.Key), o.Size, packed})
		}
		if err := p.Order.settle(objects[0].Key); err != nil {
			return err
		}
		if i := slices.IndexFunc(p.Files, func(f File) bool { return f.Packed }); i >= 0 && p.Order.table() {
			return final("%s is compressed as a whole: unpack it first; Parquet and Arrow may be compressed within", p.Files[i].URL)
		}
	}
	return h.headOf(ctx, p)
}

// Size is that of all inputs.
func (p Plan) Size() (n int64) {
	for _, f := range p.Files {
		n += f.Size
	}
	return n
}

// take reads keys of the inputs.
func (s *Samples) take(ctx context.Context, l layout, most int) ([]Sampled, error) {
	if most <= 0 {
		most = DefaultSamples
	}
	places := s.places(l.sampleBytes())
	most = (most + len(places) - 1) / max(1, len(places))
	places = s.joined(places)
	taken := make([][]Sampled, len(places))
	err := each(ctx, len(places), sampleTasks, func(ctx context.Context, i int) error {
		p := places[i]
		got, bytes, err := l.sample(ctx, p.file, p.at, p.many*most)
		if f := s.Files[p.file]; f.Packed {
			bytes = share(bytes, p.bytes, f.Size) // the file may stand for others
		}
		for _, k := range got {
			taken[i] = append(taken[i], Sampled{Point(k), cmp.Or(bytes, p.bytes) / int64(len(got))})
		}
		return err
	})
	return slices.Concat(taken...), err
}

// place is where a sample is read, which stands for so many bytes.
type place struct {
	file      int
	at, bytes int64
	many      int // places that it is
}

// places are evenly spaced over all inputs; of small ones they are everything.
func (p Plan) places(bytes int64) (all []place) {
	total := p.Size()
	n := min(mostSamples, max(total/sampleShare, leastSample)/bytes+1)
	if n*bytes >= total {
		for i, f := range p.Files {
			for at := int64(0); at < f.Size; at += bytes {
				all = append(all, place{i, at, min(bytes, f.Size-at), 1})
			}
		}
		return all
	}
	file, before := 0, int64(0)
	for i := range n {
		at := share(total, 2*i+1, 2*n)
		for at-before >= p.Files[file].Size {
			before += p.Files[file].Size
			file++
		}
		all = append(all, place{file, at - before, total / n, 1})
	}
	return all
}

// joined makes one place of all those in a file that can only be read from its beginning on.
func (p Plan) joined(places []place) (all []place) {
	for _, a := range places {
		n := len(all)
		switch {
		case !p.Files[a.file].Packed:
			all = append(all, a)
		case n > 0 && all[n-1].file == a.file:
			all[n-1].bytes += a.bytes
			all[n-1].many++
		default:
			all = append(all, place{a.file, 0, a.bytes, 1})
		}
	}
	return all
}

// saveTo writes a file for other tasks to a URL.
func (h *Host) saveTo(ctx context.Context, url string, v any) error {
	l, err := h.stores.Locate(ctx, url)
	if err != nil {
		return FinalError{err}
	}
	return h.save(ctx, l, v, false)
}

// points are splitters as package rows has them.
func (s *Splitters) points() []rows.Splitter {
	all := make([]rows.Splitter, len(s.Splitters))
	for i, p := range s.Splitters {
		all[i] = rows.Splitter(p)
	}
	return all
}

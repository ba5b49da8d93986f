package cluster

import (
	"context"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cluster/internal/store"
	"github.com/gpusort/gpusort/rows"
)

// MergeOptions name one of the ranges.
type MergeOptions struct {
	Splitters string // URL
	Range     int    // from 0
	Of        int    // how many tasks split
}

// mergeName is the name of a merge's manifest.
func mergeName(rng int) string { return fmt.Sprintf("merge-%05d.json", rng) }

// manifestName is that of the final manifest.
const manifestName = "manifest.json"

// streamRoom is the memory of a stream of a store.
const streamRoom = 64 << 10

// Merge merges one range of all runs below the folder work to an object in the folder out.
func (h *Host) Merge(ctx context.Context, o MergeOptions, work, out string) (part *Part, manifest string, done bool, err error) {
	s, err := h.splitters(ctx, o.Splitters)
	if err != nil {
		return nil, "", false, err
	}
	if o.Range < 0 || o.Range >= s.Ranges {
		return nil, "", false, final("range %d of %d: ranges count from 0", o.Range, s.Ranges)
	}
	folder, err := h.folder(ctx, work)
	if err != nil {
		return nil, "", false, err
	}
	to, err := h.folder(ctx, out)
	if err != nil {
		return nil, "", false, err
	}
	at := folder.Below(mergeName(o.Range))
	part = &Part{}
	if done, err := h.doneBefore(ctx, at, part, s.ID, func() bool { return part.Range == o.Range }); done || err != nil {
		return part, at.String(), done, err
	}
	if err := h.ours(ctx, to, s.ID); err != nil {
		return nil, "", false, err
	}
	runs, err := h.runs(ctx, s, folder, o.Of)
	if err != nil {
		return nil, "", false, err
	}
	*part = Part{Version: Version, ID: s.ID, Range: o.Range, Object: s.object(o.Range)}
	if err := h.merge(ctx, s, runs, folder, to.Below(part.Object), part); err != nil {
		return nil, "", false, err
	}
	return part, at.String(), false, h.save(ctx, at, part, false)
}

// object is the name of the object of a range.
func (s *Splitters) object(rng int) string { return fmt.Sprintf("part-%05d%s", rng, s.Ext) }

// ours refuses a folder that has the output of another sort.
func (h *Host) ours(ctx context.Context, out store.Location, id string) error {
	var m Output
	at := out.Below(manifestName)
	err := h.load(ctx, at, &m)
	switch {
	case missing(err):
		return nil
	case err != nil:
		return err
	case m.ID != id:
		return final("%v is of another sort: remove that output, or give another folder", at)
	}
	return nil
}

// runs reads the manifests of all splits.
func (h *Host) runs(ctx context.Context, s *Splitters, folder store.Location, of int) ([]Run, error) {
	if of < 1 {
		return nil, final("%d tasks: tell by --of how many split", of)
	}
	runs := make([]Run, of)
	err := each(ctx, of, sampleTasks, func(ctx context.Context, i int) error {
		at := folder.Below(splitName(i))
		if err := h.load(ctx, at, &runs[i]); err != nil {
			return err
		}
		if r := runs[i]; r.ID != s.ID || r.Of != of || r.Task != i || len(r.Ranges) != s.Ranges {
			return final("%v is of another sort, or of another number of tasks than %d", at, of)
		}
		return nil
	})
	return runs, err
}

// merge writes the object of a range.
func (h *Host) merge(ctx context.Context, s *Splitters, runs []Run, folder, to store.Location, part *Part) error {
	l, err := h.layout(ctx, s.Plan)
	if err != nil {
		return err
	}
	var streams []rows.Stream
	size := int64(0)
	for _, r := range runs {
		p := r.Ranges[part.Range]
		at := folder.Below(r.Object)
		size += p.Length
		streams = append(streams, rows.Stream{Bytes: p.Length, Open: func() (io.ReadCloser, error) {
			in, err := at.Open(ctx, at.Key, p.Offset, p.Length)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", at, err)
			}
			return in, nil
		}})
	}
	w, err := to.Create(ctx, to.Key, size, h.uploadRoom())
	if err != nil {
		return fmt.Errorf("%v: %w", to, err)
	}
	c := &counting{w: w}
	m, err := mergeTo(ctx, l, streams, c)
	if err != nil {
		w.Abort()
		return fmt.Errorf("%v: %w", to, err)
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("%v: %w", to, err)
	}
	part.Size, part.Rows, part.Bytes, part.Sum, part.First, part.Last = c.n, m.Rows, m.Size, m.Sum.String(), m.First, m.Last
	return nil
}

// mergeTo writes streams as an object.
func mergeTo(ctx context.Context, l layout, streams []rows.Stream, w io.Writer) (rows.Merged, error) {
	out, err := l.output(ctx, w)
	if err != nil {
		return rows.Merged{}, err
	}
	defer out.Stop()
	m, err := l.form().Merge(ctx, streams, streamRoom, out)
	if err != nil {
		return m, err
	}
	return m, out.Close()
}

// counting counts what is written.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/gpusort/gpusort/cluster/internal/store"
	"github.com/gpusort/gpusort/rows"
)

// Finish writes the final manifest of the folder out, if nothing was lost and all is in order.
func (h *Host) Finish(ctx context.Context, o MergeOptions, work, out string) (*Output, string, error) {
	s, err := h.splitters(ctx, o.Splitters)
	if err != nil {
		return nil, "", err
	}
	folder, err := h.folder(ctx, work)
	if err != nil {
		return nil, "", err
	}
	to, err := h.folder(ctx, out)
	if err != nil {
		return nil, "", err
	}
	if err := h.ours(ctx, to, s.ID); err != nil {
		return nil, "", err
	}
	runs, err := h.runs(ctx, s, folder, o.Of)
	if err != nil {
		return nil, "", err
	}
	m := &Output{Plan: s.Plan, Objects: make([]Part, s.Ranges)}
	m.Head = nil
	err = each(ctx, s.Ranges, sampleTasks, func(ctx context.Context, i int) error {
		at := folder.Below(mergeName(i))
		if err := h.load(ctx, at, &m.Objects[i]); err != nil {
			return err
		}
		if p := &m.Objects[i]; p.ID != s.ID || p.Range != i {
			return final("%v is of another sort", at)
		}
		m.Objects[i].ID, m.Objects[i].Version = "", 0
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if err := m.add(s, runs, h); err != nil {
		return nil, "", err
	}
	if err := alone(ctx, to, m); err != nil {
		return nil, "", err
	}
	at := to.Below(manifestName)
	return m, at.String(), h.save(ctx, at, m, false)
}

// add sums up the objects, and compares them with what was read.
func (m *Output) add(s *Splitters, runs []Run, h *Host) error {
	var in, out rows.Sum
	read := int64(0)
	for _, r := range runs {
		sum, err := rows.ParseSum(r.Sum)
		if err != nil {
			return FinalError{err}
		}
		in.Add(sum)
		read += r.Rows
	}
	compare, err := s.compare(h)
	if err != nil {
		return err
	}
	var last []byte
	for _, p := range m.Objects {
		sum, err := rows.ParseSum(p.Sum)
		if err != nil {
			return FinalError{err}
		}
		out.Add(sum)
		m.Rows, m.Bytes = m.Rows+p.Rows, m.Bytes+p.Bytes
		if p.Rows == 0 {
			continue
		}
		if last != nil && compare(rows.Splitter{Key: last}, rows.Splitter{Key: p.First}) > 0 {
			return fmt.Errorf("%s begins with a key before the last one of the object before it: a task went wrong; report this", p.Object)
		}
		last = p.Last
	}
	if m.Sum = out.String(); in != out || read != m.Rows {
		return fmt.Errorf("%d rows with sum %v were read, and %d with sum %v written: a task went wrong; report this", read, in, m.Rows, out)
	}
	return nil
}

// alone refuses a folder with parts that are not this sort's.
func alone(ctx context.Context, out store.Location, m *Output) error {
	names := map[string]bool{}
	for _, p := range m.Objects {
		names[p.Object] = true
	}
	return out.List(ctx, out.Key+"part-", func(o store.Object) error {
		if name := path.Base(o.Key); !names[name] {
			return final("%s is not of this sort, and would be taken for a part of its output: remove it", out.URL(o.Key))
		}
		return nil
	})
}

// Verified is what Verify saw.
type Verified struct {
	Rows  int64  `json:"rows"`
	Sum   string `json:"sum"`
	Wrong string `json:"wrong,omitempty"` // what is wrong; empty: nothing
}

// Verify reads all objects of a final manifest: they are in order, also from one to the next, and
// hold the rows that were read.
func (h *Host) Verify(ctx context.Context, url string) (Verified, error) {
	var m Output
	at, err := h.loadFrom(ctx, url, &m)
	if err != nil {
		return Verified{}, err
	}
	if m.Version != Version || m.ID == "" || len(m.Objects) == 0 {
		return Verified{}, final("%s is no manifest of a sort that this program knows", url)
	}
	p := m.Plan
	p.Files = nil
	for _, o := range m.Objects {
		p.Files = append(p.Files, File{URL: at.Beside(o.Object).String(), Size: o.Size})
	}
	if err := h.headOf(ctx, &p); err != nil {
		return Verified{}, err
	}
	l, err := h.layout(ctx, p)
	if err != nil {
		return Verified{}, err
	}
	var v Verified
	var sum rows.Sum
	var last []byte
	for i, o := range m.Objects {
		c, err := h.check(ctx, l, p.Files[i], i)
		if size := (sizeError{}); errors.As(err, &size) {
			v.Wrong = size.Error()
			return v, nil
		}
		if err != nil {
			return v, err
		}
		sum.Add(c.Sum)
		v.Rows += c.Rows
		switch {
		case c.Disorder > 0:
			v.Wrong = fmt.Sprintf("%s: row %d is out of order", o.Object, c.Disorder)
		case c.Rows != o.Rows || c.Sum.String() != o.Sum:
			v.Wrong = fmt.Sprintf("%s holds %d rows with sum %v, and the manifest says %d with sum %s", o.Object, c.Rows, c.Sum, o.Rows, o.Sum)
		case c.Rows > 0 && (!bytes.Equal(c.First, o.First) || !bytes.Equal(c.Last, o.Last)):
			v.Wrong = fmt.Sprintf("%s does not begin and end with the keys that the manifest says", o.Object)
		case c.Rows > 0 && last != nil && l.form().CompareKeys(last, c.First) > 0:
			v.Wrong = fmt.Sprintf("%s begins before the end of the object before it", o.Object)
		}
		if v.Wrong != "" {
			return v, nil
		}
		if c.Rows > 0 {
			last = c.Last
		}
	}
	if v.Sum = sum.String(); v.Sum != m.Sum || v.Rows != m.Rows {
		v.Wrong = fmt.Sprintf("there are %d rows with sum %s, and the manifest says %d with sum %s", v.Rows, v.Sum, m.Rows, m.Sum)
	}
	return v, nil
}

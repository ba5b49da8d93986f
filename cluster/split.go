package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/cluster/internal/store"
	"github.com/gpusort/gpusort/rows"
)

// SplitOptions name one of the tasks that share the inputs.
type SplitOptions struct {
	Splitters string // URL
	Task, Of  int    // numbers of the task, from 0, and of all tasks
}

// splitName is the name of a split's manifest.
func splitName(task int) string { return fmt.Sprintf("split-%05d.json", task) }

// Split sorts a share of the inputs to a run below the folder work. done reports that the task was
// done before.
func (h *Host) Split(ctx context.Context, o SplitOptions, work string) (run *Run, manifest string, done bool, err error) {
	s, err := h.splitters(ctx, o.Splitters)
	if err != nil {
		return nil, "", false, err
	}
	if o.Of < 1 || o.Task < 0 || o.Task >= o.Of {
		return nil, "", false, final("task %d of %d: tasks count from 0", o.Task, o.Of)
	}
	folder, err := h.folder(ctx, work)
	if err != nil {
		return nil, "", false, err
	}
	at := folder.Below(splitName(o.Task))
	run = &Run{}
	if done, err := h.doneBefore(ctx, at, run, s.ID, func() bool { return run.Task == o.Task && run.Of == o.Of }); done || err != nil {
		return run, at.String(), done, err
	}
	l, err := h.layout(ctx, s.Plan)
	if err != nil {
		return nil, "", false, err
	}
	*run = Run{Version: Version, ID: s.ID, Task: o.Task, Of: o.Of, Object: attemptName(o.Task)}
	data := folder.Below(run.Object)
	if err := h.split(ctx, s, l, run, data); err != nil {
		return nil, "", false, err
	}
	err = h.save(ctx, at, run, true)
	if errors.Is(err, store.ErrExist) {
		mine := run.Object
		if done, err = h.doneBefore(ctx, at, run, s.ID, func() bool { return run.Task == o.Task && run.Of == o.Of }); err == nil && run.Object != mine {
			err = data.Delete(ctx, data.Key)
		}
	}
	return run, at.String(), done, err
}

// attemptName is a name for the data of one try of a task.
func attemptName(task int) string {
	var b [4]byte
	rand.Read(b[:])
	return fmt.Sprintf("split-%05d-%s.run", task, hex.EncodeToString(b[:]))
}

// manifest is what doneBefore reads.
type manifest interface{ id() string }

func (r *Run) id() string  { return r.ID }
func (p *Part) id() string { return p.ID }

// doneBefore reads a manifest, if it is there.
func (h *Host) doneBefore(ctx context.Context, at store.Location, m manifest, id string, same func() bool) (bool, error) {
	err := h.load(ctx, at, m)
	switch {
	case missing(err):
		return false, nil
	case err != nil:
		return false, err
	case m.id() != id || !same():
		return false, final("%v is of another sort: give another folder, or remove what it left by gpusort-cluster clean", at)
	}
	return true, nil
}

// inputs are the rows of a task's share.
func (s *Splitters) inputs(ctx context.Context, l layout, task, of int) (parts []rows.Part, bytes int64, err error) {
	total := s.Size()
	from, to := share(total, int64(task), int64(of)), share(total, int64(task)+1, int64(of))
	at := int64(0)
	for i, f := range s.Files {
		a, b := max(0, from-at), min(f.Size, to-at)
		if at += f.Size; a >= b {
			continue
		}
		got, err := l.parts(ctx, i, a, b)
		if err != nil {
			return nil, 0, err
		}
		parts = append(parts, got...)
	}
	return parts, to - from, nil
}

// split writes the run of a task.
func (h *Host) split(ctx context.Context, s *Splitters, l layout, run *Run, data store.Location) error {
	parts, size, err := s.inputs(ctx, l, run.Task, run.Of)
	if err != nil {
		return err
	}
	if s.packed() {
		size *= mostPacking
	}
	w, err := data.Create(ctx, data.Key, size+size/8, h.uploadRoom())
	if err != nil {
		return fmt.Errorf("%v: %w", data, err)
	}
	r, err := l.form().Run(ctx, parts, s.points(), w)
	if err != nil {
		w.Abort()
		return err
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("%v: %w", data, err)
	}
	run.Rows, run.Sum = r.Rows, r.Sum.String()
	for _, p := range r.Ranges {
		run.Ranges = append(run.Ranges, Range(p))
		run.Size += p.Length
	}
	run.Bytes = r.Bytes
	return nil
}

// uploadRoom is the memory of an upload.
func (h *Host) uploadRoom() uint64 { return min(64<<20, h.memory()/8) }

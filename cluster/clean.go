package cluster

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cluster/internal/store"
)

// Cleaned is what Clean removed.
type Cleaned struct {
	Objects int `json:"objects"`
	Uploads int `json:"uploads"` // that were not finished
}

// Clean removes what a sort left in its folder work, and unfinished uploads. Of the folder out, if it
// is given, it removes unfinished uploads and, if there is no final manifest, the sort's objects.
func (h *Host) Clean(ctx context.Context, work, out string) (c Cleaned, err error) {
	folder, err := h.folder(ctx, work)
	if err != nil {
		return c, err
	}
	if out != "" {
		to, err := h.folder(ctx, out)
		if err != nil {
			return c, err
		}
		if err := h.cleanOutput(ctx, folder, to, &c); err != nil {
			return c, err
		}
	}
	if err := h.sweep(ctx, folder, &c); err != nil {
		return c, err
	}
	for _, pattern := range []string{"split-*.run", "split-*.json", "merge-*.json", "sample*.json", "splitters.json"} {
		if err := h.remove(ctx, folder, pattern, &c); err != nil {
			return c, err
		}
	}
	if folder.Local() {
		os.Remove(filepath.FromSlash(folder.Key)) // if it is empty
	}
	return c, nil
}

// cleanOutput removes what was not finished.
func (h *Host) cleanOutput(ctx context.Context, work, to store.Location, c *Cleaned) error {
	if err := h.sweep(ctx, to, c); err != nil {
		return err
	}
	_, err := to.Size(ctx, to.Below(manifestName).Key)
	if !missing(err) {
		return err
	}
	var s Splitters
	if err := h.load(ctx, work.Below("splitters.json"), &s); missing(err) {
		return nil // then nothing was merged
	} else if err != nil {
		return err
	}
	return h.remove(ctx, to, "part-*"+s.Ext, c)
}

func (h *Host) sweep(ctx context.Context, l store.Location, c *Cleaned) error {
	n, err := l.Sweep(ctx, l.Key)
	c.Uploads += n
	return err
}

// remove removes the objects of a folder, not those below, whose names match.
func (h *Host) remove(ctx context.Context, folder store.Location, pattern string, c *Cleaned) error {
	var keys []string
	prefix, _, _ := strings.Cut(pattern, "*")
	err := folder.List(ctx, folder.Key+prefix, func(o store.Object) error {
		if ok, _ := path.Match(folder.Key+pattern, o.Key); ok {
			keys = append(keys, o.Key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.Objects += len(keys)
	return each(ctx, len(keys), sampleTasks, func(ctx context.Context, i int) error { return folder.Delete(ctx, keys[i]) })
}

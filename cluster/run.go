package cluster

import (
	"context"
	"fmt"
	"path"
)

// RunOptions are a whole sort on this machine.
type RunOptions struct {
	SampleOptions
	Ranges    int // as CutOptions has them
	RangeSize int64
	Tasks     int    // that split; 0: by the memory of each
	Parallel  int    // tasks at a time
	Work      string // URL of the folder of runs; none: OUT/_work/
	// Start runs one task as a process of its own: the words behind the program's name. If it is
	// nil, tasks run in this one.
	Start func(ctx context.Context, words []string) error
}

// Run runs all tasks, those that split and merge some at a time and each up to tries times. What was
// done before is not done again.
func (h *Host) Run(ctx context.Context, o RunOptions, out string) (*Output, string, error) {
	to, err := h.folder(ctx, out)
	if err != nil {
		return nil, "", err
	}
	work := to.Below("_work/")
	if o.Work != "" {
		if work, err = h.folder(ctx, o.Work); err != nil {
			return nil, "", err
		}
	}
	url := work.Below("splitters.json").String()
	s, err := h.begin(ctx, o, work.Below("sample.json").String(), url)
	if err != nil {
		return nil, "", err
	}
	if err := h.ours(ctx, to, s.ID); err != nil {
		return nil, "", err
	}
	of := o.Tasks
	if of <= 0 {
		// What a task sorts fits its memory, and each process has one at least.
		of = max(o.Parallel, int(s.Size()/int64(h.memory()/4))+1)
	}
	err = o.all(ctx, of, func(ctx context.Context, i int) error {
		if o.Start != nil {
			return o.Start(ctx, []string{"split", "--splitters", url, "--task", fmt.Sprint(i), "--of", fmt.Sprint(of), "-o", work.String()})
		}
		_, _, _, err := h.Split(ctx, SplitOptions{url, i, of}, work.String())
		return err
	})
	if err != nil {
		return nil, "", err
	}
	err = o.all(ctx, s.Ranges, func(ctx context.Context, i int) error {
		if o.Start != nil {
			return o.Start(ctx, []string{"merge", "--splitters", url, "--range", fmt.Sprint(i), "--of", fmt.Sprint(of), "-o", to.String(), work.String()})
		}
		_, _, _, err := h.Merge(ctx, MergeOptions{url, i, of}, work.String(), to.String())
		return err
	})
	if err != nil {
		return nil, "", err
	}
	m, at, err := h.Finish(ctx, MergeOptions{url, 0, of}, work.String(), to.String())
	if err != nil {
		return nil, "", err
	}
	_, err = h.Clean(ctx, work.String(), to.String())
	return m, at, err
}

// begin samples and cuts, or takes the splitters of the same sort that was given up.
func (h *Host) begin(ctx context.Context, o RunOptions, sample, url string) (*Splitters, error) {
	p := Plan{Version: Version, Order: o.Order}
	if err := h.find(ctx, &p, o.URLs); err != nil {
		return nil, err
	}
	if s, err := h.splitters(ctx, url); err == nil {
		q := s.Plan
		q.ID = ""
		if !sameJSON(p, q) || o.Ranges > 0 && o.Ranges != s.Ranges {
			return nil, final("%s is of another sort, which was given up: remove what it left by gpusort-cluster clean %s", url, path.Dir(url)+"/")
		}
		return s, nil
	} else if !missing(err) {
		return nil, err
	}
	if _, err := h.Sample(ctx, o.SampleOptions, sample); err != nil {
		return nil, err
	}
	return h.Cut(ctx, CutOptions{[]string{sample}, o.Ranges, o.RangeSize}, url)
}

// tries is how often a task is started that fails.
const tries = 4

// all runs n tasks.
func (o RunOptions) all(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	return each(ctx, n, max(1, o.Parallel), func(ctx context.Context, i int) (err error) {
		for range tries {
			if err = f(ctx, i); err == nil || Final(err) || ctx.Err() != nil {
				return err
			}
		}
		return err
	})
}

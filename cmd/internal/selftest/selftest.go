// Package selftest is a short correctness pass over one device through the
// public API: every key type, mode and order, over a few sizes and
// distributions, against references that share no code with the sorts.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// Open makes a sorter for an order, on the device and with the algorithm that
// are to be tested. Run closes it.
type Open func(key.Order) (*gpusort.Sorter, error)

// Result is what became of all cases of one key type and mode.
type Result struct {
	Type      key.Type
	Mode      string // keys, pairs-4, pairs-8, argsort-4, argsort-8
	Cases     int
	Failed    int
	Skipped   int   // 1 if the algorithm or the device sorts no number of such keys
	Sorted    int   // passed with at least two keys, so that there was work
	First     error // the first failure, with its case
	Why       error // the first reason to skip
	Device    string
	Algorithm string
	Elapsed   time.Duration // of the sorts
}

// Modes are the modes in the order in which they run; the digit is the width of
// a value or index in bytes.
var Modes = []string{"keys", "pairs-4", "pairs-8", "argsort-4", "argsort-8"}

// modes says what each mode asks the library for.
var modes = map[string]struct {
	mode       gpusort.Mode
	valueBytes int
}{
	"keys": {gpusort.ModeKeys, 0}, "pairs-4": {gpusort.ModePairs, 4}, "pairs-8": {gpusort.ModePairs, 8},
	"argsort-4": {gpusort.ModeArgsort, 4}, "argsort-8": {gpusort.ModeArgsort, 8},
}

var dists = []string{"uniform", "few-distinct", "specials", "sorted"}

var orders = []key.Order{
	{}, {Desc: true}, {NaNLast: true}, {Desc: true, NaNLast: true},
	{EqualZeros: true}, {Desc: true, NaNLast: true, EqualZeros: true},
}

// Run tests all key types and modes, and gives each Result to report as soon as
// it is there. Its error is the context's, or that of Open; wrong results are
// no error.
func Run(ctx context.Context, open Open, report func(Result)) error {
	sorters := make([]*gpusort.Sorter, len(orders))
	defer func() {
		for _, s := range sorters {
			if s != nil {
				s.Close()
			}
		}
	}()
	for i, o := range orders {
		s, err := open(o)
		if err != nil {
			return err
		}
		sorters[i] = s
	}
	for _, r := range key.Table() {
		for _, mode := range Modes {
			res := Result{Type: r.Type, Mode: mode}
			if err := runAll(ctx, sorters, &res); err != nil {
				return err
			}
			report(res)
		}
	}
	return nil
}

// runAll runs the cases of one type and mode.
func runAll(ctx context.Context, sorters []*gpusort.Sorter, res *Result) error {
	seed := uint64(1)
	for i, o := range orders {
		if (o.NaNLast || o.EqualZeros) && res.Type.Row().Kind != key.Float || o.EqualZeros && res.Mode == "keys" {
			continue // as without
		}
		sizes, err := sizesOf(func(n int) error { return goTypes[res.Type].supports(sorters[i], res.Mode, n) })
		if err != nil {
			res.skip(err)
			continue
		}
		for _, d := range dists {
			for _, n := range sizes {
				if err := ctx.Err(); err != nil {
					return err
				}
				seed++
				c := testCase{s: sorters[i], t: res.Type, o: o, d: dist.Must(d), n: n, seed: seed}
				err := c.run(ctx, res.Mode)
				res.note(sorters[i].Last(), n, err, fmt.Sprintf("%v %s %s n=%d %s", res.Type, res.Mode, d, n, orderName(o)))
			}
		}
	}
	return nil
}

// skip notes that no size can be sorted: a gap, or a device that does not answer.
func (r *Result) skip(err error) {
	if !errors.Is(err, gpusort.ErrUnsupported) {
		r.note(gpusort.Report{}, 0, err, fmt.Sprintf("%v %s", r.Type, r.Mode))
		return
	}
	if r.Skipped == 0 {
		r.Cases, r.Skipped, r.Why = r.Cases+1, 1, err
	}
}

// note counts a case. The sizes are those that the algorithm says it sorts, so
// that ErrUnsupported is a failure like any other.
func (r *Result) note(last gpusort.Report, n int, err error, name string) {
	r.Cases++
	r.Elapsed += last.Elapsed
	if n > 1 {
		r.Device, r.Algorithm = last.Device, last.Algorithm
	}
	if err == nil {
		if n > 1 {
			r.Sorted++
		}
		return
	}
	if r.Failed++; r.First == nil {
		r.First = fmt.Errorf("%s: %w", name, err)
	}
}

func orderName(o key.Order) string {
	s := "ascending"
	if o.Desc {
		s = "descending"
	}
	if o.NaNLast {
		s += ", NaN last"
	}
	if o.EqualZeros {
		s += ", zeros tie"
	}
	return s
}

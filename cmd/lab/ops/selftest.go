package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// Tested is what became of all cases of all operations.
type Tested struct {
	Cases, Failed int
	Skipped       int   // cases that a device does not do
	First         error // the first failure, with its case
}

// SelfTest does every operation on small and medium inputs of every key type and checks
// the results. Its error is the context's; wrong results are no error.
func SelfTest(ctx context.Context) (t Tested, err error) {
	err = eachCase(ctx, 20_000, func(s Spec) error {
		w, err := New(s)
		if err != nil {
			return err
		}
		if err := w.Draw(s.Items); err != nil {
			return nil // floats that Go orders in another way
		}
		_, err = w.Run(ctx, Ours, 0, time.Now)
		if ctx.Err() == nil {
			t.count(s, err)
		}
		return ctx.Err()
	})
	return t, err
}

// eachCase calls f with every operation on every key type and some inputs, of up to so many
// items, until it returns an error or ctx ends.
func eachCase(ctx context.Context, most uint64, f func(Spec) error) error {
	for _, o := range All() {
		for _, row := range key.Table() {
			if o.StringLen != 0 && row.Type != key.U32 {
				continue // words have no key type
			}
			for _, d := range []string{"uniform", "few-distinct", "sorted"} {
				for _, n := range []uint64{1, 2, 33, 1000, 20_000, 300_007} {
					if n > most || n > 1000 && d != "uniform" {
						continue
					}
					s, err := Spec{Op: o.Name, Type: row.Type, Items: n, Dist: dist.Must(d)}.Complete()
					if err == nil {
						err = ctx.Err()
					}
					if err == nil {
						err = f(s)
					}
					if err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// count notes what became of a case that was tried.
func (t *Tested) count(s Spec, err error) {
	if t.Cases++; err == nil {
		return
	}
	if t.Failed++; t.First == nil {
		t.First = fmt.Errorf("%s, %v %s n=%d: %w", s.Words(), s.Type, s.Dist.Name, s.Items, err)
	}
}

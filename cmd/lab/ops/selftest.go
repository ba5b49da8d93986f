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
	for _, o := range All() {
		for _, row := range key.Table() {
			if o.StringLen != 0 && row.Type != key.U32 {
				continue // words have no key type
			}
			for _, d := range []string{"uniform", "few-distinct", "sorted"} {
				for _, n := range []uint64{1, 2, 33, 1000, 20_000} {
					if n > 1000 && d != "uniform" {
						continue
					}
					if err := ctx.Err(); err != nil {
						return t, err
					}
					s, err := Spec{Op: o.Name, Type: row.Type, Items: n, Dist: dist.Must(d)}.Complete()
					if err != nil {
						return t, err
					}
					w, err := New(s)
					if err != nil {
						return t, err
					}
					if w.Draw(n) != nil {
						continue // floats that Go orders in another way
					}
					t.Cases++
					if _, err := w.Run(ctx, Ours, 0, time.Now); err != nil {
						if ctx.Err() != nil {
							return t, ctx.Err()
						}
						if t.Failed++; t.First == nil {
							t.First = fmt.Errorf("%s, %v %s n=%d: %w", s.Words(), row.Type, d, n, err)
						}
					}
				}
			}
		}
	}
	return t, nil
}

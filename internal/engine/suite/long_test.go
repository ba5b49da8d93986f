package suite

import (
	"context"
	"fmt"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestLongSlices sorts host memory long enough that the device works while the link
// does, ordinary and page-locked, three times each, so that graphs and kept memory
// are used, too. The keys' last tile is not full.
func TestLongSlices(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		if !full(c) || c.CPU {
			skip(t, 1, c.ID+": long slices are sorted as a whole here, or the grid is short")
			return
		}
		e, err := engine.New(engine.Config{Device: c.ID})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, d := range []string{"uniform", "sorted", "zipf"} {
			p := plan.Problem{Type: key.U32, Items: 1<<26 + 12345}
			tally(t, fmt.Sprintf("%s/u32/%s", c.ID, d), long[uint32](e, p, d))
			p = plan.Problem{Type: key.U64, Items: 1<<26 + 777}
			tally(t, fmt.Sprintf("%s/u64/%s", c.ID, d), long[uint64](e, p, d))
		}
	})
}

// long sorts one input from both kinds of memory.
func long[U key.Word](e *engine.Engine, p plan.Problem, d string) error {
	in := make([]U, p.Items)
	dist.Fill(in, dist.Must(d), p.Type, seed)
	want := verify.Multiset(in)
	m, err := e.AllocPinned(p.KeyBytes())
	if err != nil {
		return err
	}
	defer m.Close()
	for name, x := range map[string][]U{"ordinary": make([]U, p.Items), "page-locked": unsafe.Slice((*U)(m.Pointer()), p.Items)} {
		for turn := range 3 {
			copy(x, in)
			_, err := e.Sort(context.Background(), op.Job{Spec: p, At: op.Memory{unsafe.Pointer(unsafe.SliceData(x))}})
			if err != nil {
				return fmt.Errorf("%s, turn %d: %w", name, turn, err)
			}
			if i := verify.FirstDisorder(x, p.Codec()); i >= 0 {
				return fmt.Errorf("%s, turn %d: disorder at position %d", name, turn, i)
			}
			if got := verify.Multiset(x); got != want {
				return fmt.Errorf("%s, turn %d: not the same keys: input has %v, output %v", name, turn, want, got)
			}
		}
	}
	return nil
}

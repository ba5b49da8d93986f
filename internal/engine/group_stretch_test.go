package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestGroupMerges: parts are merged, not sorted once more, whatever the keys' type and order.
func TestGroupMerges(t *testing.T) {
	for _, n := range []int{2, 3} {
		for _, memory := range []uint64{1 << 30, 40000} { // beside the shares, and in place
			for _, r := range key.Table() {
				for i := range 4 {
					p := plan.Problem{Type: r.Type, Items: 3000, Order: key.Order{Desc: i&1 != 0, NaNLast: i&2 != 0}}
					if r.Type == key.I16 || memory < 1<<20 && r.Bits == 8 {
						continue
					}
					tr := trace.New(newGroupFake(fake.Linked, n, memory))
					e, err := groupEngine(t, tr, 0, nil)
					if err != nil {
						t.Fatal(err)
					}
					what := fmt.Sprintf("%d devices, %d bytes, %v %+v", n, memory, p.Type, p.Order)
					groupSortOnce(t, e, p, groupInputs["spread"], what)
					if sorts := strings.Count(tr.String(), "Launch gs_fake_sort_"); sorts != n {
						t.Errorf("%s: %d sorts", what, sorts)
					}
					if err := e.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

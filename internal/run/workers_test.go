package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key/linekey"
)

// TestManyWorkers: on a machine of many processors a small budget has fewer of them work,
// rather than that their blocks take all of it, or more.
func TestManyWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 8, 16, 64, 1000} {
		for _, budget := range []uint64{0, LeastBudget, 64 << 20, 4 << 30} {
			o := Options{Workers: workers, Budget: budget}.complete()
			if o.Workers < 1 || o.Workers > workers || o.fixed() > o.Budget/2 {
				t.Errorf("%d workers, budget %d: %d workers whose blocks take %d", workers, budget, o.Workers, o.fixed())
			}
		}
	}
	var lines strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&lines, "%d\n", 1_000_000+i*7919%200_000)
	}
	in := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(lines.String())), nil }
	var out bytes.Buffer
	o := optionsOf(linekey.Spec{Separator: -1})
	o.Workers, o.Budget, o.block, o.Temp = 64, LeastBudget, 0, []string{t.TempDir()}
	st, err := Sort(context.Background(), o, []Input{in}, -1, &out)
	if err != nil || st.RowsOut != 200_000 || !strings.HasPrefix(out.String(), "1000000\n1000001\n") {
		t.Errorf("%+v, %v", st, err)
	}
}

package algo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestKind: an algorithm is given no operation but its own.
func TestKind(t *testing.T) {
	c := driver.Caps{Backend: "fake"}
	yes := func(plan.Problem, driver.Caps) error { return nil }
	for _, a := range []algo.Algorithm{
		{Name: "sorts", Backends: []string{"fake"}, Supports: yes},
		{Name: "sums", Kind: op.InclusiveSums, Backends: []string{"fake"}, Supports: yes},
	} {
		for kind := op.Sort; kind <= op.InclusiveSums; kind++ {
			err := a.Check(plan.Problem{Kind: kind, Type: key.U32, Items: 9}, c)
			if kind == a.Kind && err != nil {
				t.Errorf("%s: %v: %v", a.Name, kind, err)
			}
			if kind != a.Kind && (!errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), kind.String())) {
				t.Errorf("%s: %v is not refused: %v", a.Name, kind, err)
			}
		}
	}
}

package selftest

import (
	"context"
	"errors"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/key"
)

func open(o key.Order) (*gpusort.Sorter, error) {
	opts := []gpusort.Option{gpusort.WithDevice("cpu")}
	if o.Desc {
		opts = append(opts, gpusort.WithDescending())
	}
	if o.NaNLast {
		opts = append(opts, gpusort.WithNaNLast())
	}
	return gpusort.New(opts...)
}

func TestCPUPasses(t *testing.T) {
	results := 0
	err := Run(t.Context(), open, func(r Result) {
		results++
		if r.Failed != 0 || r.Skipped != 0 || r.Cases < 56 {
			t.Errorf("%+v", r)
		}
	})
	if err != nil || results != len(key.Table())*len(Modes) {
		t.Fatalf("%d results, %v", results, err)
	}
}

// TestFindsWrongOrder gives sorters of the wrong direction.
func TestFindsWrongOrder(t *testing.T) {
	wrong := func(o key.Order) (*gpusort.Sorter, error) { o.Desc = !o.Desc; return open(o) }
	err := Run(t.Context(), wrong, func(r Result) {
		if r.Failed == 0 || r.First == nil {
			t.Errorf("%v %s passes", r.Type, r.Mode)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, open, func(Result) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

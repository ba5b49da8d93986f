package calibrate

import (
	"context"
	"errors"
	"testing"

	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// TestCheck: every size of every type once, with a time for auto and the processor.
func TestCheck(t *testing.T) {
	t.Setenv(cachedir.Env, t.TempDir())
	told := 0
	all, err := Check(context.Background(), Options{MostBytes: 64 << 10, Progress: func(done, total int, _ string) {
		if told++; done != told || total != 11 {
			t.Errorf("told of %d of %d", done, total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 6+5 || told != len(all) { // 2^4 … 2^14 and 2^12
		t.Errorf("%d sizes, told of %d", len(all), told)
	}
	for i, c := range all {
		id, best := c.Best()
		if c.Auto <= 0 || c.Forced["cpu"] <= 0 || best <= 0 || c.Ratio() != c.Auto/best || c.Forced[id] != best || c.Choice != "cpu" {
			t.Errorf("%+v", c)
		}
		if i > 0 && all[i-1].Type == c.Type && c.Items != 4*all[i-1].Items {
			t.Errorf("%d keys behind %d", c.Items, all[i-1].Items)
		}
	}
}

func TestCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, Options{MostBytes: 1 << 12}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestBest(t *testing.T) {
	c := Checked{Choice: "opencl:1", Auto: 3, Forced: map[string]float64{"cpu": 2, "cuda:0": 2, "opencl:1": 5}}
	if id, s := c.Best(); id != "cpu" || s != 2 || c.Ratio() != 1.5 || c.Regret() != 2.5 {
		t.Errorf("%s %v %v", id, s, c.Ratio())
	}
}

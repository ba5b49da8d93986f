package ops

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

func spec(op, typ, d string, items uint64) Spec {
	t, err := key.Parse(typ)
	if err != nil {
		panic(err)
	}
	s, err := Spec{Op: op, Type: t, Items: items, Dist: dist.Must(d)}.Complete()
	if err != nil {
		panic(err)
	}
	return s
}

// TestEveryOperation: both contenders of every operation give what is checked.
func TestEveryOperation(t *testing.T) {
	for _, o := range All() {
		for _, typ := range []string{"u8", "u32", "i64", "f64"} {
			for _, d := range []string{"uniform", "few-distinct", "sorted"} {
				for _, n := range []uint64{1, 2, 100, 5000} {
					w, err := New(spec(o.Name, typ, d, n))
					if err != nil {
						t.Fatal(err)
					}
					for seed := range uint64(2) {
						if err := w.Draw(seed); err != nil {
							t.Fatal(err)
						}
						for _, by := range []string{Ours, Go} {
							if _, err := w.Run(t.Context(), by, 1, time.Now); err != nil {
								t.Errorf("%s of %d %s %s by %s: %v", o.Name, n, d, typ, by, err)
							}
						}
					}
				}
			}
		}
		if o.Call == "" || o.Peer == "" || o.Doc == "" || o.Cost == "" {
			t.Errorf("%s: %+v", o.Name, o)
		}
	}
}

// TestChecksSeeWhatIsWrong: results with one mistake are refused.
func TestChecksSeeWhatIsWrong(t *testing.T) {
	a := &array[uint32]{spec: spec("segmented", "u32", "few-distinct", 1000)}
	draw := func(op string) {
		a.spec = spec(op, "u32", "few-distinct", 1000)
		a.in = nil
		if err := a.Draw(7); err != nil {
			t.Fatal(err)
		}
	}
	draw("segmented")
	copy(a.x, a.in)
	if a.checkSegments() == nil {
		t.Error("unsorted segments pass")
	}
	draw("count")
	values, counts := countInMap(a.in)
	if err := a.checkCounts(values, counts); err != nil {
		t.Error(err)
	}
	counts[1]++
	if a.checkCounts(values, counts) == nil || a.checkCounts(values[1:], counts[1:]) == nil || a.checkCounts(values[:2], counts[:3]) == nil {
		t.Error("wrong counts pass")
	}
	draw("search")
	got := make([]int, len(a.queries))
	if checkPlaces(a, got) == nil || checkPlaces(a, got[1:]) == nil {
		t.Error("wrong places pass")
	}
	draw("gather")
	copy(a.dst, a.in)
	if a.checkGathered() == nil {
		t.Error("keys that were not gathered pass")
	}
	if same("key", []int{1, 2}, []int{1, 3}) == nil || same("key", []int{1}, []int{1, 3}) == nil {
		t.Error("different keys pass")
	}
}

func TestSpecs(t *testing.T) {
	for _, c := range []struct {
		s     Spec
		words string
		err   string
	}{
		{Spec{Op: "topk", Items: 100}, "topk of 10", ""},
		{Spec{Op: "topk", Items: 100, K: 3}, "topk of 3", ""},
		{Spec{Op: "select", Items: 100}, "select of 50", ""},
		{Spec{Op: "merge", Items: 100}, "merge of 8 runs", ""},
		{Spec{Op: "segmented", Items: 100, Segments: 5}, "segmented, 5 segments", ""},
		{Spec{Op: "strings", Items: 100}, "strings of 16 bytes", ""},
		{Spec{Op: "unique", Items: 100}, "unique", ""},
		{Spec{Op: "unique", Items: 100, K: 4}, "", "unique takes no K"},
		{Spec{Op: "gather", StringLen: 4}, "", "takes no StringLen"},
		{Spec{Op: "select", Items: 3, K: 4}, "", "K is 4 of 3 items"},
		{Spec{Op: "shuffle"}, "", "known are sort, topk"},
	} {
		got, err := c.s.Complete()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v: %v, want %q", c.s, err, c.err)
			}
			continue
		}
		if err != nil || got.Words() != c.words {
			t.Errorf("%+v: %q, %v", c.s, got.Words(), err)
		}
	}
}

func TestSelfTest(t *testing.T) {
	got, err := SelfTest(t.Context())
	if err != nil || got.Failed != 0 || got.First != nil || got.Cases < 500 {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := SelfTest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

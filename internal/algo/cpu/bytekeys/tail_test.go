package bytekeys

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gpusort/gpusort/internal/check/soak"
)

// TestTail orders rows by strings of each kind, and those that tie by others.
func TestTail(t *testing.T) {
	r, take := soak.Rand(t), soak.Share(t, 4, 1)
	for first := range inputs {
		for then := range inputs {
			if !take() {
				continue
			}
			n := 1 + r.IntN(3000)
			if r.IntN(40) == 0 {
				n = 70_000
			}
			if first == "lengths" || then == "lengths" {
				n = min(n, 3000)
			}
			a, b := made(first, n, r.Uint64()), made(then, n, r.Uint64())
			for _, desc := range []bool{false, true} {
				checkTail(t, first+", then "+then, a, b, Options{Workers: 1 + r.IntN(3), Desc: desc})
			}
		}
	}
}

func checkTail(t *testing.T, what string, a, b [][]byte, o Options) {
	t.Helper()
	want := make([]uint32, len(a))
	for i := range want {
		want[i] = uint32(i)
	}
	slices.SortStableFunc(want, func(i, j uint32) int {
		if o.Desc {
			i, j = j, i
		}
		if c := bytes.Compare(a[i], a[j]); c != 0 {
			return c
		}
		return bytes.Compare(b[i], b[j])
	})
	var guarded atomic.Int64
	o.Guard = func(work func()) {
		guarded.Add(1)
		work()
	}
	for _, o.Tail = range []Source{list{s: b}, touched{list{s: b}, t, new(atomic.Int64)}} {
		got := make([]uint32, len(a))
		if err := Argsort(never, got, list{s: a}, o); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, %+v: wrong order, %v", what, len(a), o, err)
		}
	}
	if guarded.Load() < 2 {
		t.Errorf("%s: %d goroutines were guarded in two sorts", what, guarded.Load())
	}
}

// TestGuard: each goroutine that looks at strings does so in the guard.
func TestGuard(t *testing.T) {
	s := made("words", 200_000, 3)
	slices.Reverse(s)
	var now, most atomic.Int64
	in := insideOnly{s, &now, t}
	o := Options{Workers: 4, Guard: func(work func()) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		work()
	}}
	if err := Argsort(never, make([]uint32, len(s)), in, o); err != nil || most.Load() < 2 {
		t.Errorf("%v; at most %d goroutines at a time", err, most.Load())
	}
	rand.Shuffle(40, func(i, j int) { s[i], s[j] = s[j], s[i] })
	if err := Argsort(never, make([]uint32, 40), insideOnly{s[:40], &now, t}, o); err != nil {
		t.Error(err)
	}
}

// insideOnly is strings that are looked at in guards alone.
type insideOnly struct {
	s   [][]byte
	now *atomic.Int64
	t   *testing.T
}

func (c insideOnly) Len() int { return len(c.s) }

func (c insideOnly) Bytes(row uint32) []byte {
	if c.now.Load() == 0 {
		c.t.Error("a string is looked at outside of the guard")
	}
	return c.s[row]
}

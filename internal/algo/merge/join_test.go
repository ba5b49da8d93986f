package merge

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// words is what the tests of joins need of a width.
type words interface{ ~uint32 | ~uint64 }

// twoRuns returns n keys of few or many different values, the largest ones among
// them, whose first head and other keys are sorted.
func twoRuns[U words](r *rand.Rand, n, head, most int) []U {
	x := make([]U, n)
	for i := range x {
		x[i] = U(r.Uint64())
		if most != 0 {
			x[i] = ^U(0) - U(r.IntN(most))
		}
	}
	slices.Sort(x[:head])
	slices.Sort(x[head:])
	return x
}

// joinOne merges one pair of runs by run, which returns the scratch memory after a
// plan, and compares with a sort.
func joinOne[U words](t *testing.T, r *rand.Rand, c driver.Caps, n, head, most, partBytes int, run func(pl plan.Plan, keys []byte) (scratch []byte)) {
	t.Helper()
	p := plan.Problem{Type: key.U32, Items: uint64(n)}
	if unsafe.Sizeof(U(0)) == 8 {
		p.Type = key.U64
	}
	j, err := PlanJoin(p, uint64(head), uint64(partBytes), c)
	if err != nil {
		t.Fatalf("%d of %d: %v", head, n, err)
	}
	x := twoRuns[U](r, n, head, most)
	keys := make([]byte, j.Room)
	copy(unsafe.Slice((*U)(unsafe.Pointer(&keys[0])), n), x)
	scratch := run(j.Plan, keys)
	got := unsafe.Slice((*U)(unsafe.Pointer(&scratch[j.Out.Off])), n)
	slices.Sort(x)
	if !slices.Equal(got, x) {
		at := 0
		for got[at] == x[at] {
			at++
		}
		t.Errorf("%v: %d of %d keys of %d values in %d parts: key %d is %#x, want %#x", p.Type, head, n, most, len(j.Merges()), at, got[at], x[at])
	}
}

// joins calls f for sizes about a tile's, heads from half to nearly all, and parts
// of a tile to the whole.
func joins(r *rand.Rand, tile int, f func(n, head, most, partBytes int)) {
	for i, n := range []int{100, tile - 1, tile, 2*tile + 1, 3 * tile, 5*tile - 7, 7 * tile, 9*tile + 31} {
		padded := (n + tile - 1) / tile * tile
		least := (padded + 1) / 2
		if least >= n {
			continue // the filled second run would be the longer one
		}
		f(n, least+r.IntN(n-least), []int{0, 3, 1}[i%3], []int{1, 3 * tile, 100 * tile}[i%3])
		f(n, n-1, 0, 8*tile)
		f(n, least, 2, 1)
	}
}

// passTile is the number of keys in a tile of a merge.
func passTile(t *testing.T, of key.Type, c driver.Caps) int {
	t.Helper()
	g, err := pathGeometry(plan.Problem{Type: of, Items: 1 << 30}, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	return int(g.tile(g.passThreads))
}

// TestJoinEmulated merges with the CUDA kernels' sources on the host.
func TestJoinEmulated(t *testing.T) {
	e := kerneltest.Build(t, "merge", "SM_90")
	c := devices["cuda"]
	c.MaxThreadsPerBlock = 64 // wide blocks take long here
	r := rand.New(rand.NewPCG(3, 1))
	run := func(pl plan.Plan, keys []byte) []byte {
		return e.Run(t, pl, keys, nil, 0, 0, func(string) int { return 2 })
	}
	joins(r, passTile(t, key.U32, c), func(n, head, most, part int) { joinOne[uint32](t, r, c, n, head, most, part, run) })
	joins(r, passTile(t, key.U64, c), func(n, head, most, part int) { joinOne[uint64](t, r, c, n, head, most, part, run) })
}

// TestJoin merges on every device present.
func TestJoin(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, k *kerneltest.Runner, c driver.Caps) {
		r := rand.New(rand.NewPCG(4, 1))
		run := func(pl plan.Plan, keys []byte) []byte { return k.Run(pl, keys, nil, 0, 0) }
		joins(r, passTile(t, key.U32, c), func(n, head, most, part int) { joinOne[uint32](t, r, c, n, head, most, part, run) })
		joins(r, passTile(t, key.U64, c), func(n, head, most, part int) { joinOne[uint64](t, r, c, n, head, most, part, run) })
	})
}

// TestJoinRefuses: what the kernels would merge wrongly is not planned.
func TestJoinRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		p    plan.Problem
		head uint64
	}{
		"signed":       {plan.Problem{Type: key.I32, Items: 1 << 20}, 1 << 19},
		"descending":   {plan.Problem{Type: key.U32, Items: 1 << 20, Order: key.Order{Desc: true}}, 1 << 19},
		"narrow":       {plan.Problem{Type: key.U16, Items: 1 << 20}, 1 << 19},
		"pairs":        {plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 1 << 20}, 1 << 19},
		"short head":   {plan.Problem{Type: key.U32, Items: 1 << 20}, 1<<19 - 1},
		"no tail":      {plan.Problem{Type: key.U32, Items: 1 << 20}, 1 << 20},
		"longer tail":  {plan.Problem{Type: key.U32, Items: 10}, 5},
		"nothing":      {plan.Problem{Type: key.U32}, 0},
		"no such head": {plan.Problem{Type: key.U32, Items: 1 << 20}, 1 << 21},
	} {
		if _, err := PlanJoin(c.p, c.head, 1<<20, devices["cuda"]); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v, want ErrUnsupported", what, err)
		}
	}
}

// TestJoinParts: the merges write the parts that the Join says, one after the
// other, and the memory suffices.
func TestJoinParts(t *testing.T) {
	for _, n := range []uint64{1 << 26, 1<<28 + 12345, 1 << 33} {
		p := plan.Problem{Type: key.U64, Items: n}
		j, err := PlanJoin(p, n-n/8, 64<<20, devices["cuda"])
		if err != nil {
			t.Fatal(err)
		}
		if j.Room < p.KeyBytes() || j.Room > p.KeyBytes()+1<<20 || j.ScratchBytes > j.Room+1<<25 || j.PartBytes < 64<<20 {
			t.Errorf("%d keys: room %d, scratch %d, parts of %d", n, j.Room, j.ScratchBytes, j.PartBytes)
		}
		if want := (j.Room + j.PartBytes - 1) / j.PartBytes; uint64(len(j.Merges())) != want {
			t.Errorf("%d keys: %d merges for %d parts", n, len(j.Merges()), want)
		}
		for k, s := range j.Merges() {
			if want := j.Out.Add(uint64(k) * j.PartBytes); s.Args[1].Ref != want {
				t.Errorf("%d keys, part %d is written at %+v, want %+v", n, k, s.Args[1].Ref, want)
			}
		}
	}
}

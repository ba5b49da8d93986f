package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/ranges"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// registerRanges has the kernels of package ranges for keys of U.
func registerRanges[U uint32 | uint64](d *fake.Driver, bits int) {
	d.Register(fmt.Sprintf("gs_ranges_sample_%d_keys", bits), func(b *fake.Block) {
		if b.ID.X != 0 {
			return
		}
		keys, n, log, c, out := fake.Slice[U](b, 0), b.Uint(1), b.Uint(2), key.Codec(b.Uint(3)), fake.Slice[uint64](b, 4)
		for i := range uint64(1) << log {
			out[i] = uint64(key.Encode(c, keys[n>>log*i+i*7%(n>>log)]))
		}
	})
	d.Register(fmt.Sprintf("gs_ranges_split_%d_keys", bits), func(b *fake.Block) {
		if b.ID.X != 0 {
			return
		}
		keys, out, c := fake.Slice[U](b, 0), fake.Slice[U](b, 1), key.Codec(b.Uint(3))
		lasts, rooms := fake.Slice[uint64](b, 4)[:ranges.Most-1], fake.Slice[uint32](b, 5)
		for _, k := range keys[:b.Uint(2)] {
			r, _ := slices.BinarySearchFunc(lasts, uint64(key.Encode(c, k)), func(last, k uint64) int {
				if uint64(U(last)) < k {
					return -1
				}
				return 1
			})
			room := rooms[r*ranges.RoomBytes/4:]
			if room[0] < room[1] {
				out[room[0]] = k
			}
			room[0]++
		}
	})
}

// rangesEngine is an engine on so many devices that exchange even a few keys by ranges.
func rangesEngine(t *testing.T, drv driver.Driver) (*Engine, error) {
	e, err := groupEngine(t, drv, 0, nil)
	if err == nil {
		e.exec.Sizes.RangesFrom, e.exec.Sizes.RangeBytes = 256, 4<<10
	}
	return e, err
}

func rangesFake(n int) *fake.Driver {
	list := make([]driver.Caps, n)
	for i := range list {
		list[i] = fake.Caps()
	}
	d := groupFakeOf(fake.Linked, list)
	registerRanges[uint32](d, 32)
	registerRanges[uint64](d, 64)
	return d
}

// rangesInputs are more inputs of sorts by ranges, and whether shares are sorted first.
var rangesInputs = map[string]struct {
	f      func(i, n uint64) uint64
	shares bool
}{
	"spread":   {groupInputs["spread"], false},
	"constant": {groupInputs["constant"], true},
	"sorted":   {groupInputs["sorted"], true},
	"reversed": {groupInputs["reversed"], true},
	"two":      {groupInputs["two"], true},
	"heavy":    {func(i, n uint64) uint64 { return i * 0x9e3779b97f4a7c15 >> 33 * (i * 0xd1b54a32d192ed03 >> 63) }, false}, // half are 0
	"apart":    {func(i, n uint64) uint64 { return i/(n/2)<<25 + i*0x9e3779b1%(1<<25) }, false},
	"crossed":  {func(i, n uint64) uint64 { return (1-i/((n+1)/2))<<25 + i*0x9e3779b1%(1<<25) }, false},
	"borders":  {func(i, n uint64) uint64 { return min(max(i*0x9e3779b1%(1<<20), 1<<18), 3<<18) }, false},
	"squares":  {func(i, n uint64) uint64 { x := i * 0x9e3779b1 % (1 << 16); return x * x }, false},
}

// TestSpreadRanges sorts memory spread over 2 to 8 devices by ranges: all types of 32 and 64
// bits, both orders. What is in order or has few keys is sorted first.
func TestSpreadRanges(t *testing.T) {
	for _, n := range []int{2, 3, 8} {
		for input, x := range rangesInputs {
			tr := trace.New(rangesFake(n))
			e, err := rangesEngine(t, tr)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range groupProblems(uint64(6000 * n)) {
				if p.Mode != plan.Keys || p.Type.Bits() < 32 {
					continue
				}
				what := fmt.Sprintf("%d devices, %s %v %+v", n, input, p.Type, p.Order)
				before := strings.Count(tr.String(), "gs_ranges_split")
				spreadOnce(t, e, p, x.f, what)
				// Reversed keys are sorted by the first of two sorts of each spread.
				if splits := strings.Count(tr.String(), "gs_ranges_split") - before; splits != 0 == x.shares {
					t.Errorf("%s: %d splits", what, splits)
				}
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSpreadRangesShort: keys whose sample says too little are sorted all the same.
func TestSpreadRangesShort(t *testing.T) {
	drv := rangesFake(2)
	drv.Register("gs_ranges_sample_64_keys", func(b *fake.Block) {
		for i := range uint64(1) << b.Uint(2) {
			fake.Slice[uint64](b, 4)[i] = 1<<40 + i*0x9e3779b97f4a7c15>>30
		}
	})
	tr := trace.New(drv)
	e, err := rangesEngine(t, tr)
	if err != nil {
		t.Fatal(err)
	}
	spreadOnce(t, e, plan.Problem{Type: key.U64, Items: 9001}, groupInputs["spread"], "a wrong sample")
	if log := tr.String(); !strings.Contains(log, "gs_ranges_split") || !strings.Contains(log, "gs_merge_pass") {
		t.Error("the split was not tried, or not given up")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestSpreadRangesFaults is TestSpreadFaults of sorts by ranges.
func TestSpreadRangesFaults(t *testing.T) {
	for _, kind := range []driver.Error{{Name: "BROKEN", Code: 99}, {Name: "NO_MEMORY", Code: 4, Class: driver.ErrOutOfMemory}} {
		spreadFaults(t, plan.Problem{Type: key.U32, Items: 4001}, kind, func() *fake.Driver { return rangesFake(3) },
			func(drv driver.Driver) (*Engine, error) { return rangesEngine(t, drv) })
	}
}

package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// anyKeys are n keys of `bits` for so many shares: alike or apart, with some heavy ones.
func anyKeys(r *rand.Rand, n uint64, shares, bits int) []uint64 {
	mask := ^uint64(0) >> (64 - bits)
	heavy := []uint64{0, mask, mask - 1, 1, r.Uint64() & mask, mask >> 1, mask>>1 + 1}[:1+r.IntN(7)]
	often, kind, width := []float64{0, 0.1, 0.5, 0.97}[r.IntN(4)], r.IntN(4), uint64(1)<<(8+r.IntN(bits-8))
	keys := make([]uint64, n)
	for i := range keys {
		share, x := uint64(i)*uint64(shares)/n, r.Uint64N(1<<21)
		keys[i] = []uint64{r.Uint64(), share*width + r.Uint64N(width), uint64(shares)*width - share*width + r.Uint64N(width), x * x * x}[kind]
		if r.Float64() < often {
			keys[i] = heavy[r.IntN(len(heavy))]
		}
		keys[i] &= mask
	}
	return keys
}

// TestSpreadRangesAny: 2 to 17 devices, any keys, ranges of any length, samples that say too
// little, and memory and limits with too little room for ranges.
func TestSpreadRangesAny(t *testing.T) {
	r := soak.Rand(t)
	turns, ranged := 60, 0
	if testing.Short() {
		turns = 8
	}
	for turn := range turns {
		n := []int{2, 2, 3, 4, 5, 8, 12, 13, 16, 17}[r.IntN(10)]
		p := plan.Problem{Type: []key.Type{key.U32, key.U64, key.I32, key.F32, key.F64}[r.IntN(5)], Items: uint64(n)*uint64(70+r.IntN(2500)) + uint64(r.IntN(n))}
		p.Order = key.Order{Desc: r.IntN(2) == 0, NaNLast: r.IntN(2) == 0}
		share := p.KeyBytes()/uint64(n) + exec.Slack
		list := make([]driver.Caps, n)
		for i := range list {
			list[i] = fake.Caps()
			if turn%4 == 1 {
				list[i].GlobalBytes = 3*share + r.Uint64N(40000)
			}
		}
		drv := groupFakeOf(fake.Linked, list)
		registerRanges[uint32](drv, 32)
		registerRanges[uint64](drv, 64)
		if turn%5 == 1 {
			misleadRanges[uint32](drv, 32)
			misleadRanges[uint64](drv, 64)
		}
		limit := uint64(0)
		if turn%4 == 2 {
			limit = 2*share + r.Uint64N(40000)
		}
		tr := trace.New(drv)
		e, err := groupEngine(t, tr, limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		e.exec.Sizes.RangesFrom, e.exec.Sizes.RangeBytes = 64, 256<<r.IntN(6)
		keys := anyKeys(r, p.Items, n, p.Type.Bits())
		spreadOnce(t, e, p, func(i, _ uint64) uint64 { return keys[i] }, fmt.Sprintf("turn %d: %d devices, limit %d, %v %+v n=%d", turn, n, limit, p.Type, p.Order, p.Items))
		if strings.Contains(tr.String(), "gs_ranges_split") {
			ranged++
		}
		if err := e.Close(); err != nil || drv.Live() != 0 {
			t.Errorf("turn %d: close: %v, %d objects leaked", turn, err, drv.Live())
		}
	}
	if ranged < turns/4 {
		t.Errorf("%d of %d sorts were by ranges", ranged, turns)
	}
}

// misleadRanges has samples come from the first eighth of a share.
func misleadRanges[U uint32 | uint64](d *fake.Driver, bits int) {
	d.Register(fmt.Sprintf("gs_ranges_sample_%d_keys", bits), func(b *fake.Block) {
		if b.ID.X != 0 {
			return
		}
		keys, n, c, out := fake.Slice[U](b, 0), max(b.Uint(1)/8, 1), key.Codec(b.Uint(3)), fake.Slice[uint64](b, 4)
		for i := range uint64(1) << b.Uint(2) {
			out[i] = uint64(key.Encode(c, keys[i*7919%n]))
		}
	})
}

package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// valueAmong is one of `many` values of which some share a bin, in both halves; the last has all bits set.
func valueAmong(r *rand.Rand, many uint64) uint64 {
	v := r.Uint64() % many
	if v == many-1 {
		return ^uint64(0)
	}
	return (v/5<<24 | v%5) * 0x0000_0001_0000_0001
}

// amongOthers have few values and some other keys, a few of which lie in a bin of values.
var amongOthers = []input{
	{"30 values, 5 % unlisted", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%20 == 0 {
			return r.Uint64() & 0x00ff_ffff_00ff_ffff >> (r.Uint64() % 4)
		}
		return valueAmong(r, 30)
	}},
	{"12 values, one other", func(r *rand.Rand, i, n int) uint64 {
		if i == n-1 {
			return 0x0100_0001_0100_0001
		}
		return valueAmong(r, 12)
	}},
	// Others that come back are as equal as values.
	{"25 values, equal unlisted", func(r *rand.Rand, i, n int) uint64 {
		if i >= 400 && r.Uint64()%16 == 0 {
			return (r.Uint64()%7 + 1) * 0x0000_0100_0000_0100
		}
		return valueAmong(r, 25)
	}},
	// The sample has none of the unlisted keys, which are too many.
	{"25 values, many unlisted behind", func(r *rand.Rand, i, n int) uint64 {
		if i >= 5*256 && r.Uint64()%2 == 0 {
			return r.Uint64() & 0x00ff_ffff_00ff_ffff
		}
		return valueAmong(r, 25)
	}},
	// The sample has more than are left out.
	{"25 values, a fifth unlisted", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%5 == 0 {
			return r.Uint64() & 0x00ff_ffff_00ff_ffff
		}
		return valueAmong(r, 25)
	}},
	// The largest encoded key is one of the unlisted keys, or the only value that is not.
	{"25 values, the largest once", func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return ^uint64(0)
		}
		return valueAmong(r, 25) & 0x7fff_ffff_7fff_ffff
	}},
}

// TestFewAmongUnlistedEmulated sorts them, keys alone and, for which unlisted keys are left to other paths, pairs.
func TestFewAmongUnlistedEmulated(t *testing.T) {
	forms := []plan.Problem{
		{Type: key.U32, Items: 4096},
		{Type: key.F32, Items: 2900},
		{Type: key.I32, Items: 4864, Order: key.Order{Desc: true}},
		{Type: key.U64, Items: 4095},
		{Type: key.F64, Items: 3073, Order: key.Order{NaNLast: true}},
		{Type: key.F64, Items: 4700},
		{Type: key.U64, Items: 1500, Order: key.Order{Desc: true}},
		{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 4000},
	}
	exe := kerneltest.Build(t, "small", "SM_90")
	for turn, in := range amongOthers {
		for _, p := range forms {
			emulateProblem(t, exe, planBlock, p, h200, in, turn)
		}
	}
}

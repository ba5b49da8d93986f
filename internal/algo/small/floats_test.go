package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestFloatsEmulated: skewed floats with those at both ends of the order, many and few,
// and with their neighbours, in every order.
func TestFloatsEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	turn := 0
	for _, ty := range []key.Type{key.F32, key.F64} {
		for _, order := range []key.Order{{}, {NaNLast: true}, {Desc: true}, {NaNLast: true, Desc: true}} {
			for _, ends := range []uint64{7, 300, 3000} { // one key in so many
				p := plan.Problem{Type: ty, Mode: plan.Keys, Items: uint64(4096 - turn%3*517), Order: order}
				if turn%2 == 1 {
					p.Mode, p.ValueBytes = plan.Pairs, 4
				}
				codec := p.Codec()
				in := input{"ends", func(r *rand.Rand, i, n int) uint64 {
					if r.Uint64N(ends) != 0 {
						return ands(r, 4)
					}
					encoded := r.Uint64N(2) ^ -r.Uint64N(2) // 0, 1, the largest and the one below
					if ty == key.F32 {
						return uint64(key.Decode(codec, uint32(encoded)))
					}
					return key.Decode(codec, encoded)
				}}
				emulateProblem(t, exe, planBlock, p, h200, in, turn)
				turn++
			}
		}
	}
}

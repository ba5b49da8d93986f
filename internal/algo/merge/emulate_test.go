package merge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
)

var both = []algo.Algorithm{Path, Separators}

// TestEmulated runs both algorithms' plans with the CUDA kernels' sources on the
// host: every type and mode, layouts of threads and blocks, sizes about a tile's
// and odd alignments.
func TestEmulated(t *testing.T) {
	for _, target := range []struct {
		name   string
		caps   driver.Caps
		layout []algo.Params
	}{
		{"SM_90", devices["cuda"], []algo.Params{{Threads: 32}, {Threads: 64, Blocks: 1}, {Threads: 32, Blocks: 7}, {Threads: 128, Blocks: 3}, {Threads: 64}, {}}},
		{"PTX", devices["ptx"], []algo.Params{{Threads: 32, Blocks: 2}, {}}},
	} {
		if target.name == "PTX" && testing.Short() {
			continue // the same kernels with narrower blocks
		}
		e := kerneltest.Build(t, "merge", target.name)
		t.Run(target.name, func(t *testing.T) {
			turn := 0
			for _, row := range key.Table() {
				for _, p := range kerneltest.Forms(row.Type) {
					for _, a := range both {
						turn++
						l := target.layout[turn%len(target.layout)]
						r := rand.New(rand.NewPCG(uint64(turn), 9))
						tile := tileOf(t, a, p, target.caps, l)
						n := []int{1, 2, tile - 1, tile, tile + 1, 2*tile + 1, 3*tile - 5, 5 * tile, 6*tile + 31, 1 + r.IntN(9*tile)}[r.IntN(10)]
						if l.Threads == 0 {
							n = 1 + r.IntN(2*tile) // wide blocks take long here
						}
						caps := target.caps
						if turn%3 == 0 {
							caps.ComputeUnits = 1 << 20 // no partition launches
						} else {
							caps.ComputeUnits = 1
						}
						s := newSample(r, p, turn, n)
						what := fmt.Sprintf("%s %+v, %s", a.Name, l, distributions[turn%len(distributions)].Name)
						pl, err := a.Plan(s.p, caps, l)
						if err != nil {
							t.Fatalf("%s: %v", what, err)
						}
						keys, values := bytes.Clone(s.keys), bytes.Clone(s.values)
						shift := uint64(r.IntN(40))
						e.Run(t, pl, keys, values, shift*uint64(p.Type.Bytes()), shift*uint64(p.ValueBytes), func(symbol string) int {
							if strings.Contains(symbol, "_pass_") {
								return 1
							}
							return 1 + turn%3
						})
						s.check(t, what, keys, values)
					}
				}
			}
		})
	}
}

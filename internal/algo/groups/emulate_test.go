package groups

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var noParams algo.Params

// TestEmulated runs the CUDA kernels on the host: every width and form, sizes at the edges
// of tiles, keys that begin anywhere, short and long runs, and too little room.
func TestEmulated(t *testing.T) {
	for target, c := range devices {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			run := kerneltest.Build(t, "groups", target).Together(t, 3)
			bytes, _ := geometry(c)
			turn := 0
			for i, ty := range types {
				tile := int(bytes) / ty.Bytes()
				r := rand.New(rand.NewPCG(uint64(i), bytes))
				for _, n := range []int{0, 1, 2, 3, 31, 1000, tile - 1, tile, tile + 1, 2 * tile, 5*tile + 77} {
					means := []int{1, 2, 40, 3000}
					if n > tile && testing.Short() {
						means = means[turn%2*2:][:2]
					}
					for _, mean := range means {
						x := keysOf(r, ty, n, mean)
						values, _ := expected(x)
						room, shift := len(values), turn%(16/ty.Bytes()+3)
						switch turn % 4 {
						case 1:
							room = n + 3
						case 2:
							room /= 2
						case 3:
							room = max(room-1, 0)
						}
						// Each form has its turn with each size and each room.
						check(t, run, c, forms[turn%len(forms)], ty, x, room, shift)
						turn++
					}
				}
			}
		})
	}
}

// TestEmulatedForms: all forms of keys that are all different, all equal, and of one group that
// begins with a tile or with the last key.
func TestEmulatedForms(t *testing.T) {
	for target, c := range devices {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			run := kerneltest.Build(t, "groups", target).Together(t, 3)
			bytes, _ := geometry(c)
			for _, ty := range []key.Type{key.U8, key.U16, key.U32, key.U64} {
				n := int(bytes)/ty.Bytes() + 50
				for i, f := range forms {
					for _, heads := range []func(int) bool{
						func(int) bool { return true }, func(int) bool { return false },
						func(x int) bool { return x == n-50 }, func(x int) bool { return x == n-1 },
					} {
						x := make([]uint64, n)
						for j := 1; j < n; j++ {
							if x[j] = x[j-1]; heads(j) {
								x[j] ^= 1 << (j % ty.Bits())
							}
						}
						check(t, run, c, f, ty, x, n, i%2*3)
						if i == 1 {
							check(t, run, c, f, ty, x, 0, 1)
						}
					}
				}
			}
		})
	}
}

// TestLookBack: one tile sums the words of as many before it as there are up to the nearest
// inclusive one, however far that lies.
func TestLookBack(t *testing.T) {
	for target, c := range devices {
		t.Run(target, func(t *testing.T) { lookBack(t, c, kerneltest.Build(t, "groups", target)) })
	}
}

func lookBack(t *testing.T, c driver.Caps, exe kerneltest.Emulator) {
	bytes, _ := geometry(c)
	for _, far := range []int{1, 2, 31, 32, 33, 64, 127, 128, 129, 160, 255, 256, 257, 300} {
		t.Run(fmt.Sprint(far), func(t *testing.T) {
			const at = 300 // the tile
			x := make([]byte, uint64(at)*bytes+17)
			x[len(x)-1] = 1 // two heads: the second is the last key
			p := plan.Problem{Kind: op.Groups, Type: key.U64, Items: uint64(len(x)) / 8, Other: 0}
			x = x[:p.KeyBytes()]
			x[len(x)-1] = 1
			pl, err := Plan(p, c, noParams)
			if err != nil {
				t.Fatal(err)
			}
			words := pl.Steps[0].Dst
			steps := pl.Steps
			pl.Steps = append([]plan.Step(nil), steps[0], set(words, at))
			var want uint64 = 1 // the tile's own: its first key is the same as the one before
			for i := range at {
				status, count := uint64(1)<<62, uint64(i*i+1)
				switch {
				case i == at-far:
					status = 2 << 62
				case i < at-far: // looked at in vain
					count = 1 << 40
				}
				if i >= at-far {
					want += count
				}
				word := words.Add(16 + 8*uint64(i))
				pl.Steps = append(pl.Steps, set(word, uint32(status|count)), set(word.Add(4), uint32((status|count)>>32)))
			}
			pl.Steps = append(pl.Steps, steps[1:]...)
			scratch := exe.Together(t, 3)(pl, kerneltest.Regions{x}, kerneltest.Shifts{})
			record := scratch[pl.Status.At.Off:]
			if number := binary.LittleEndian.Uint64(record[8:]); number != want || binary.LittleEndian.Uint32(record) != 1 {
				t.Errorf("%d groups, want %d and no room", number, want)
			}
			if got := binary.LittleEndian.Uint64(scratch[words.Off+16+8*at:]); got != 2<<62|want {
				t.Errorf("the tile's word is %x, want an inclusive %x", got, want)
			}
		})
	}
}

// set writes one word of 32 bits.
func set(at plan.Ref, v uint32) plan.Step {
	return plan.Step{Op: plan.OpMemset, Dst: at, Pattern: v, Bytes: 4}
}

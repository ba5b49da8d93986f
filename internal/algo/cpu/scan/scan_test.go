package scan

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestSums(t *testing.T) {
	forms := map[string]func([]uint64, bool){"hillis-steele": HillisSteele[uint64], "blelloch": Blelloch[uint64], "lookback": Lookback[uint64]}
	for name, f := range forms {
		for _, n := range []int{0, 1, 2, 3, 5, 31, 1024, 2047, 2048, 2049, 10000} {
			for _, inclusive := range []bool{false, true} {
				x := make([]uint64, n)
				want := make([]uint64, n)
				sum, mask := new(big.Int), new(big.Int).SetUint64(^uint64(0))
				for i := range x {
					x[i] = rand.Uint64()
					if inclusive {
						sum.Add(sum, new(big.Int).SetUint64(x[i]))
					}
					want[i] = new(big.Int).And(sum, mask).Uint64()
					if !inclusive {
						sum.Add(sum, new(big.Int).SetUint64(x[i]))
					}
				}
				f(x, inclusive)
				for i := range x {
					if x[i] != want[i] {
						t.Fatalf("%s, n=%d, inclusive=%v: element %d is %d, want %d", name, n, inclusive, i, x[i], want[i])
					}
				}
			}
		}
	}
	x := []uint32{1 << 31, 1 << 31, 7}
	Blelloch(x, true)
	if x[2] != 7 {
		t.Errorf("sums wrap at 2^32: %v", x)
	}
}

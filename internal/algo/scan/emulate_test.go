package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var h200, gtx1050 = kerneltest.Emulated("SM_90"), kerneltest.Emulated("PTX")

// layouts are blocks and threads as a user may set them; 0 is the policy's. An
// OpenCL compiler on a processor compiles each number of threads anew.
var layouts = []algo.Params{{}, {Threads: 32}, {Threads: 128, Blocks: 3}, {Threads: 128, Blocks: 1}, {Blocks: 7}, {Threads: 32, Blocks: 2}, {Threads: 128}}

// sums is the reference.
func sums[U key.Word](x []U, inclusive bool) []U {
	out := make([]U, len(x))
	var sum U
	for i, v := range x {
		out[i] = sum
		sum += v
		if inclusive {
			out[i] = sum
		}
	}
	return out
}

func random[U key.Word](r *rand.Rand, n int) []U {
	x := make([]U, n)
	for i := range x {
		x[i] = U(r.Uint64())
	}
	return x
}

// mismatch returns the first place where two slices differ, or -1.
func mismatch[U comparable](a, b []U) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// together: blocks of the look-back wait for one another.
func together(symbol string) int {
	if strings.Contains(symbol, "lookback") {
		return 3
	}
	return 1
}

// TestEmulated runs the CUDA kernels on the host.
func TestEmulated(t *testing.T) {
	for _, c := range []driver.Caps{h200, gtx1050} {
		target := "SM_90"
		if c.Arch < 90 {
			target = "PTX"
		}
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		c.ComputeUnits = 2
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "scan", target)
			turn := 0
			for _, a := range Scans() {
				sizes := []int{0, 1, 2, 3, 63, 64, 65, 2047, 2048, 2049, 8191, 8192, 8193, 70001}
				for _, n := range sizes {
					for _, inclusive := range []bool{false, true} {
						turn++
						l := layouts[turn%len(layouts)]
						t.Run(fmt.Sprintf("%s/n=%d/inclusive=%v/%+v", a.Name, n, inclusive, l), func(t *testing.T) {
							if turn%2 == 0 {
								emulate[uint32](t, exe, a.Algorithm(inclusive), key.U32, c, l, n, turn)
							} else {
								emulate[uint64](t, exe, a.Algorithm(inclusive), key.U64, c, l, n, turn)
							}
						})
					}
				}
			}
		})
	}
}

func emulate[U uint32 | uint64](t *testing.T, exe kerneltest.Emulator, a algo.Algorithm, ty key.Type, c driver.Caps, l algo.Params, n, turn int) {
	p := plan.Problem{Kind: a.Kind, Type: ty, Items: uint64(n)}
	if err := a.CheckWith(p, c, l); err != nil {
		t.Fatal(err)
	}
	pl, err := a.Plan(p, c, l)
	if err != nil {
		t.Fatal(err)
	}
	x := random[U](rand.New(rand.NewPCG(uint64(n), uint64(turn))), n)
	want := sums(x, a.Kind == op.InclusiveSums)
	exe.Run(t, pl, kerneltest.Bytes(x), nil, uint64(turn%5*ty.Bytes()), 0, together)
	if i := mismatch(x, want); i >= 0 {
		t.Fatalf("element %d is %d, want %d", i, x[i], want[i])
	}
}

// TestLimit: a word that an earlier step wrote says how many elements matter.
func TestLimit(t *testing.T) {
	exe := kerneltest.Build(t, "scan", "SM_90")
	c := h200
	c.ComputeUnits = 2
	const n = 20000
	for _, a := range Scans() {
		for _, limit := range []uint32{0, 1, 2048, 4097, n, n + 5} {
			b := plan.NewBuilder(a.Name, plan.Problem{Type: key.U32, Items: n})
			word := b.Scratch("limit", 4)
			b.Memset("limit", word, limit, 4)
			a.Append(b, algo.Sum{Data: plan.Ref{Region: plan.KeysIO}, Items: n, Bits: 32, Limit: &word}, c, algo.Params{})
			x := random[uint32](rand.New(rand.NewPCG(uint64(limit), 1)), n)
			want := sums(x, false)
			exe.Run(t, b.Plan(), kerneltest.Bytes(x), nil, 4, 0, together)
			m := min(limit, n)
			if i := mismatch(x[:m], want[:m]); i >= 0 {
				t.Fatalf("%s, limit %d: element %d is %d, want %d", a.Name, limit, i, x[i], want[i])
			}
		}
	}
}

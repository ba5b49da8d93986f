package rows

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
)

// BenchmarkArrange moves the headers of 10^7 strings, or $GPUSORT_BENCH_LOG2N, to random places: by way of a copy, and
// in place.
func BenchmarkArrange(b *testing.B) {
	n := 10_000_000
	if bits, err := strconv.Atoi(os.Getenv("GPUSORT_BENCH_LOG2N")); err == nil {
		n = 1 << bits
	}
	x, order, idx := make([]string, n), make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i], order[i] = "text", uint32(i)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	h := cpu.Options{}
	for name, move := range map[string]func() error{
		"copy":     func() error { return permute(h, x, idx) },
		"in place": func() error { return values.Arrange[string, struct{}](host(h), x, nil, idx) },
	} {
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				copy(idx, order)
				b.StartTimer()
				if err := move(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

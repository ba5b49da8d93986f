package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/op"
)

// BenchmarkPackTexts is what one worker takes for each of 2^22 strings of some bytes: their lengths, and the text and
// offsets in copies of 2 MiB, where they lie in memory in order, and elsewhere.
func BenchmarkPackTexts(b *testing.B) {
	const n, unit = 1 << 22, 2 << 20
	slot := make([]byte, unit)
	for _, size := range []int{8, 24, 100} {
		text := string(make([]byte, n*size))
		for _, apart := range []bool{false, true} {
			words := make([]string, n)
			for i := range words {
				words[i] = text[i*size : (i+1)*size]
			}
			if apart {
				rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { words[i], words[j] = words[j], words[i] })
			}
			x := MeasureTexts(op.HeadersOf(words), 1)
			pack := func(fill func(unsafe.Pointer, uint64, uint64), bytes uint64) {
				for off := uint64(0); off < bytes; off += unit {
					fill(unsafe.Pointer(&slot[0]), off, min(unit, bytes-off))
				}
			}
			for _, c := range []struct {
				name string
				do   func()
			}{
				{"lengths", func() { MeasureTexts(op.HeadersOf(words), 1) }},
				{"text", func() { pack(x.fill, x.All()) }},
				{"offsets", func() { pack(fillOffsets[uint32](x), 4*(n+1)) }},
			} {
				b.Run(fmt.Sprintf("%d bytes/apart=%v/%s", size, apart, c.name), func(b *testing.B) {
					for b.Loop() {
						c.do()
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/string")
				})
			}
		}
	}
}

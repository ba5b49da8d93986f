package table

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// TestZstdPages: pages of any length are unpacked as they were, and packing one behind a
// collection of garbage takes no new encoder.
func TestZstdPages(t *testing.T) {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	page := func(n int) []byte {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.IntN(1 + i>>14%7))
		}
		return b
	}
	var team sync.WaitGroup
	for _, n := range []int{0, 1, 1000, 128 << 10, 128<<10 + 1, pageWindow - 1, pageWindow, pageWindow + 1, 5*pageWindow + 3} {
		team.Go(func() {
			b := page(n)
			packed := codec.EncodeLevel(nil, b, zstdLevel)
			if got, err := compress.Decode(codec, make([]byte, n), packed); err != nil || !bytes.Equal(got, b) {
				t.Errorf("%d bytes: %d, %v", n, len(got), err)
			}
		})
	}
	team.Wait()
	b := page(200 << 10)
	dst := codec.EncodeLevel(make([]byte, 0, len(b)), b, zstdLevel)
	runtime.GC()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	codec.EncodeLevel(dst, b, zstdLevel)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("a page took %d bytes", took)
	}
}

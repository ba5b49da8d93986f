package exec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/op"
)

// TestTexts: whatever part of the bytes or offsets a copy fills, it is that of all strings behind each other.
func TestTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 41))
	for _, n := range []int{0, 1, 2, textsPart - 1, textsPart, textsPart + 1, 3*textsPart + 7} {
		for name, length := range map[string]func(i int) int{
			"short":          func(int) int { return r.IntN(20) },
			"empty":          func(int) int { return 0 },
			"empty but one":  func(i int) int { return i / max(n-1, 1) * 5000 },
			"parts of empty": func(i int) int { return i / textsPart % 2 * r.IntN(4) },
			"some long":      func(int) int { return 1 << r.IntN(12) },
		} {
			words := make([]string, n)
			for i := range words {
				words[i] = strings.Repeat(string(rune('a'+r.IntN(26))), length(i))
			}
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) { filled(t, words) })
		}
	}
}

func filled(t *testing.T, words []string) {
	lines, all := make([][]byte, len(words)), strings.Join(words, "")
	narrow, wide := make([]uint32, len(words)+1), make([]uint64, len(words)+1)
	for i, w := range words {
		lines[i] = []byte(w)
		wide[i+1] = wide[i] + uint64(len(w))
		narrow[i+1] = uint32(wide[i+1])
	}
	x := MeasureTexts(op.HeadersOf(words), 3)
	if y := MeasureTexts(op.HeadersOf(lines), 1); x.All() != uint64(len(all)) || y.All() != x.All() {
		t.Fatalf("%d and %d bytes, want %d", x.All(), y.All(), len(all))
	}
	for _, unit := range []uint64{8, 64, 1000, 1 << 20} {
		for _, c := range []struct {
			what string
			fill func(dst unsafe.Pointer, off, n uint64)
			want []byte
		}{
			{"strings", x.fill, []byte(all)},
			{"byte slices", MeasureTexts(op.HeadersOf(lines), 2).fill, []byte(all)},
			{"offsets of 4 bytes", fillOffsets[uint32](x), bytesOf(narrow)},
			{"offsets of 8 bytes", fillOffsets[uint64](x), bytesOf(wide)},
		} {
			if len(c.want)/int(unit) > 2000 {
				continue // most begin in the same parts
			}
			got := make([]byte, len(c.want))
			for off := uint64(0); off < uint64(len(got)); off += unit {
				c.fill(unsafe.Pointer(&got[off]), off, min(unit, uint64(len(got))-off))
			}
			if !bytes.Equal(got, c.want) {
				t.Errorf("%s in copies of %d bytes differ", c.what, unit)
			}
		}
	}
}

// bytesOf is x as bytes.
func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

package rows

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
)

// TestTouch: of each string the first and the last of n bytes behind depth are read, as far as it has them.
func TestTouch(t *testing.T) {
	words := []string{"", "a", "ab", "abc", "abcdefghijk", strings.Repeat("xy", 40)}
	var lines [][]byte
	for _, w := range words {
		lines = append(lines, []byte(w))
	}
	all := make([]uint32, bytekeys.TouchRows)
	for depth := range 13 {
		for n := 1; n < 20; n++ {
			var want byte
			for i := range all {
				all[i] = uint32((i*7 + depth + n) % len(words))
				if w := words[all[i]]; depth < len(w) {
					part := w[depth:min(len(w), depth+n)]
					want ^= part[0] ^ part[len(part)-1]
				}
			}
			if s, b := texts(words).Touch(all, depth, n), slicesOfBytes(lines).Touch(all, depth, n); s != want || b != want {
				t.Fatalf("%d bytes behind %d: %d of strings, %d of byte slices, want %d", n, depth, s, b, want)
			}
		}
	}
	for i, w := range words {
		row := []uint32{uint32(i)}
		if len(w) > 2 && texts(words).Touch(row, 1, 2) != w[1]^w[2] {
			t.Errorf("%q: other bytes than 1 and 2 are read", w)
		}
	}
}

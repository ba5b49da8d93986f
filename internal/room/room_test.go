package room

import (
	"math"
	"strings"
	"testing"
)

func TestFor(t *testing.T) {
	for _, n := range []uint64{0, 1, least - 1, least, 64 << 20} {
		if err := For(n, 1); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, n := range []uint64{1 << 57, math.MaxUint64} {
		if err := For(n, 8); err == nil || !strings.Contains(err.Error(), "EiB of memory are needed") {
			t.Errorf("%d words: %v", n, err)
		}
	}
}

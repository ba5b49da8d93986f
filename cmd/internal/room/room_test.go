package room

import (
	"errors"
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

func TestContainer(t *testing.T) {
	defer func(f func() (uint64, error)) { containerLimit = f }(containerLimit)
	containerLimit = func() (uint64, error) { return 32 << 20, nil }
	if err := For(4<<20, 8); err != nil {
		t.Errorf("all that the container may take: %v", err)
	}
	if err := For(4<<20+1, 8); err == nil || !strings.Contains(err.Error(), "more than the system gives: this container may take 32.0 MiB") {
		t.Errorf("more than the container may take: %v", err)
	}
	containerLimit = func() (uint64, error) { return 0, errors.New("none") }
	if err := For(4<<20+1, 8); err != nil {
		t.Errorf("no limit: %v", err)
	}
}

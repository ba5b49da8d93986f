package room

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
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
	defer func(f func() (uint64, error), u func() uint64) { containerLimit, used = f, u }(containerLimit, used)
	used = func() uint64 { return 0 }
	containerLimit = func() (uint64, error) { return 32 << 20, nil }
	if err := For(4<<20, 8); err != nil {
		t.Errorf("all that the container may take: %v", err)
	}
	if err := For(4<<20+1, 8); err == nil || !strings.Contains(err.Error(), "more than the system gives: this container may take 32.0 MiB") {
		t.Errorf("more than the container may take: %v", err)
	}
	if Left() != 32<<20 {
		t.Errorf("%d bytes are left", Left())
	}
	used = func() uint64 { return 16 << 20 }
	if err := For(4<<20, 8); err == nil || !strings.Contains(err.Error(), "this container may take 32.0 MiB and holds 16.0 MiB") {
		t.Errorf("more than the container has left: %v", err)
	}
	if err := ToDouble(16 << 20); err != nil {
		t.Errorf("a copy that takes the rest: %v", err)
	}
	if err := ToDouble(17 << 20); err == nil {
		t.Error("a copy that takes more than the rest")
	}
	if Left() != 16<<20 {
		t.Errorf("%d bytes are left", Left())
	}
	used = func() uint64 { return 64 << 20 }
	if Left() != 0 {
		t.Errorf("%d bytes are left", Left())
	}
	containerLimit = func() (uint64, error) { return 0, errors.New("none") }
	if err := For(4<<20+1, 8); err != nil {
		t.Errorf("no limit: %v", err)
	}
}

// TestFree takes a machine on which others have left little.
func TestFree(t *testing.T) {
	defer func(f func() uint64) { free = f }(free)
	free = func() uint64 { return 20 << 20 }
	if err := For(20<<20, 1); err != nil {
		t.Errorf("all that is free: %v", err)
	}
	if err := For(20<<20+1, 1); err == nil || !strings.Contains(err.Error(), "more than the system gives: 20.0 MiB are free") {
		t.Errorf("more than is free: %v", err)
	}
	if Left() > 20<<20 {
		t.Errorf("%d bytes are left", Left())
	}
}

// TestUsed: what was filled is held.
func TestUsed(t *testing.T) {
	before := Used()
	b := make([]byte, 64<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	if after := Used(); after < before+60<<20 {
		t.Errorf("%d bytes before, %d after %d were filled", before, after, len(b))
	}
	runtime.KeepAlive(b)
}

// TestPeak: what was let go of is still in the peak.
func TestPeak(t *testing.T) {
	if Peak() == 0 {
		absent.Skip(t, "VmHWM", "the system does not tell a process's peak of memory")
	}
	const n = 64 << 20
	before := Used()
	held := make([]byte, n)
	for i := 0; i < n; i += 1 << 10 {
		held[i] = 1
	}
	runtime.KeepAlive(held)
	held = nil
	debug.FreeOSMemory()
	if peak := Peak(); peak < before+n/2 || Used() > peak {
		t.Errorf("a peak of %d bytes, with %d before and %d behind %d more", peak, before, Used(), n)
	}
}

package mem

import (
	"errors"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
)

func take(t *testing.T, p *Pool, n uint64) *Block {
	t.Helper()
	m, err := p.Get(n)
	if err != nil {
		t.Fatal(err)
	}
	if m.Bytes() < n || uintptr(m.Pointer())%8 != 0 {
		t.Fatalf("%d bytes at %p for %d", m.Bytes(), m.Pointer(), n)
	}
	// All of it can be written.
	b := unsafe.Slice((*byte)(m.Pointer()), m.Bytes())
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	b[len(b)-1] = 1
	return m
}

func TestHostPool(t *testing.T) {
	p := Pool{limit: 3 * mapFrom}
	small, large := take(t, &p, 100), take(t, &p, mapFrom+1)
	if !large.mapped && mapsHost() || small.mapped {
		t.Errorf("mapped: %v of 100 bytes, %v of %d", small.mapped, large.mapped, mapFrom+1)
	}
	smallAt, largeAt := small.Pointer(), large.Pointer()
	p.Put(nil)
	p.Put(large)
	p.Put(small)
	// The smallest that is large enough comes back.
	if m := take(t, &p, 50); m.Pointer() != smallAt {
		t.Error("small memory was not reused")
	}
	m := take(t, &p, mapFrom+mapUnit)
	if m.Pointer() != largeAt {
		t.Error("large memory was not reused for as many units")
	}
	p.Put(m)
	// Beyond the limit the longest idle goes first.
	other := take(t, &p, 2*mapFrom)
	p.Put(other)
	if p.bytes > p.limit || len(p.idle) != 1 || p.idle[0] != other {
		t.Errorf("%d bytes idle in %d, the limit is %d", p.bytes, len(p.idle), p.limit)
	}
	if m.mem != nil {
		t.Error("memory over the limit was not freed")
	}
	p.Put(take(t, &p, 4*mapFrom))
	if p.bytes != 0 {
		t.Errorf("%d bytes idle after more than the limit was put back", p.bytes)
	}
	// What lies idle goes.
	p.Put(take(t, &p, 100))
	p.sweep(time.Now().Add(keepFor / 2))
	if len(p.idle) != 1 || p.timer == nil {
		t.Error("memory was freed too early, or nobody comes back for it")
	}
	p.sweep(time.Now().Add(keepFor))
	if len(p.idle) != 0 || p.bytes != 0 || p.timer != nil {
		t.Errorf("%d kept, %d bytes, after they were idle", len(p.idle), p.bytes)
	}
	last := take(t, &p, mapFrom)
	p.Put(take(t, &p, 100))
	p.Release()
	p.Put(last)
	if len(p.idle) != 0 || p.bytes != 0 || p.timer != nil || last.mem != nil {
		t.Error("memory is left after the end")
	}
}

// mapsHost reports whether large memory is mapped on this system.
func mapsHost() bool {
	b, err := mapHost(mapUnit)
	if b != nil {
		unmapHost(b)
	}
	return b != nil && err == nil
}

func TestHostShortage(t *testing.T) {
	if _, ok := HostFree(); !ok && !mapsHost() {
		absent.Skip(t, "meminfo", "this host does not tell how much memory it has")
	}
	var p Pool
	_, err := p.Get(1 << 46)
	var de *driver.Error
	if !errors.Is(err, driver.ErrOutOfMemory) || !errors.As(err, &de) {
		t.Errorf("64 TiB: %v", err)
	}
}

// TestSuit: what is filled stays, whichever pages follow.
func TestSuit(t *testing.T) {
	defer func(d time.Duration) { slowPage = d }(slowPage)
	for _, slowPage = range []time.Duration{0, time.Hour} {
		r, err := Reserve[uint32](hugeFrom / 4 * 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.All {
			if i%100_003 == 0 {
				r.Suit(uint64(i))
			}
			r.All[i] = uint32(i)
		}
		for i, v := range r.All {
			if v != uint32(i) {
				t.Fatalf("pages slow from %v on: number %d is %d", slowPage, i, v)
			}
		}
		r.Suit(uint64(len(r.All)))
		r.Release()
		small, _ := Reserve[uint32](100)
		small.Suit(0)
		small.Release()
	}
}

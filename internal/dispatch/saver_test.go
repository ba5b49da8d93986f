package dispatch

import (
	"bytes"
	"testing"
	"unsafe"
)

// TestSaver: after wait the part asked for lies in the copy and may be
// overwritten; after finish everything does, but what was overwritten first.
func TestSaver(t *testing.T) {
	e := &Engine{sizes: smallSizes}
	for _, n := range []uint64{1, smallSizes.saveAtOnce, smallSizes.saveAtOnce + 1, 100_003} {
		host, keep, other := make([]byte, n), make([]byte, n), make([]byte, 64)
		for i := range host {
			host[i] = byte(i * 7)
		}
		want := bytes.Clone(host)
		v := e.save([]span{
			{host: unsafe.Pointer(&other[0]), bytes: 64}, // nothing to save
			{host: unsafe.Pointer(&host[0]), keep: unsafe.Pointer(&keep[0]), bytes: n},
		})
		v.wait(unsafe.Pointer(&other[0]), 64)
		v.pace([]int{1, 2, 3}[n%3])
		for off := uint64(0); off < n; off += 1000 {
			part := host[off:min(off+1000, n)]
			v.wait(unsafe.Pointer(&part[0]), uint64(len(part)))
			clear(part)
		}
		v.finish()
		if !bytes.Equal(keep, want) {
			t.Errorf("%d bytes: the copy differs from what was there", n)
		}
	}
	if v := e.save(nil); v != nil {
		t.Error("a saver of nothing")
	}
}

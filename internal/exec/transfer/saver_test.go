package transfer

import (
	"bytes"
	"testing"
	"unsafe"
)

// TestSaver: after wait the part asked for lies in the copy and may be
// overwritten; after finish everything does, but what was overwritten first.
func TestSaver(t *testing.T) {
	z := Sizes{SaveUnit: 256, SaveAtOnce: 512, SaveUp: 2}
	none := func() {}
	for _, n := range []uint64{1, z.SaveAtOnce, z.SaveAtOnce + 1, 100_003} {
		host, keep, other := make([]byte, n), make([]byte, n), make([]byte, 64)
		for i := range host {
			host[i] = byte(i * 7)
		}
		want := bytes.Clone(host)
		v := Save([]Span{
			{Host: unsafe.Pointer(&other[0]), Bytes: 64}, // nothing to save
			{Host: unsafe.Pointer(&host[0]), Keep: unsafe.Pointer(&keep[0]), Bytes: n},
		}, z, 4, none)
		v.wait(unsafe.Pointer(&other[0]), 64)
		v.Pace([]int{1, 2, 3}[n%3])
		for off := uint64(0); off < n; off += 1000 {
			part := host[off:min(off+1000, n)]
			v.wait(unsafe.Pointer(&part[0]), uint64(len(part)))
			clear(part)
		}
		v.Finish()
		if !bytes.Equal(keep, want) {
			t.Errorf("%d Bytes: the copy differs from what was there", n)
		}
	}
	if v := Save(nil, z, 4, none); v != nil {
		t.Error("a saver of nothing")
	}
}

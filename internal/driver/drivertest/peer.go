package drivertest

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// RunPeers is the part of the conformance suite for two devices of one backend: bytes
// arrive whole in both directions, whoever's queue copies them, in order with that
// queue's other work; what does not lie in a buffer is refused.
func RunPeers(t *testing.T, a, b driver.Device) {
	t.Helper()
	const n = 1 << 16
	for _, pair := range [][2]driver.Device{{a, b}, {b, a}} {
		from, to := pair[0], pair[1]
		for _, by := range pair {
			copyPeer(t, from, to, by, n)
		}
		p, ok := from.(driver.Peer)
		if !ok {
			t.Fatalf("%s is no driver.Peer", from.Caps().ID)
		}
		can, err := p.CanAccess(to)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time is no error
			if err := p.EnableAccess(to); (err == nil) != can {
				t.Errorf("%s to %s: access possible: %v, enabled: %v", from.Caps().ID, to.Caps().ID, can, err)
			}
		}
		copyPeer(t, from, to, to, n)
	}
}

// copyPeer copies n bytes from a device to another by a queue of one of them.
func copyPeer(t *testing.T, from, to, by driver.Device, n uint64) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	src, err := from.Alloc(n)
	must(err)
	defer src.Close()
	dst, err := to.Alloc(n)
	must(err)
	defer dst.Close()
	q, err := by.NewQueue()
	must(err)
	defer q.Close()
	first, err := from.NewQueue()
	must(err)
	defer first.Close()
	last, err := to.NewQueue()
	must(err)
	defer last.Close()
	want, got := make([]byte, n), make([]byte, n)
	for i := range want {
		want[i] = byte(i * 7)
	}
	must(first.CopyIn(src, 0, unsafe.Pointer(&want[0]), n))
	must(first.Synchronize())
	must(last.Memset(dst, 0, 0, n))
	must(last.Synchronize())
	peer, ok := q.(driver.PeerCopier)
	if !ok {
		t.Fatalf("queues of %s are no driver.PeerCopier", by.Caps().ID)
	}
	must(peer.CopyPeer(dst, 12, src, 5, n-100))
	must(q.Synchronize())
	must(last.CopyOut(unsafe.Pointer(&got[0]), dst, 0, n))
	must(last.Synchronize())
	if !bytes.Equal(got[12:n-88], want[5:n-95]) || got[11] != 0 || got[n-88] != 0 {
		t.Errorf("%s to %s by %s: other bytes arrived than were sent", from.Caps().ID, to.Caps().ID, by.Caps().ID)
	}
	var de *driver.Error
	if err := peer.CopyPeer(dst, n-4, src, 0, 5); !errors.As(err, &de) {
		t.Errorf("a copy beyond the buffer's end: %v", err)
	}
	must(peer.CopyPeer(dst, n, src, n, 0))
}

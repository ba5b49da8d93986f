package drivertest

import (
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// RedZoneBytes is the size of each guard zone. It is a multiple of every
// vendor's buffer alignment, and longer than what a block of 1,024 threads
// writes at once with 4 bytes a thread.
const RedZoneBytes = 8192

// poison fills the guard zones: a byte pattern that no test writes.
const poison = 0xA5

// RedZone is device memory with poisoned zones on both sides.
type RedZone struct {
	Buf   driver.Buffer // the whole allocation
	Off   uint64        // where the usable bytes begin
	Bytes uint64        // usable bytes

	t   testing.TB
	q   driver.Queue
	all []byte // host copy for Check
}

// RedZoned allocates bytes of device memory that begin shift bytes past an
// aligned place, poisons everything, and checks the zones and closes the buffer
// when the test ends. q is used for the fills and must outlive the test's body.
func RedZoned(t testing.TB, dev driver.Device, q driver.Queue, bytes, shift uint64) *RedZone {
	t.Helper()
	z := &RedZone{Off: RedZoneBytes + shift, Bytes: bytes, t: t, q: q}
	total := (z.Off + bytes + RedZoneBytes + 3) &^ 3
	b, err := dev.Alloc(total)
	if err != nil {
		t.Fatalf("allocating %d bytes with red zones: %v", bytes, err)
	}
	z.Buf, z.all = b, make([]byte, total)
	if err := q.Memset(b, 0, poison*0x01010101, total); err != nil {
		t.Fatalf("poisoning: %v", err)
	}
	if err := q.Synchronize(); err != nil {
		t.Fatalf("poisoning: %v", err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			z.Check()
		}
		if err := b.Close(); err != nil {
			t.Errorf("closing a buffer with red zones: %v", err)
		}
	})
	return z
}

// Check waits for the queue and reports the first byte that somebody wrote
// outside the usable ones.
func (z *RedZone) Check() {
	z.t.Helper()
	if err := z.q.CopyOut(unsafe.Pointer(&z.all[0]), z.Buf, 0, uint64(len(z.all))); err != nil {
		z.t.Errorf("reading red zones: %v", err)
		return
	}
	if err := z.q.Synchronize(); err != nil {
		z.t.Errorf("reading red zones: %v", err)
		return
	}
	for i, c := range z.all {
		if at := int64(i) - int64(z.Off); (at < 0 || at >= int64(z.Bytes)) && c != poison {
			z.t.Errorf("red zone: byte %d of a buffer of %d bytes was written (0x%02x)", at, z.Bytes, c)
			return
		}
	}
}

// Write copies host bytes to the beginning of the usable bytes and waits.
func (z *RedZone) Write(p []byte) {
	z.t.Helper()
	if len(p) == 0 {
		return
	}
	if uint64(len(p)) > z.Bytes {
		z.t.Fatalf("writing %d bytes to a buffer of %d", len(p), z.Bytes)
	}
	if err := z.q.CopyIn(z.Buf, z.Off, unsafe.Pointer(&p[0]), uint64(len(p))); err != nil {
		z.t.Fatalf("copying in: %v", err)
	}
	if err := z.q.Synchronize(); err != nil {
		z.t.Fatalf("copying in: %v", err)
	}
}

// Read returns the usable bytes after waiting for the queue.
func (z *RedZone) Read() []byte {
	z.t.Helper()
	p := make([]byte, z.Bytes)
	if len(p) == 0 {
		return p
	}
	if err := z.q.CopyOut(unsafe.Pointer(&p[0]), z.Buf, z.Off, z.Bytes); err != nil {
		z.t.Fatalf("copying out: %v", err)
	}
	if err := z.q.Synchronize(); err != nil {
		z.t.Fatalf("copying out: %v", err)
	}
	return p
}

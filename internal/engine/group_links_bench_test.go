package engine

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
)

// links returns a turn that moves page-locked memory to the devices, or back, or half of
// it each way at once: what the links allow.
func (r *groupRig) links(b *testing.B, e *Engine) func() (time.Duration, error) {
	ctx, bytes := context.Background(), r.c.p.KeyBytes()
	at := r.pinned(b, e, bytes)
	s, err := e.AllocSpread(r.c.p.Items, 8)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return func() (time.Duration, error) {
		var wg sync.WaitGroup
		parts := s.Parts()
		errs := make([]error, 2*len(parts))
		start, host := time.Now(), at
		for i, p := range parts {
			half := p.Bytes / 2
			up, down := Region{p.M, 0, half}, Region{p.M, half, half}
			first, second := host, unsafe.Add(host, half)
			if r.c.kind != "down" {
				wg.Go(func() { errs[2*i] = up.Upload(ctx, first) })
			}
			switch r.c.kind {
			case "up":
				wg.Go(func() { errs[2*i+1] = down.Upload(ctx, second) })
			case "down":
				wg.Go(func() { errs[2*i] = up.Download(ctx, first) })
				fallthrough
			default:
				wg.Go(func() { errs[2*i+1] = down.Download(ctx, second) })
			}
			host = unsafe.Add(host, p.Bytes)
		}
		wg.Wait()
		return time.Since(start), cmp.Or(errs...)
	}
}

// peers returns a turn that copies half of the keys' bytes from the first device to the
// second, and as many back at once if the cell asks for that: what lies between devices.
func (r *groupRig) peers(b *testing.B, e *Engine) func() (time.Duration, error) {
	bytes := r.c.p.KeyBytes() / 2
	e.group.Reach()
	var queues [2]driver.PeerCopier
	var plain [2]driver.Queue
	var from, to [2]driver.Buffer
	for i := range queues {
		dev := e.group.list[i].Session.Device()
		q, err := dev.NewQueue()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = q.Close() })
		peer, ok := q.(driver.PeerCopier)
		if !ok {
			absent.Skip(b, "peer copies", "queues of this backend do not copy between devices")
		}
		queues[i], plain[i] = peer, q
		for _, m := range []*driver.Buffer{&from[i], &to[i]} {
			if *m, err = dev.Alloc(bytes); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = (*m).Close() })
		}
	}
	ways := 1
	if r.c.kind != "one way" {
		ways = 2
	}
	return func() (time.Duration, error) {
		start := time.Now()
		for i := range ways {
			if err := queues[i].CopyPeer(to[1-i], 0, from[i], 0, bytes); err != nil {
				return 0, err
			}
		}
		var errs [2]error
		for i := range ways {
			errs[i] = plain[i].Synchronize()
		}
		return time.Since(start), cmp.Or(errs[:]...)
	}
}

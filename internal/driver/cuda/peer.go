//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// maps reports whether work of d can use memory of o.
func (d *device) maps(o *device) bool {
	if d.same(o) {
		return true
	}
	if d.l != o.l {
		return false
	}
	_, ok := d.peers.Load(o.h)
	return ok
}

func (d *device) asPeer(op string, peer driver.Device) (*device, error) {
	p, ok := peer.(*device)
	if !ok || p.l != d.l {
		return nil, d.invalid(op, fmt.Sprintf("%s is no CUDA device", peer.Caps().ID))
	}
	return p, nil
}

// CanAccess implements driver.Peer.
func (d *device) CanAccess(peer driver.Device) (bool, error) {
	const op = "cuDeviceCanAccessPeer"
	p, err := d.asPeer(op, peer)
	if err != nil || d.same(p) {
		return err == nil, err
	}
	ok, r := d.l.CanAccessPeer(d.h, p.h)
	return ok, d.fail(op, r, p.label)
}

// EnableAccess implements driver.Peer.
func (d *device) EnableAccess(peer driver.Device) error {
	const op = "cuCtxEnablePeerAccess"
	p, err := d.asPeer(op, peer)
	if err != nil || d.same(p) {
		return err
	}
	// The peer's context first, by itself: no call holds two devices.
	if err := p.do(op, func() error { return nil }); err != nil {
		return err
	}
	return d.do(op, func() error {
		r := d.l.EnablePeerAccess(cu.Context(p.ctx.Load()))
		if r != cu.Success && r != cu.PeerAlreadyEnabled {
			return d.fail(op, r, p.label)
		}
		d.peers.Store(p.h, true)
		return nil
	})
}

// CopyPeer implements driver.PeerCopier.
func (q *queue) CopyPeer(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	const op = "cuMemcpyPeerAsync"
	to, err := q.peerPlace(op, dst, dstOff, n)
	if err != nil {
		return err
	}
	from, err := q.peerPlace(op, src, srcOff, n)
	if err != nil {
		return err
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := cu.Success
	if n != 0 {
		r = q.f.MemcpyPeerAsync(to.p+cu.DevicePtr(dstOff), cu.Context(to.d.ctx.Load()),
			from.p+cu.DevicePtr(srcOff), cu.Context(from.d.ctx.Load()), n, q.s)
	}
	q.d.leave(q.f, v)
	return q.done(op, r, n)
}

// peerPlace is place for memory of any device of this driver.
func (q *queue) peerPlace(op string, b driver.Buffer, off, n uint64) (*buffer, error) {
	v, ok := b.(*buffer)
	switch {
	case !ok || v.d.l != q.d.l:
		return nil, q.d.invalid(op, fmt.Sprintf("a buffer of type %T is none of this driver's", b))
	case v.closed.Load() || v.d.closed.Load():
		return nil, q.d.errClosed(op, "the buffer or its device")
	case off > v.n || n > v.n-off:
		return nil, q.d.invalid(op, fmt.Sprintf("%d bytes at %d do not lie in a buffer of %d bytes", n, off, v.n))
	}
	return v, nil
}

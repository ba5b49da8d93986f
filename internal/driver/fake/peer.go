package fake

import "github.com/gpusort/gpusort/internal/driver"

// Links says how the devices of a driver reach each other.
type Links uint8

// The links.
const (
	Unlinked Links = iota // a device and its queues know of no other
	Relayed               // queues copy between devices; no kernel can use another's memory
	Linked                // both
)

// NewLinked is New with devices that reach each other: they and their queues then
// have the optional interfaces driver.Peer and driver.PeerCopier.
func NewLinked(l Links, caps ...driver.Caps) *Driver {
	d := New(caps...)
	d.links = l
	return d
}

// linkedDevice is a device that reaches others.
type linkedDevice struct{ *device }

// linkedQueue is its queue.
type linkedQueue struct{ *queue }

func (d linkedDevice) NewQueue() (driver.Queue, error) {
	q, err := d.device.NewQueue()
	if err != nil {
		return nil, err
	}
	return linkedQueue{q.(*queue)}, nil
}

// plainQueue is the queue behind q; nil if it is none of this package.
func plainQueue(q driver.Queue) *queue {
	switch q := q.(type) {
	case *queue:
		return q
	case linkedQueue:
		return q.queue
	case lent:
		return q.queue
	}
	return nil
}

// asPeer is the device behind peer, of the same driver.
func (d *device) asPeer(op string, peer driver.Device) (*device, error) {
	if p, ok := peer.(linkedDevice); ok && p.drv == d.drv {
		return p.device, nil
	}
	return nil, d.errorf(op, "INVALID_DEVICE", nil, "the other device is not of this driver")
}

// CanAccess implements driver.Peer.
func (d linkedDevice) CanAccess(peer driver.Device) (bool, error) {
	if _, err := d.asPeer("CanAccess", peer); err != nil {
		return false, err
	}
	return d.drv.links == Linked, nil
}

// EnableAccess implements driver.Peer.
func (d linkedDevice) EnableAccess(peer driver.Device) error {
	const op = "EnableAccess"
	if _, err := d.asPeer(op, peer); err != nil {
		return err
	}
	if d.drv.links != Linked {
		return d.errorf(op, "UNSUPPORTED", driver.ErrUnsupported, "the devices are not linked")
	}
	return nil
}

// CopyPeer implements driver.PeerCopier. The bytes are read when the queue runs, whatever
// the other device's queues have not yet done; of a device that is gone, nobody knows what.
func (q linkedQueue) CopyPeer(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	const op = "CopyPeer"
	to, err := q.d.anyPlace(op, dst, dstOff, n)
	if err != nil {
		return err
	}
	from, err := q.d.anyPlace(op, src, srcOff, n)
	if err != nil {
		return err
	}
	if err := q.enter(op); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	toDevice, fromDevice := dst.(*buffer).d, src.(*buffer).d
	q.work = append(q.work, command{func() {
		switch {
		case fromDevice.gone.Load():
			stale(to)
		case !toDevice.gone.Load():
			copy(to, from)
		}
	}, 2 * n})
	return nil
}

// anyPlace is n bytes at off of a buffer of any device of the driver, none of which is
// locked.
func (d *device) anyPlace(op string, b driver.Buffer, off, n uint64) ([]byte, error) {
	fb, ok := b.(*buffer)
	if !ok || fb.d.drv != d.drv {
		return nil, d.errorf(op, "INVALID_BUFFER", nil, "the buffer is not of this driver")
	}
	if err := fb.d.enter(op); err != nil {
		return nil, err
	}
	defer fb.d.mu.Unlock()
	return fb.d.at(op, fb, off, n)
}

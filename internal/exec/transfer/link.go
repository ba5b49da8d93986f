// Package transfer moves data between host memory and a device: directly where the
// memory is page-locked, else through page-locked chunks that several goroutines
// fill, with safety copies made beside.
package transfer

import (
	"errors"

	"github.com/gpusort/gpusort/internal/driver"
)

// Place is somewhere in a device buffer, Off in bytes.
type Place struct {
	Buf driver.Buffer
	Off uint64
}

// Plus is the place so many bytes further on.
func (p Place) Plus(bytes uint64) Place { return Place{p.Buf, p.Off + bytes} }

// Link is what one sort needs to move data at a time: queues and pinned staging
// memory. One goroutine uses it.
//
// Copies go through two queues, so that the link does not wait for the host's next
// call: as a rule Work and one more, so that work and copies need no order between
// them but Work's; through two others while Apart is set, so that copies run while
// Work does.
type Link struct {
	Device  driver.Device
	Caps    driver.Caps
	Work    driver.Queue // work, and copies in order with it; the caller's to close
	Sizes   *Sizes
	Workers int  // goroutines for host work
	Apart   bool // copies go beside the work, not in order with it
	Stagers int  // goroutines that stage, at most; 0: Sizes.StageWorkers
	Cached  bool // staging memory is filled through the caches, not past them

	more [4]driver.Queue // made on first use: two for copies, see copyQueues, and Beside's
	ring driver.HostBuffer
}

// Close frees the staging memory and all queues but Work. Every part is freed even
// if an earlier one fails.
func (l *Link) Close() error {
	var errs []error
	if l.ring != nil {
		errs = append(errs, l.ring.Close())
		l.ring = nil
	}
	for i, q := range l.more {
		if q != nil {
			errs = append(errs, q.Close())
			l.more[i] = nil
		}
	}
	return errors.Join(errs...)
}

// copyQueues are the queues of staged copies. Copies of page-locked memory, which
// are long, use the first.
func (l *Link) copyQueues() (queues [2]driver.Queue, err error) {
	if queues[0], err = l.copyQueue(); err != nil {
		return queues, err
	}
	if l.Apart {
		queues[1], err = l.another(1)
	} else {
		queues[1], err = l.another(0)
	}
	return queues, err
}

// copyQueue is the first of copyQueues.
func (l *Link) copyQueue() (driver.Queue, error) {
	if l.Apart {
		return l.another(0)
	}
	return l.Work, nil
}

// Beside are queues for work beside all other of the link, which Drain waits for, too.
func (l *Link) Beside() (queues [2]driver.Queue, err error) {
	for i := range queues {
		if queues[i], err = l.another(2 + i); err != nil {
			break
		}
	}
	return queues, err
}

// another returns a queue beside Work, made on first use.
func (l *Link) another(i int) (driver.Queue, error) {
	if l.more[i] == nil {
		q, err := l.Device.NewQueue()
		if err != nil {
			return nil, err
		}
		l.more[i] = q
	}
	return l.more[i], nil
}

// Await holds the link's work back until what the queues have now is done.
func (l *Link) Await(queues ...driver.Queue) error {
	for _, q := range queues {
		if q == l.Work {
			continue
		}
		e, err := q.Record()
		if err != nil {
			return err
		}
		err = l.Work.Wait(e)
		if x := e.Close(); err == nil {
			err = x
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Follow holds a queue back until what the link's work has now is done.
func (l *Link) Follow(q driver.Queue) error {
	e, err := l.Work.Record()
	if err != nil {
		return err
	}
	err = q.Wait(e)
	if x := e.Close(); err == nil {
		err = x
	}
	return err
}

// copied waits for the work and direct copies; staged ones are waited for
// one by one.
func (l *Link) copied() error {
	if !l.Apart {
		return l.Work.Synchronize()
	}
	return l.Drain()
}

// Drain waits for all work of the link, so that memory can be freed or read.
func (l *Link) Drain() error {
	err := l.Work.Synchronize()
	for _, q := range l.more {
		if q != nil {
			err = errors.Join(err, q.Synchronize())
		}
	}
	return err
}

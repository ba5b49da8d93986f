package dispatch

import (
	"errors"

	"github.com/gpusort/gpusort/internal/driver"
)

// A lane's queues. Its work is in q. Copies go through two queues, so that the
// link does not wait for the host's next call: as a rule q and one more, so that
// work and copies need no order between them but q's; through two others while
// apart is set, so that copies run while q works.

// copyQueues are the queues of staged copies. Copies of page-locked memory, which
// are long, use the first.
func (l *lane) copyQueues() (queues [2]driver.Queue, err error) {
	if queues[0], err = l.copyQueue(); err != nil {
		return queues, err
	}
	if l.apart {
		queues[1], err = l.another(1)
	} else {
		queues[1], err = l.another(0)
	}
	return queues, err
}

// copyQueue is the first of copyQueues.
func (l *lane) copyQueue() (driver.Queue, error) {
	if l.apart {
		return l.another(0)
	}
	return l.q, nil
}

// another returns a queue beside q, made on first use.
func (l *lane) another(i int) (driver.Queue, error) {
	if l.more[i] == nil {
		q, err := l.s.dev.NewQueue()
		if err != nil {
			return nil, err
		}
		l.more[i] = q
	}
	return l.more[i], nil
}

// await holds the lane's work back until what the queues have now is done.
func (l *lane) await(queues ...driver.Queue) error {
	for _, q := range queues {
		if q == l.q {
			continue
		}
		e, err := q.Record()
		if err != nil {
			return err
		}
		err = l.q.Wait(e)
		if x := e.Close(); err == nil {
			err = x
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copied waits for the lane's work and direct copies; staged ones are waited for
// one by one.
func (l *lane) copied() error {
	if !l.apart {
		return l.q.Synchronize()
	}
	return l.drain()
}

// drain waits for all work of the lane, so that memory can be freed or read.
func (l *lane) drain() error {
	err := l.q.Synchronize()
	for _, q := range l.more {
		if q != nil {
			err = errors.Join(err, q.Synchronize())
		}
	}
	return err
}

package run

import "sync"

// ordered lets the steps 0, 1, 2, … of several goroutines happen one after another.
type ordered struct {
	mu   sync.Mutex
	cond sync.Cond
	next int
	err  error
}

func newOrdered() *ordered {
	o := &ordered{}
	o.cond.L = &o.mu
	return o
}

// wait returns when it is step i's turn, or with the error that ended all steps.
func (o *ordered) wait(i int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.next != i && o.err == nil {
		o.cond.Wait()
	}
	return o.err
}

// pass lets the next step happen, or ends all with an error.
func (o *ordered) pass(err error) {
	o.mu.Lock()
	o.next++
	if o.err == nil {
		o.err = err
	}
	o.mu.Unlock()
	o.cond.Broadcast()
}

// failed returns the error that ended all steps.
func (o *ordered) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

package exec

import (
	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// inCommon is the range that member p sorts for itself and the next one; -1: there is none.
func (r *rangeSort) inCommon(p int) int {
	for k := range r.ranges() {
		if r.sorts(p, k) && !r.alone(p, k) {
			return k
		}
	}
	return -1
}

// fits plans member p's sorts, and finds the place, at the end of its scratch memory, of the
// range in common. It reports false if there is too little memory, or if three parts have keys
// of that range.
func (r *rangeSort) fits(p int) (bool, error) {
	l := r.lanes[p]
	if _, err := l.link.Beside(); err != nil { // made while shares are whole
		return false, r.named(p, err)
	}
	memory := l.memory[plan.Scratch].bytes()
	if k := r.inCommon(p); k >= 0 {
		bytes := r.problem(k).KeyBytes()
		if r.begins[k+1] > r.bounds[p+2] || bytes > memory {
			return false, nil
		}
		memory = (memory - bytes) / plan.ScratchAlign * plan.ScratchAlign // rounded down
		r.aside[p] = r.at[p][plan.Scratch].Plus(memory)
	}
	r.plans[p] = make([]*prepared, r.ranges())
	for k := range r.ranges() {
		if !r.sorts(p, k) {
			continue
		}
		a, err := l.s.choose(r.problem(k))
		if err != nil {
			return false, err
		}
		q, err := l.s.once(a, r.problem(k))
		if err != nil || q.ScratchBytes > memory || q.Status != nil || q.HasHostSteps() {
			return false, err
		}
		r.plans[p][k] = q
	}
	return true, nil
}

// sortRanges queues the fetching and the sorts of member p's ranges, first of the one in common,
// for which the next member waits.
func (r *rangeSort) sortRanges(p int) error {
	if k := r.inCommon(p); k >= 0 {
		if err := r.sortInCommon(p, k); err != nil {
			return err
		}
	}
	for k := range r.ranges() {
		from, to := r.part(p, k)
		if from == to || !r.alone(p, k) && !r.same(k) {
			continue
		}
		at := r.home(p, k, from)
		var err error
		if r.same(k) {
			err = r.fetchSame(p, k, from, to, at)
		} else if err = r.fetchRange(p, k, from, to, at); err == nil {
			err = r.sortRange(p, k, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sortInCommon queues the same for range k, which lies aside, and brings member p its keys of it.
func (r *rangeSort) sortInCommon(p, k int) error {
	q := r.lanes[p].q
	if err := r.fetchRange(p, k, 0, r.problem(k).Items, r.aside[p]); err != nil {
		return err
	}
	if err := r.sortRange(p, k, r.aside[p]); err != nil {
		return err
	}
	var err error
	if r.shared[p], err = q.Record(); err != nil {
		return r.named(p, err)
	}
	_, to := r.part(p, k)
	at := r.home(p, k, 0)
	return r.named(p, q.Copy(at.Buf, at.Off, r.aside[p].Buf, r.aside[p].Off, to*uint64(r.spec.Type.Bytes())))
}

// home is where part p has key number from of range k.
func (r *rangeSort) home(p, k int, from uint64) transfer.Place {
	return r.at[p][plan.KeysIO].Plus((r.begins[k] + from - r.bounds[p]) * uint64(r.spec.Type.Bytes()))
}

// sortRange queues the sort of range k, which has been fetched to a place of member p.
func (r *rangeSort) sortRange(p, k int, at transfer.Place) error {
	if err := r.await(p); err != nil {
		return err
	}
	q := bind(r.plans[p][k], Places{plan.KeysIO: at, plan.Scratch: r.at[p][plan.Scratch]})
	return r.named(p, q.submit(r.ctx, r.lanes[p].q))
}

// await holds member p's work back until what it fetches so far is there.
func (r *rangeSort) await(p int) error {
	l := r.lanes[p]
	x, err := l.link.Beside()
	if err == nil {
		err = l.link.Await(x[:]...)
	}
	return r.named(p, err)
}

// fetchRange queues the copies of keys number from to before to of range k to a place of member
// p: from other members on one queue, its own on another.
func (r *rangeSort) fetchRange(p, k int, from, to uint64, at transfer.Place) error {
	queues, err := r.lanes[p].link.Beside()
	if err != nil {
		return r.named(p, err)
	}
	width, n := uint64(r.spec.Type.Bytes()), len(r.counts)
	ends := make([]uint64, n+1) // of each member's keys in the range
	for i, counts := range r.counts {
		ends[i+1] = ends[i] + counts[k]
	}
	for j := range n {
		i := (p + j) % n // members begin with different ones, whose links they do not share
		lo, hi := max(from, ends[i]), min(to, ends[i+1])
		if lo >= hi {
			continue
		}
		q := queues[0]
		if i == p {
			q = queues[1]
		}
		src := transfer.Place{Buf: r.lanes[i].memory[mergesort.TwoKeysOut].buf, Off: (r.starts[i][k] + lo - ends[i]) * width}
		if err := r.carry(p, q, at.Plus((lo-from)*width), src, i, (hi-lo)*width); err != nil {
			return err
		}
	}
	return nil
}

// fetchSame is fetchRange of equal keys: some of them are fetched, and repeated.
func (r *rangeSort) fetchSame(p, k int, from, to uint64, at transfer.Place) error {
	width := uint64(r.spec.Type.Bytes())
	n := min(to-from, max(r.g.x.Sizes.SameUnit/width, 1))
	if err := r.fetchRange(p, k, from, from+n, at); err != nil {
		return err
	}
	if err := r.await(p); err != nil {
		return err
	}
	return r.double(p, r.lanes[p].q, at, n*width, (to-from)*width)
}

// finish brings member p what it has of the range that it has in common with the one before,
// and waits for all of its part.
func (r *rangeSort) finish(p int) error {
	l := r.lanes[p]
	x, err := l.link.Beside()
	if err != nil {
		return r.named(p, err)
	}
	width := uint64(r.spec.Type.Bytes())
	for k := range r.ranges() {
		from, to := r.part(p, k)
		if from == 0 || r.same(k) {
			continue
		}
		if err := r.shared[p-1].Wait(); err != nil { // queues wait for events of their own devices
			return r.named(p-1, err)
		}
		if err := r.carry(p, x[0], r.at[p][plan.KeysIO], r.aside[p-1].Plus(from*width), p-1, (to-from)*width); err != nil {
			return err
		}
	}
	if err := r.await(p); err != nil {
		return err
	}
	if err = l.mark(1); err == nil {
		err = l.link.Drain()
	}
	if err == nil {
		r.took[p] = l.took()
	}
	return r.named(p, err)
}

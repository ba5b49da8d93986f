package exec

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/algo/ranges"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// Keys alone are exchanged before they are sorted, where that is faster. Samples of all shares
// give ranges of keys, a few for each part. Each member splits its keys by range, to its second
// memory. Then it fetches the ranges of its part from all members, to where its share was, and
// sorts each while the next ones come. Of a range that two parts have keys of the first one's
// member sorts all, and the second one's fetches its own of that.

// rangeSort is a sort of a group that exchanges ranges.
type rangeSort struct {
	*groupSort
	lasts  []uint64         // the last keys of the ranges but for the last one
	starts [][]uint64       // by member and range: the key number in the member's second memory where its room begins; one more
	counts [][]uint64       // by member and range: its keys
	begins []uint64         // by range: how many keys of all are before it; one more
	plans  [][]*prepared    // by member and range: how it sorts that
	aside  []transfer.Place // by member: the range that it has in common with the next
	shared []driver.Event   // by member: that range is sorted
}

// byRanges sorts the members' shares by ranges. It reports false if it has not begun, since
// that is not possible or would not be faster.
func (s *groupSort) byRanges() (bool, error) {
	from := s.g.x.Sizes.RangesFrom
	if _, ok := s.lanes[0].q.(driver.PeerCopier); !ok || from == 0 || !s.beside || s.spec.Mode != plan.Keys || s.g.x.Params != (algo.Params{}) || s.g.x.Poison {
		return false, nil
	}
	for i := range s.lanes {
		n := s.share(i)
		if n.KeyBytes() < from || ranges.Supports(n, s.lanes[i].s.caps) != nil {
			return false, nil
		}
	}
	n := len(s.lanes)
	r := &rangeSort{groupSort: s, starts: make([][]uint64, n), counts: make([][]uint64, n), plans: make([][]*prepared, n), aside: make([]transfer.Place, n), shared: make([]driver.Event, n)}
	defer r.close()
	begun, err := r.choose()
	if err != nil || !begun {
		return false, err
	}
	if err := s.each(r.split); err != nil {
		return false, err
	}
	if begun, err = r.counted(); err != nil || !begun {
		return false, err
	}
	s.out = s.at
	if err := s.each(r.sortRanges); err != nil {
		return true, err
	}
	return true, s.each(r.finish)
}

func (r *rangeSort) close() {
	for _, e := range r.shared {
		if e != nil {
			_ = e.Close() // an event that cannot be freed is the device's to free
		}
	}
}

// planner is a plan of package ranges as an algorithm.
func planner(name string, planOf func(plan.Problem, driver.Caps) (plan.Plan, error)) algo.Algorithm {
	return algo.Algorithm{Name: name, Plan: func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) { return planOf(p, c) }}
}

// step runs a plan of package ranges on member i's share, without a wait.
func (r *rangeSort) step(i int, p *prepared) error {
	l := r.lanes[i]
	at := Places{plan.KeysIO: r.at[i][plan.KeysIO], plan.Scratch: r.at[i][plan.Scratch], ranges.Out: {Buf: l.memory[mergesort.TwoKeysOut].buf}}
	return r.named(i, bind(p, at).submit(r.ctx, l.q))
}

// ask queues a look at words of member i's scratch memory. They are there when its work is done, and valid
// until it is asked again.
func (r *rangeSort) ask(i int, off, words uint64) ([]uint64, error) {
	l := r.lanes[i]
	b, at := &l.probes[i], r.at[i][plan.Scratch].Plus(off)
	err := b.open(l.s.dev, 8*words)
	if err == nil {
		err = l.q.CopyOut(b.mem.Pointer(), at.Buf, at.Off, 8*words)
	}
	if err != nil {
		return nil, r.named(i, err)
	}
	return unsafe.Slice((*uint64)(b.mem.Pointer()), words), nil
}

// look is ask, and waits.
func (r *rangeSort) look(i int, off, words uint64) ([]uint64, error) {
	out, err := r.ask(i, off, words)
	if err == nil {
		err = r.named(i, r.lanes[i].q.Synchronize())
	}
	return out, err
}

// ranges is their number.
func (r *rangeSort) ranges() int { return len(r.lasts) + 1 }

// same reports whether all keys of range k are equal.
func (r *rangeSort) same(k int) bool {
	first, last := uint64(0), ^uint64(0)>>(64-r.spec.Type.Bits())
	if k > 0 {
		first = r.lasts[k-1] + 1
	}
	if k < len(r.lasts) {
		last = r.lasts[k]
	}
	return first == last
}

// part is what part p has of range k: keys from one number of the range's on to before another.
func (r *rangeSort) part(p, k int) (from, to uint64) {
	lo, hi := max(r.begins[k], r.bounds[p]), min(r.begins[k+1], r.bounds[p+1])
	if lo >= hi {
		return 0, 0
	}
	return lo - r.begins[k], hi - r.begins[k]
}

// problem is the sort of range k.
func (r *rangeSort) problem(k int) plan.Problem {
	p := r.spec
	p.Items = r.begins[k+1] - r.begins[k]
	return p
}

// alone reports whether range k is of part p alone.
func (r *rangeSort) alone(p, k int) bool {
	from, to := r.part(p, k)
	return to-from == r.begins[k+1]-r.begins[k]
}

// sorts reports whether member p sorts range k: the first one that has keys of it does.
func (r *rangeSort) sorts(p, k int) bool {
	from, to := r.part(p, k)
	return from == 0 && to != 0 && !r.same(k)
}

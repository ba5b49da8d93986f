package exec

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/algo/ranges"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// logs are the logarithms of the sizes of two samples of a share of so many keys: the first
// says whether it is in order, the second where the ranges are. In shares of less than 2^20 keys,
// as tests have them, samples take a part of the scratch memory that their sorts leave.
func logs(items uint64) (order, ranges uint32) {
	most := uint32(max(bits.Len64(items), 4) - 4)
	return min(12, most), min(17, most)
}

// fewDistinct is the part of a sample, as a divisor, up to which its different keys are few, so
// that shares are sorted first: each takes one pass then, and few keys move.
const fewDistinct = 16

// worth reports whether ranges are: no share is in order or of few different keys, as samples say, and there is
// memory for the larger samples' sorts. The members take their samples at once, without a goroutine for each, which
// would take longer than they do: inputs of which hardly anything moves lose only this time.
func (r *rangeSort) worth() (bool, error) {
	keys := make([][]uint64, len(r.lanes))
	for i := range r.lanes {
		if p, err := r.sampleSort(i); err != nil || p == nil {
			return false, err
		}
		log, _ := logs(r.share(i).Items)
		err := r.take(i, log)
		if err == nil {
			keys[i], err = r.ask(i, ranges.Sample, 1<<log)
		}
		if err != nil {
			return false, err
		}
	}
	for i, l := range r.lanes {
		if err := l.q.Synchronize(); err != nil {
			return false, r.named(i, err)
		}
	}
	return !slices.ContainsFunc(keys, func(k []uint64) bool { return !ranges.Mixed(k) || ranges.Few(k, len(k)/fewDistinct) }), nil
}

// take queues the taking of a sample of 2^log keys of member i's share.
func (r *rangeSort) take(i int, log uint32) error {
	p, err := r.lanes[i].s.prepare(planner(fmt.Sprint("ranges, sample of 2^", log), func(p plan.Problem, c driver.Caps) (plan.Plan, error) {
		return ranges.PlanSample(p, log, c)
	}), r.share(i))
	if err != nil {
		return err
	}
	return r.step(i, p)
}

// sampleSort is the plan that sorts member i's sample; nil if there is no memory for that.
func (r *rangeSort) sampleSort(i int) (*prepared, error) {
	l := r.lanes[i]
	_, log := logs(r.share(i).Items)
	p, err := l.s.ready(plan.Problem{Type: key.U64, Items: 1 << log})
	if err != nil || l.memory[plan.Scratch].bytes() < sampleRoom(log)+p.ScratchBytes || p.HasHostSteps() || p.Status != nil {
		return nil, err
	}
	return p, nil
}

// sampleRoom is what a sample takes of the scratch memory with all before it, in bytes.
func sampleRoom(log uint32) uint64 { return plan.Aligned(ranges.Sample + uint64(8)<<log) }

// sample returns a sorted sample of member i's share, valid until the next look at it.
func (r *rangeSort) sample(i int) ([]uint64, error) {
	l, at := r.lanes[i], r.at[i][plan.Scratch]
	_, log := logs(r.share(i).Items)
	p, err := r.sampleSort(i)
	if err == nil {
		err = r.take(i, log)
	}
	if err != nil {
		return nil, err
	}
	if _, err := l.run(r.ctx, p, Places{plan.KeysIO: at.Plus(ranges.Sample), plan.Scratch: at.Plus(sampleRoom(log))}); err != nil {
		return nil, r.named(i, err)
	}
	return r.look(i, ranges.Sample, 1<<log)
}

// choose chooses the ranges. It reports false if the shares are better sorted first.
func (r *rangeSort) choose() (bool, error) {
	if worth, err := r.worth(); err != nil || !worth {
		return false, err
	}
	n := len(r.lanes)
	all := ranges.Sampled{Keys: make([][]uint64, n), Thin: make([][]uint64, n), Items: make([]uint64, n)}
	err := r.each(func(i int) (err error) {
		all.Items[i] = r.share(i).Items
		all.Keys[i], err = r.sample(i)
		all.Thin[i] = ranges.Thin(all.Keys[i], n)
		return err
	})
	if err != nil {
		return false, err
	}
	r.lasts = all.Choose(r.bounds, max(r.g.x.Sizes.RangeBytes/uint64(r.spec.Type.Bytes()), 1))
	if r.ranges() > ranges.Most {
		return false, nil
	}
	enough := make([]bool, n)
	err = r.inTurn(func(i int) (err error) {
		enough[i], err = r.room(i, all)
		return err
	})
	return !slices.Contains(enough, false), err
}

// roomDeviations is how many standard deviations a range's number of keys may be off: with 32
// ranges and 8 members one has too little room in some 10,000 sorts.
const roomDeviations = 5

// room gives member i the second memory for its ranges. It reports whether there is so much.
func (r *rangeSort) room(i int, all ranges.Sampled) (bool, error) {
	l, share := r.lanes[i], r.share(i)
	end := uint64(0)
	for _, n := range all.Sizes(i, r.lasts, roomDeviations) {
		r.starts[i] = append(r.starts[i], end)
		end += n
	}
	r.starts[i] = append(r.starts[i], end)
	spare, err := ranges.Spare(share, l.s.caps)
	if err != nil || end+spare+share.Items > ranges.MostPlaces {
		return false, err
	}
	had := l.memory[mergesort.TwoKeysOut].bytes()
	need := (end + spare) * uint64(share.Type.Bytes())
	if limit := r.g.x.MemoryLimit; limit != 0 && l.held()-had+max(need, had) > limit {
		return false, nil
	}
	_, err = l.grow(mergesort.TwoKeysOut, need)
	if errors.Is(err, driver.ErrOutOfMemory) {
		_, err = l.grow(mergesort.TwoKeysOut, had)
		return false, r.named(i, err)
	}
	return true, r.named(i, err)
}

// split splits member i's share, waits, and counts.
func (r *rangeSort) split(i int) error {
	l, at := r.lanes[i], r.at[i][plan.Scratch]
	lasts, rooms := ranges.PadLasts(r.lasts), ranges.RoomWords(r.starts[i])
	err := l.mark(0)
	if err == nil {
		err = l.q.CopyIn(at.Buf, at.Off+ranges.Lasts, unsafe.Pointer(&lasts[0]), 8*uint64(len(lasts)))
	}
	if err == nil {
		err = l.q.CopyIn(at.Buf, at.Off+ranges.Rooms, unsafe.Pointer(&rooms[0]), 4*uint64(len(rooms)))
	}
	if err != nil {
		return r.named(i, err)
	}
	spare := uint32(r.starts[i][r.ranges()])
	p, err := l.s.once(planner("ranges", func(p plan.Problem, c driver.Caps) (plan.Plan, error) { return ranges.PlanSplit(p, spare, c) }), r.share(i))
	if err == nil {
		err = r.step(i, p)
	}
	if err != nil {
		return err
	}
	words, err := r.look(i, ranges.Rooms, ranges.Most*ranges.RoomBytes/8)
	if err != nil {
		return err
	}
	if counts, ok := ranges.Used(unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), 2*len(words)), r.starts[i]); ok {
		r.counts[i] = counts
	}
	return nil
}

// counted says where each range begins. It reports false if one had too little room, or cannot
// be sorted beside the others.
func (r *rangeSort) counted() (bool, error) {
	r.begins = make([]uint64, r.ranges()+1)
	for _, counts := range r.counts {
		if counts == nil {
			r.g.x.Log.Info("a range of keys is longer than its sample said, sorting shares first", "devices", r.g.ID())
			return false, nil
		}
		for k, n := range counts {
			r.begins[k+1] += n
		}
	}
	for k := range r.ranges() {
		r.begins[k+1] += r.begins[k]
	}
	if n := r.begins[r.ranges()]; n != r.spec.Items {
		return false, fmt.Errorf("%s: %d of %d keys are in a range: the splits went wrong; the keys are whole", r.g.ID(), n, r.spec.Items)
	}
	fit := make([]bool, len(r.lanes))
	err := r.each(func(p int) (err error) {
		fit[p], err = r.fits(p)
		return err
	})
	return !slices.Contains(fit, false), err
}

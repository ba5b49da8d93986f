package exec

import (
	"github.com/gpusort/gpusort/internal/algo"
	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// numberItems is how many values are numbered at a time: their words stay in a large
// card's second-level cache, and a launch is short beside them.
const numberItems = 1 << 21

// number makes the values of member i's share the places of its items among all, in
// scratch memory where the device has the kernel for it, else from the host.
func (s *groupSort) number(i int) error {
	l, share := s.lanes[i], s.share(i)
	if share.Items == 0 {
		return nil
	}
	words, values := s.at[i][plan.Scratch], s.at[i][plan.ValuesIO]
	each := min(share.Items, numberItems, l.memory[plan.Scratch].bytes()/16)
	for off := uint64(0); off < share.Items; off += each {
		n := min(each, share.Items-off)
		r, err := l.s.once(algo.Algorithm{
			Name: mergesort.PlacesName,
			Plan: func(_ plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
				return mergesort.PlanPlaces(n, share.ValueBytes, s.bounds[i]+off, c)
			},
		}, share)
		if err != nil { // there is no such kernel
			return s.named(i, s.numberByHost(i))
		}
		at := Places{plan.KeysIO: words, mergesort.TwoKeysOut: words.Plus(8 * each), plan.ValuesIO: values.Plus(off * uint64(share.ValueBytes))}
		if err := bind(r, at).submit(s.ctx, l.q); err != nil {
			return s.named(i, err)
		}
	}
	return nil
}

// numberByHost is number by uploads.
func (s *groupSort) numberByHost(i int) error {
	l, share, x := s.lanes[i], s.share(i), s.g.x
	width := uint64(share.ValueBytes)
	each := min(share.Items, max(x.Sizes.DirectUnit/width, 1))
	b, err := x.pool.Get(each * width)
	if err != nil {
		return err
	}
	defer x.pool.Put(b)
	for off := uint64(0); off < share.Items; off += each {
		j := op.Job{Spec: share}
		j.Items = min(each, share.Items-off)
		j.At[op.ValuesIO] = b.Pointer()
		fillIndex(x.HostWorkers(), j, s.bounds[i]+off)
		span := transfer.Span{Host: b.Pointer(), Dev: s.at[i][plan.ValuesIO].Plus(off * width), Bytes: j.Items * width}
		if err := l.link.Upload(s.ctx, []transfer.Span{span}); err != nil {
			_ = l.link.Drain() // nothing reads the block when it is given back
			return err
		}
		if err := l.link.Drain(); err != nil {
			return err
		}
	}
	return nil
}

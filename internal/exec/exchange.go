package exec

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/cut"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// mostChunks is how many chunks a part is fetched and merged in: while one is merged, the
// next is fetched. Cuts between chunks cost some 0.2 ms each, beside the copies.
const mostChunks = 8

// piece is what a chunk has of a run.
type piece struct {
	run     int
	from, n uint64 // in the run
	lo, hi  uint64 // its first and last key, encoded
	same    bool   // keys without values, all equal
}

// chunk is a stretch of a member's part, and how it is made of pieces.
type chunk struct {
	n      uint64 // items
	pieces []piece
	joined bool   // the pieces one behind the other are sorted
	gap    uint64 // items behind the first of two pieces, filled with the largest key
	sort   bool   // the pieces cannot be merged: the part is to be sorted
	falls  bool   // the keys' bit patterns fall
}

// pieces lists what the runs have between two cuts.
func pieces(lo, hi []uint64) (p []piece) {
	for i := range lo {
		if lo[i] < hi[i] {
			p = append(p, piece{run: i, from: lo[i], n: hi[i] - lo[i]})
		}
	}
	return p
}

// chunk decides how member p makes a chunk of a section.
func (s *groupSort) chunk(p int, x section, y layout) (c chunk, err error) {
	all := x.pieces
	c = chunk{pieces: all, joined: true, falls: x.falls}
	alone := s.spec.ValueBytes == 0 // equal keys are as good as each other
	var looks []cut.Span
	for i, x := range all {
		c.n += x.n
		all[i].lo, all[i].hi = s.ends[0][x.run], s.ends[1][x.run]
		if x.from != 0 {
			looks = append(looks, cut.Span{Run: x.run, From: x.from, N: 1})
		}
		if end := x.from + x.n; end != s.runs[x.run].n {
			looks = append(looks, cut.Span{Run: x.run, From: end - 1, N: 1})
		}
	}
	if len(all) == 0 || len(all) == 1 && s.runs[all[0].run].member == p {
		return c, nil
	}
	got, err := s.reader(p)(looks)
	if err != nil {
		return c, err
	}
	for i, x := range all {
		if x.from != 0 {
			all[i].lo, got = got[0].At(0), got[1:]
		}
		if x.from+x.n != s.runs[x.run].n {
			all[i].hi, got = got[0].At(0), got[1:]
		}
		all[i].same = alone && all[i].lo == all[i].hi
	}
	if alone {
		slices.SortStableFunc(all, func(a, b piece) int {
			return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi))
		})
	}
	for i := range all[1:] {
		c.joined = c.joined && all[i].hi <= all[i+1].lo
	}
	switch {
	case c.joined:
	case !y.merges || !alone && len(all) > 2:
		c.sort = true
	case alone:
		// So the first of two neighbours is never the shorter, after merges either.
		slices.SortStableFunc(all, func(a, b piece) int { return cmp.Compare(b.n, a.n) })
	case all[0].n < all[1].n:
		c.gap = all[1].n - all[0].n
		// What falls has no room for a gap where it is turned.
		c.sort = c.falls || c.gap > c.n/gapShare || s.bits(all[1].hi) == ^uint64(0)>>(64-s.spec.Type.Bits())
	}
	if c.sort {
		c.gap = 0
	}
	return c, nil
}

// levels is the number of passes that each item of c goes through: merges, and before them
// one that turns what falls.
func (c chunk) levels() (n int) {
	if c.joined || c.sort {
		return 0
	}
	for k := len(c.pieces); k > 1; k = (k + 1) / 2 {
		n++
	}
	if c.falls {
		n++
	}
	return n
}

// stays reports whether c is member p's whole part and lies there as it should already.
func (s *groupSort) stays(p int, c chunk) bool {
	at := uint64(0)
	for _, x := range c.pieces {
		r := s.runs[x.run]
		if r.member != p || r.from != at || x.from != 0 {
			return false
		}
		at += x.n
	}
	return c.joined && at == s.share(p).Items
}

// fetched is where member p gathers its part: keys and values, and behind them room for
// the table of a merge.
func (s *groupSort) fetched(p int, y layout) (to Places, splits transfer.Place) {
	base := s.at[p][plan.Scratch]
	to[plan.KeysIO], to[plan.ValuesIO] = base, base.Plus(y.keys)
	return to, base.Plus(y.keys + y.values)
}

// moved is places so many items further on.
func (s *groupSort) moved(at Places, items uint64) Places {
	at[plan.KeysIO] = at[plan.KeysIO].Plus(items * uint64(s.spec.Type.Bytes()))
	at[plan.ValuesIO] = at[plan.ValuesIO].Plus(items * uint64(s.spec.ValueBytes))
	return at
}

// gather queues the copies of a chunk's pieces to a place of member p: on the first queue
// from other members, on the second those within its memory.
func (s *groupSort) gather(p int, queues [2]driver.Queue, c chunk, to Places) error {
	at := uint64(0)
	for i, x := range c.pieces {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		q := queues[0]
		if s.runs[x.run].member == p {
			q = queues[1]
		}
		if err := s.fetch(p, q, x, s.moved(to, at)); err != nil {
			return err
		}
		if at += x.n; i == 0 && c.gap != 0 {
			most, bytes := largest(), c.gap*uint64(s.spec.Type.Bytes())
			have := min(bytes, s.g.x.Sizes.SameUnit, uint64(len(most)))
			dst := s.moved(to, at)[plan.KeysIO]
			if err := q.CopyIn(dst.Buf, dst.Off, unsafe.Pointer(&most[0]), have); err != nil {
				return s.named(p, err)
			}
			if err := s.double(p, q, dst, have, bytes); err != nil {
				return err
			}
			at += c.gap
		}
	}
	return nil
}

// largest is the largest key many times over, of any width.
var largest = sync.OnceValue(func() []byte { return bytes.Repeat([]byte{0xff}, 64<<10) })

// fetch queues the copy of a piece to member p.
func (s *groupSort) fetch(p int, q driver.Queue, x piece, to Places) error {
	r := s.runs[x.run]
	width, value := uint64(s.spec.Type.Bytes()), uint64(s.spec.ValueBytes)
	src, dst, bytes := r.keys.Plus(x.from*width), to[plan.KeysIO], x.n*width
	if x.same && r.member != p {
		have := min(bytes, s.g.x.Sizes.SameUnit)
		if err := s.carry(p, q, dst, src, r.member, have); err != nil {
			return err
		}
		return s.double(p, q, dst, have, bytes)
	}
	if err := s.carry(p, q, dst, src, r.member, bytes); err != nil || value == 0 {
		return err
	}
	return s.carry(p, q, to[plan.ValuesIO], r.values.Plus(x.from*value), r.member, x.n*value)
}

// double queues the copies that repeat what lies at a place until it has so many bytes.
func (s *groupSort) double(p int, q driver.Queue, at transfer.Place, have, bytes uint64) error {
	for have < bytes {
		n := min(have, bytes-have)
		if err := q.Copy(at.Buf, at.Off+have, at.Buf, at.Off, n); err != nil {
			return s.named(p, err)
		}
		have += n
	}
	return nil
}

// carry queues the copy of bytes from a member's memory to member p's: within it,
// directly, or through the host, for which it waits.
func (s *groupSort) carry(p int, q driver.Queue, dst, src transfer.Place, from int, bytes uint64) error {
	if from == p {
		return s.named(p, q.Copy(dst.Buf, dst.Off, src.Buf, src.Off, bytes))
	}
	if peer, ok := q.(driver.PeerCopier); ok {
		return s.named(p, peer.CopyPeer(dst.Buf, dst.Off, src.Buf, src.Off, bytes))
	}
	b := &s.lanes[from].probes[p]
	if err := b.open(s.lanes[from].s.dev, min(bytes, relayUnit)); err != nil {
		return s.named(from, err)
	}
	for off := uint64(0); off < bytes; off += relayUnit {
		n := min(relayUnit, bytes-off)
		err := b.q.CopyOut(b.mem.Pointer(), src.Buf, src.Off+off, n)
		if err == nil {
			err = b.q.Synchronize()
		}
		if err != nil {
			return s.named(from, err)
		}
		if err = q.CopyIn(dst.Buf, dst.Off+off, b.mem.Pointer(), n); err == nil {
			err = q.Synchronize()
		}
		if err != nil {
			return s.named(p, err)
		}
	}
	return nil
}

// meld queues what makes a chunk of its pieces, which lie one behind the other at from, and
// leaves it at to. It goes to and fro between from and other, one of which is to as a rule.
func (s *groupSort) meld(p int, c chunk, from, other, to Places, splits transfer.Place) error {
	lens := make([]uint64, len(c.pieces))
	for i, x := range c.pieces {
		lens[i] = x.n
	}
	at, levels := from, c.levels()
	if levels > 0 && c.falls {
		if err := s.two(p, c.n, 0, c.n, true, at, other, splits); err != nil {
			return err
		}
		at, other, levels = other, at, levels-1
	}
	for level := range levels {
		var next []uint64
		off := uint64(0)
		for i := 0; i < len(lens); i += 2 {
			n := lens[i]
			var err error
			if i+1 < len(lens) {
				n += lens[i+1]
				back := c.falls && level == levels-1
				err = s.two(p, lens[i], c.gap, n, back, s.moved(at, off), s.moved(other, off), splits)
			} else {
				err = s.copy(p, n, s.moved(other, off), s.moved(at, off))
			}
			if err != nil {
				return err
			}
			next, off = append(next, n), off+n
		}
		lens, at, other = next, other, at
	}
	if at == to {
		return nil
	}
	return s.copy(p, c.n, to, at)
}

// copy queues the copy of n items within member p's memory.
func (s *groupSort) copy(p int, n uint64, to, from Places) error {
	for r, width := range [...]uint64{uint64(s.spec.Type.Bytes()), uint64(s.spec.ValueBytes)} {
		if width == 0 {
			continue
		}
		if err := s.lanes[p].q.Copy(to[r].Buf, to[r].Off, from[r].Buf, from[r].Off, n*width); err != nil {
			return s.named(p, err)
		}
	}
	return nil
}

// two queues the merge of two runs that lie one behind the other; it writes the keys or
// their complements.
func (s *groupSort) two(p int, first, gap, n uint64, complement bool, from, to Places, splits transfer.Place) error {
	l := s.lanes[p]
	q := unsigned(s.spec)
	q.Items = n
	pl, err := mergesort.PlanTwo(q, first, gap, complement, l.s.caps)
	if err != nil {
		return s.named(p, err)
	}
	at := Places{plan.KeysIO: from[plan.KeysIO], plan.ValuesIO: from[plan.ValuesIO], plan.Scratch: splits,
		mergesort.TwoKeysOut: to[plan.KeysIO], mergesort.TwoValuesOut: to[plan.ValuesIO]}
	r, err := l.s.once(algo.Algorithm{
		Name: mergesort.TwoName,
		Plan: func(plan.Problem, driver.Caps, algo.Params) (plan.Plan, error) { return pl, nil },
	}, q)
	if err != nil {
		return err
	}
	return s.named(p, bind(r, at).submit(s.ctx, l.q))
}

// once is prepare for a plan that is not kept.
func (s *Session) once(a algo.Algorithm, p plan.Problem) (*prepared, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.build(a, p, algo.Params{})
}

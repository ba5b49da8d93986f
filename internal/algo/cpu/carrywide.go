package cpu

import (
	"sort"

	"github.com/gpusort/gpusort/internal/key"
)

// doubles carries keys of 128 bits as their high half with the low one, or as the low
// one with the high one.
type doubles struct {
	x   []key.Octets
	c   key.Codec
	low bool
}

func (p doubles) fill(buf []rec, i, j int) {
	for at := range p.x[i:j] {
		w := key.EncodeWide(p.c, &p.x[i+at])
		if p.low {
			w = key.Wide{Hi: w.Lo, Lo: w.Hi}
		}
		buf[at] = rec{w.Hi, w.Lo}
	}
}

func (p doubles) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tallyFill(p, c, i, j, d, ref)
}

func (p doubles) needed() bool { return true }

func (p doubles) move(to, from, n int) { copy(p.x[to:to+n], p.x[from:from+n]) }

func (p doubles) emit(e []rec, at int) {
	for i, r := range e {
		w := key.Wide{Hi: r.k, Lo: r.v}
		if p.low {
			w = key.Wide{Hi: r.v, Lo: r.k}
		}
		key.DecodeWide(p.c, &p.x[at+i], w)
	}
}

// tallyFill is tally by what fill makes.
func tallyFill[C carrier[rec]](p C, c *counter, i, j int, d digit, ref uint64) uint64 {
	buf, words := getScratch[rec](blockItems), getScratch[uint64](blockItems)
	defer buf.put()
	defer words.put()
	p.fill(buf.s, i, j)
	b := words.s[:j-i]
	for at := range b {
		b[at] = buf.s[at].k
	}
	return countBlock(b, c, d, ref)
}

// highPlaces makes recs of high halves and positions.
type highPlaces[I wide] struct {
	k   []key.Octets
	idx []I
	c   key.Codec
}

func (p highPlaces[I]) fill(buf []rec, i, j int) {
	for at := range p.k[i:j] {
		buf[at] = rec{key.EncodeWide(p.c, &p.k[i+at]).Hi, uint64(i + at)}
	}
}

func (p highPlaces[I]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tallyFill(p, c, i, j, d, ref)
}

func (p highPlaces[I]) needed() bool { return false }

func (p highPlaces[I]) emit(e []rec, at int) {
	for i := range e {
		p.idx[at+i] = I(e[i].v)
	}
}

// lowPlaces makes recs of positions that there are and the low halves of their keys.
type lowPlaces[I wide] struct {
	k   []key.Octets
	idx []I
	c   key.Codec
}

func (p lowPlaces[I]) fill(buf []rec, i, j int) {
	for at, place := range p.idx[i:j] {
		buf[at] = rec{key.EncodeWide(p.c, &p.k[place]).Lo, uint64(place)}
	}
}

func (p lowPlaces[I]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tallyFill(p, c, i, j, d, ref)
}

func (p lowPlaces[I]) needed() bool { return false }

func (p lowPlaces[I]) emit(e []rec, at int) { highPlaces[I](p).emit(e, at) }

// widePairs are pairs that sort.Stable sorts without scratch.
type widePairs[V any] struct {
	k []key.Octets
	v []V
	c key.Codec
}

func (p *widePairs[V]) Len() int { return len(p.k) }

func (p *widePairs[V]) Less(i, j int) bool {
	return key.EncodeWide(p.c, &p.k[i]).Less(key.EncodeWide(p.c, &p.k[j]))
}

func (p *widePairs[V]) Swap(i, j int) {
	p.k[i], p.k[j] = p.k[j], p.k[i]
	p.v[i], p.v[j] = p.v[j], p.v[i]
}

// widePlaces are positions in order of their keys, and where those are equal, their own.
type widePlaces[I wide] struct {
	k   []key.Octets
	idx []I
	c   key.Codec
}

func (p *widePlaces[I]) Len() int { return len(p.idx) }

func (p *widePlaces[I]) Less(i, j int) bool {
	a, b := p.idx[i], p.idx[j]
	d := key.EncodeWide(p.c, &p.k[a]).Compare(key.EncodeWide(p.c, &p.k[b]))
	return d < 0 || d == 0 && a < b
}

func (p *widePlaces[I]) Swap(i, j int) { p.idx[i], p.idx[j] = p.idx[j], p.idx[i] }

// stopped ends a sort in place.
type stopped struct{}

// watched looks at the context between comparisons, of which every so-manieth does.
type watched struct {
	sort.Interface
	o     Options
	looks int
}

func (w *watched) Less(i, j int) bool {
	if w.looks++; w.looks%(1<<12) == 0 && (w.o.err() != nil || w.o.look != nil && w.o.look()) {
		panic(stopped{})
	}
	return w.Interface.Less(i, j)
}

// inPlace sorts x by exchanges, with sort, for which a cap on memory leaves no room. If
// the context ends x is in another order.
func inPlace(o Options, x sort.Interface, by func(sort.Interface)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(stopped); !ok {
				panic(v)
			}
			r := newRun(o)
			r.stop.Store(true)
			err = r.end()
		}
	}()
	by(&watched{Interface: x, o: o})
	return nil
}

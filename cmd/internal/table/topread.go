package table

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// A narrower is a source that can tell from its keys alone which rows can be among the
// first: of a Parquet file, keys are columns that are read without the others.
type narrower interface {
	// narrow returns pieces of those rows, in their order, and false if they may be too
	// many to tell.
	narrow(ctx context.Context, o Options) ([]piece, bool, error)
}

// mostPicks bounds the rows whose keys are held.
const mostPicks = 1 << 20

// first returns the pieces to read for o, and whether they are not all rows.
func (t *Table) first(ctx context.Context, o Options) ([]piece, bool, error) {
	if n, can := t.source.(narrower); can && o.Top > 0 && o.Top <= mostPicks && !o.Unique && o.Count == nil {
		if some, narrowed, err := n.narrow(ctx, o); narrowed || err != nil {
			return some, narrowed, err
		}
	}
	return t.pieces(), false, nil
}

// pick is a row that may be among the first: its normalised key and its place.
type pick struct {
	key        []byte
	group, row int // the number of the group in the input, and of the row in it
}

// pickBytes is what a pick takes besides the bytes of its key, about.
const pickBytes = 64

// picker keeps those of the rows that it is offered, in any order, that come first. Of rows
// with the same key the earlier ones do.
type picker struct {
	most  int // rows that are wanted
	desc  bool
	bound atomic.Pointer[pick] // one behind which as many rows as are wanted do not lie

	mu    sync.Mutex // of what follows
	picks []pick
	room  int // bytes that picks may take yet
}

var errManyPicks = errors.New("keys of rows that may be among the first take too much memory")

// compareKeys is the order of keys.
func (p *picker) compareKeys(a, b []byte) int {
	if p.desc {
		a, b = b, a
	}
	return bytes.Compare(a, b)
}

func (p *picker) compare(a, b pick) int {
	return cmp.Or(p.compareKeys(a.key, b.key), cmp.Compare(a.group, b.group), cmp.Compare(a.row, b.row))
}

// offer takes a row, if it may be among the first; key is the caller's.
func (p *picker) offer(key []byte, group, row int) error {
	x := pick{key, group, row}
	if b := p.bound.Load(); b != nil && p.compare(x, *b) >= 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.room -= len(key) + pickBytes; p.room < 0 {
		return errManyPicks
	}
	x.key = bytes.Clone(key)
	if p.picks = append(p.picks, x); len(p.picks) >= 2*p.most+64 {
		p.thin()
	}
	return nil
}

// thin sorts the picks and keeps those that are wanted; the lock is held.
func (p *picker) thin() {
	slices.SortFunc(p.picks, p.compare)
	if len(p.picks) < p.most {
		return
	}
	for _, x := range p.picks[p.most:] {
		p.room += len(x.key) + pickBytes
	}
	clear(p.picks[p.most:])
	p.picks = p.picks[:p.most]
	last := p.picks[p.most-1]
	p.bound.Store(&last)
}

// behind reports whether no row of a group can be among the first: edge is what none of their
// first keys is before, nil if that is not known.
func (p *picker) behind(edge []byte, group int) bool {
	b := p.bound.Load()
	if b == nil || edge == nil {
		return false
	}
	c := p.compareKeys(edge, b.key[:min(len(edge), len(b.key))])
	return c > 0 || c == 0 && len(edge) == len(b.key) && group > b.group
}

// rows are those of the picks, by group, in their order.
func (p *picker) rows(groups int) [][]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thin()
	all := make([][]int, groups)
	for _, x := range p.picks {
		all[x.group] = append(all[x.group], x.row)
	}
	for _, rows := range all {
		slices.Sort(rows)
	}
	return all
}

package table

import (
	"bytes"
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

// mostPicks bounds the keys of rows that may be among the first.
const mostPicks = 1 << 20

// first returns the pieces to read for o, and whether they are not all rows.
func (t *Table) first(ctx context.Context, o Options) ([]piece, bool, error) {
	if n, can := t.source.(narrower); can && o.Top > 0 && !o.Unique && o.Count == nil {
		if some, narrowed, err := n.narrow(ctx, o); narrowed || err != nil {
			return some, narrowed, err
		}
	}
	return t.pieces(), false, nil
}

// pick is a row whose key may be among the first.
type pick struct {
	key []byte // normalised
	row int    // of its group
}

// picker collects the picks of one group after another.
type picker struct {
	most  int // rows that are wanted
	desc  bool
	room  atomic.Int64           // bytes that picks may take yet
	bound atomic.Pointer[[]byte] // a key that as many rows of one group as are wanted do not exceed
	mu    sync.Mutex             // of writing bound
}

var errManyPicks = errors.New("keys of rows that may be among the first take too much memory")

// compare is the order of keys.
func (p *picker) compare(a, b []byte) int {
	if p.desc {
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

// thin sorts picks and keeps those that are wanted. It returns the last key, nil if there
// are not so many.
func (p *picker) thin(all []pick) ([]pick, []byte) {
	slices.SortFunc(all, func(a, b pick) int {
		if c := p.compare(a.key, b.key); c != 0 {
			return c
		}
		return a.row - b.row
	})
	if len(all) < p.most {
		return all, nil
	}
	for _, x := range all[p.most:] {
		p.room.Add(int64(len(x.key)))
	}
	clear(all[p.most:])
	all = all[:p.most]
	last := all[p.most-1].key
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.bound.Load(); b == nil || p.compare(last, *b) < 0 {
		p.bound.Store(&last)
	}
	return all, last
}

// narrow implements narrower.
func (t *parquetTable) narrow(ctx context.Context, o Options) ([]piece, bool, error) {
	groups := t.groups()
	if o.Top > int64(mostPicks/max(len(groups), 1)) || len(t.by) == len(t.order) {
		return nil, false, nil
	}
	p := &picker{most: int(o.Top), desc: o.Desc}
	p.room.Store(int64(o.share()))
	picked := make([][]pick, len(groups))
	errs := make([]error, len(groups))
	var next atomic.Int64
	var team sync.WaitGroup
	for range o.readers() {
		team.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(groups) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = guarded("the file is damaged", func() (err error) {
					picked[i], err = t.pickOf(groups[i], p)
					return err
				})
			}
		})
	}
	team.Wait()
	if err := errors.Join(ctx.Err(), errors.Join(errs...)); err != nil {
		if errors.Is(err, errManyPicks) {
			err = nil
		}
		return nil, false, err
	}
	all := slices.Concat(picked...)
	_, last := p.thin(all)
	var pieces []piece
	for i, g := range groups {
		var rows []int
		for _, x := range picked[i] {
			if last == nil || p.compare(x.key, last) <= 0 {
				rows = append(rows, x.row)
			}
		}
		if len(rows) > 0 {
			slices.Sort(rows)
			pieces = append(pieces, t.piece(g, rows))
		}
	}
	return pieces, true, nil
}

// pickOf reads the keys of a group.
func (t *parquetTable) pickOf(g rowGroup, p *picker) (picks []pick, err error) {
	encode := format{t.by}.Encoder()
	var local, key []byte
	var ends []uint32
	at := 0
	err = t.read(g, len(t.by), nil, func(buf []byte) (_ []byte, err error) {
		ends = format{}.Split(buf, ends[:0])
		from := uint32(0)
		for _, end := range ends {
			if key, err = encode(key[:0], buf[from:end]); err != nil {
				return nil, err
			}
			from = end
			row := at
			at++
			// Of equal keys of a group the earlier ones count; those of another may lie behind.
			if local != nil && p.compare(key, local) >= 0 {
				continue
			}
			if b := p.bound.Load(); b != nil && p.compare(key, *b) > 0 {
				continue
			}
			if p.room.Add(-int64(len(key))) < 0 {
				return nil, errManyPicks
			}
			if picks = append(picks, pick{bytes.Clone(key), row}); len(picks) >= 2*p.most+1024 {
				picks, local = p.thin(picks)
			}
		}
		return buf[:0], nil
	})
	if err == nil {
		picks, _ = p.thin(picks)
	}
	return picks, err
}

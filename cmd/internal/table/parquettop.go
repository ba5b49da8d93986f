package table

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// narrow implements narrower. The groups that may have the first rows of all, as their
// statistics say, are read before others, most of which are then behind them.
func (t *parquetTable) narrow(ctx context.Context, o Options) ([]piece, bool, error) {
	groups := t.groups()
	p := &picker{most: int(o.Top), desc: o.Desc, room: int(o.share())}
	edges := make([][]byte, len(groups))
	order := make([]int, len(groups))
	for i, g := range groups {
		edges[i], order[i] = t.edge(g, p), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := edges[a], edges[b]; {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		default:
			return p.compareKeys(x, y)
		}
	})
	errs := make([]error, len(groups))
	var failed atomic.Bool
	workers.Each(o.readers(), len(groups), func(i int) {
		number := order[i]
		if ctx.Err() != nil || failed.Load() || p.behind(edges[number], number) {
			return
		}
		errs[i] = reading("the file", func() error { return t.pickOf(groups[number], number, p) })
		if errs[i] != nil {
			failed.Store(true)
		}
	})
	if err := errors.Join(ctx.Err(), errors.Join(errs...)); err != nil {
		if errors.Is(err, errManyPicks) {
			err = nil
		}
		return nil, false, err
	}
	var pieces []piece
	for i, rows := range p.rows(len(groups)) {
		if len(rows) > 0 {
			pieces = append(pieces, t.piece(groups[i], rows))
		}
	}
	return pieces, true, nil
}

// pickOf offers the rows of a group to p.
func (t *parquetTable) pickOf(g rowGroup, number int, p *picker) error {
	return g.with(func(r *file.RowGroupReader) error {
		chunks, columns, step, done, err := t.columnsOf(r, len(t.by))
		defer done()
		if err != nil {
			return err
		}
		encode := format{t.by}.Encoder()
		s := sieve{fieldKey: t.by[0], p: p, group: number}
		var pack packer
		var buf, key []byte
		var some, ends []uint32
		for at, rows := 0, int(r.NumRows()); at < rows; {
			n := min(step, rows-at)
			for i, c := range chunks {
				if err := c.fill(n); err != nil {
					return t.ofColumn(i, err)
				}
			}
			if some = s.pass(some[:0], columns[0], n); len(some) > 0 {
				buf = pack.pack(buf[:0], columns, n)
				ends = format{}.Split(buf, ends[:0])
			}
			for _, i := range some {
				from := uint32(0)
				if i > 0 {
					from = ends[i-1]
				}
				if key, err = encode(key[:0], buf[from:ends[i]]); err == nil {
					err = p.offer(key, number, at+int(i))
				}
				if err != nil {
					return err
				}
			}
			for _, c := range columns {
				c.reset()
			}
			at += n
		}
		return nil
	})
}

// edge is a key that no row's first key of the group is before, by the statistics of its
// column; nil if they do not say.
func (t *parquetTable) edge(g rowGroup, p *picker) (edge []byte) {
	k := t.by[0]
	c := g.file.meta.RowGroups[g.index].Columns[t.order[0]].MetaData
	st := c.Statistics
	if st == nil || k.other != ofSchema || k.Kind != schema.Number && !k.col.IsText() {
		return nil
	}
	some := func(key []byte) {
		if edge == nil || p.compareKeys(key, edge) < 0 {
			edge = key
		}
	}
	if k.def > 0 && (st.NullCount == nil || *st.NullCount > 0) {
		some([]byte{k.null})
	}
	if st.NullCount != nil && *st.NullCount == c.NumValues {
		return edge
	}
	nan := k.nan()
	for _, v := range [][]byte{st.MinValue, st.MaxValue} {
		if v == nil || k.width > 0 && len(v) != k.width {
			return nil
		}
		key := k.append(nil, v)
		if nan != nil && string(key) == string(nan) {
			return nil
		}
		some(key)
	}
	if nan != nil {
		some(nan) // statistics are those of numbers
	}
	return edge
}

// nan is the key of a NaN, nil if there is none.
func (k *fieldKey) nan() []byte {
	switch {
	case k.Kind != schema.Number:
		return nil
	case k.typ == key.F32:
		return k.append(nil, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN()))))
	case k.typ == key.F64:
		return k.append(nil, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())))
	}
	return nil
}

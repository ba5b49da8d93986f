package run

import (
	"slices"
	"sort"
)

// task is a piece of a merge: rows that follow each other in its result.
type task struct {
	number int
	parts  []part // in the order of their sources, none of them empty
	bytes  int
	// Of what comes before: the key of the last row and, where a source is not in order, what
	// that row counts as. Both are nil if nothing does.
	before, base []byte
}

// cutter divides a merge into tasks.
type cutter struct {
	coder
	cut   uint32 // bytes of a delimiter
	most  int    // bytes that a task has, unless a row has more
	feeds []feed
	task  *task      // the one to come: what comes before it
	spare chan *task // that are done, whose memory is used again
}

// feed is the portions of a source.
type feed struct {
	from *portions
	part      // the rows that are there
	over bool // no more come
}

// next returns the next task, nil behind the last one, or what kept a source from being read.
// Whatever comes up to the last row of one of the portions that are there is there, so the
// first of these rows ends the task. A task of too many rows ends earlier.
func (c *cutter) next() (*task, error) {
	last := -1
	for i := range c.feeds {
		f := &c.feeds[i]
		if err := f.fill(); err != nil {
			return nil, err
		}
		if !f.over && (last < 0 || c.order(f.last(c.cut), c.feeds[last].last(c.cut)) < 0) {
			last = i
		}
	}
	if last < 0 {
		return nil, nil
	}
	t := c.task
	row := c.feeds[last].end - 1
	for {
		c.upTo(t, last, row)
		if t.bytes <= c.most {
			break
		}
		p, at := c.half(t)
		if len(t.parts) == 1 && at == p.end-1 {
			break
		}
		row = at
		for last = 0; c.feeds[last].portion != p.portion; last++ {
		}
	}
	f := &c.feeds[last]
	c.follow(t, f.key(row, c.cut), f.own(row, c.cut))
	for _, p := range t.parts {
		p.users.Add(1)
	}
	i := 0
	for _, p := range t.parts {
		for c.feeds[i].portion != p.portion {
			i++
		}
		c.feeds[i].at = p.end
	}
	return t, nil
}

// half returns a row that divides t in about two: the middle one of its longest part. If every part
// is one row, it is the middle one of those.
func (c *cutter) half(t *task) (p part, row int) {
	for _, q := range t.parts {
		if q.end-q.at > p.end-p.at {
			p = q
		}
	}
	if p.end-p.at > 1 {
		return p, (p.at+p.end)/2 - 1
	}
	rows := slices.Clone(t.parts)
	slices.SortStableFunc(rows, func(a, b part) int { return c.order(a.key(a.at, c.cut), b.key(b.at, c.cut)) })
	p = rows[(len(rows)-1)/2]
	return p, p.at
}

// follow begins the task behind t, whose last row has these keys.
func (c *cutter) follow(t *task, base, before []byte) {
	select {
	case c.task = <-c.spare:
	default:
		c.task = &task{}
	}
	c.task.number = t.number + 1
	c.task.base, c.task.before = copyTo(c.task.base, base), copyTo(c.task.before, before)
}

// upTo gives t all rows up to that row of feed last, rows that tie in the order of feeds.
func (c *cutter) upTo(t *task, last, row int) {
	key := c.feeds[last].key(row, c.cut)
	t.parts, t.bytes = t.parts[:0], 0
	for i := range c.feeds {
		f := &c.feeds[i]
		if f.over {
			continue
		}
		most := 0 // the order of rows that belong to the task
		if i > last {
			most = -1
		}
		p := part{f.portion, f.at, row + 1}
		if i != last {
			step := 1
			for f.at+step <= f.end && c.order(f.key(f.at+step-1, c.cut), key) <= most {
				step *= 2
			}
			from := f.at + step/2
			p.end = from + sort.Search(min(f.end, f.at+step-1)-from, func(j int) bool { return c.order(f.key(from+j, c.cut), key) > most })
		}
		if p.at < p.end {
			t.parts = append(t.parts, p)
			t.bytes += int(p.ends[p.end-1] - p.begin(p.at))
		}
	}
}

func (c *cutter) order(a, b []byte) int { return c.compare(a, b, differ(a, b, 0)) }

// last is the key of the last row that is there.
func (f *feed) last(cut uint32) []byte { return f.key(f.end-1, cut) }

// fill takes the next portion where no row is left.
func (f *feed) fill() error {
	for !f.over && f.at == f.end {
		if f.portion != nil {
			f.release()
		}
		p, ok := <-f.from.full
		if !ok {
			f.over = true
			return errEarlyEnd
		}
		f.part = part{p, 0, len(p.ends)}
		if p.err != nil {
			f.over = true
			return p.failure()
		}
		p.users.Store(1)
	}
	return nil
}

// copyTo copies b to the memory of dst, or to new memory if that is too small. The result is never nil.
func copyTo(dst, b []byte) []byte {
	if dst == nil {
		dst = []byte{}
	}
	return append(dst[:0], b...)
}

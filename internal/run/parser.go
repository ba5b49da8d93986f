package run

import "math"

// parser makes keys and copies rows into the table.
type parser struct {
	*former
	turn    *ordered
	keys    func(dst, row []byte) ([]byte, error)
	ends    []uint32
	entries []byte   // of keyed rows: each key with its row
	begins  []uint32 // in entries
	texts   []uint32
	kept    []byte // of rows without keys
	seen    int    // rows of the batch, with those that are left out
}

// add puts the rows of a batch in the table, behind those of all earlier ones.
func (p *parser) add(b batch) {
	err := b.err
	if err == nil {
		err = p.parse(b)
	}
	if e := p.turn.wait(b.number); e != nil {
		p.turn.pass(e)
		return
	}
	if b.input != p.former.input {
		p.former.input, p.former.rows = b.input, 0
	}
	err = behind(p.former.rows, err)
	data := p.kept
	if p.keys != nil {
		data = p.entries
	}
	if err == nil && (!p.t.fits(len(p.ends), uint64(len(data))) || p.crowded(len(p.ends))) {
		err = p.former.full(len(p.ends), uint64(len(data)))
	}
	if err != nil {
		p.turn.pass(err)
		return
	}
	p.st.Rows += int64(p.seen)
	p.former.rows += int64(p.seen)
	t := p.t
	s := t.take(len(p.ends), uint64(len(data)))
	for high := uint64(len(t.wraps)+1) << 32; t.used >= high; high += 1 << 32 {
		t.wraps = append(t.wraps, p.wrap(s, high))
	}
	p.fill.Add(1)
	p.turn.pass(nil)
	copy(t.data.All[s.at:], data)
	base := uint32(s.at)
	place := t.place.All[s.row*t.stride : (s.row+len(p.ends))*t.stride]
	if p.keys != nil {
		for i, b := range p.begins {
			place[2*i], place[2*i+1] = base+b, base+p.texts[i]
		}
	} else if len(place) > 0 {
		place[0] = base
		for i, e := range p.ends[:len(p.ends)-1] {
			place[i+1] = base + e
		}
	}
	p.fill.Done()
}

// wrap is the first of the rows of s, or the one behind them, that begins at high or
// beyond.
func (p *parser) wrap(s span, high uint64) uint32 {
	for i := range p.ends {
		at := s.at
		switch {
		case p.keys != nil:
			at += uint64(p.begins[i])
		case i > 0:
			at += uint64(p.ends[i-1])
		}
		if at >= high {
			return uint32(s.row + i)
		}
	}
	return uint32(s.row + len(p.ends))
}

// parse splits rows and makes their keys.
func (p *parser) parse(b batch) (err error) {
	rows := b.rows
	if uint64(len(rows)) > math.MaxUint32/2 {
		return errRowTooLong
	}
	p.ends = p.Format.Split(rows, p.ends[:0])
	p.seen, p.kept = len(p.ends), rows
	top := p.selecting()
	if p.keys == nil {
		if top {
			p.kept = p.leave(rows)
		}
		return nil
	}
	p.entries, p.begins, p.texts = p.entries[:0], p.begins[:0], p.texts[:0]
	cut := uint32(p.Format.Delimiter())
	from := uint32(0)
	for i, end := range p.ends {
		begin := len(p.entries)
		p.begins = append(p.begins, uint32(begin))
		if p.entries, err = p.keys(p.entries, rows[from:end-cut]); err != nil {
			return &RowError{b.input, int64(i + 1), err}
		}
		p.texts = append(p.texts, uint32(len(p.entries)))
		text := len(p.entries)
		p.entries = append(p.entries, rows[from:end]...)
		from = end
		if top {
			if p.Tail {
				text = len(p.entries) - int(cut)
			}
			if p.late(p.entries[begin:text]) {
				p.entries = p.entries[:begin]
				p.begins, p.texts = p.begins[:len(p.begins)-1], p.texts[:len(p.texts)-1]
			}
		}
	}
	p.ends = p.ends[:len(p.begins)]
	if uint64(len(p.entries)) > math.MaxUint32 {
		return errRowTooLong
	}
	return nil
}

package run

import (
	"math"
	"sort"
)

// parser makes keys and copies rows into the table.
type parser struct {
	*former
	turn    *ordered
	keys    func(dst, row []byte) ([]byte, error)
	ends    []uint32
	entries []byte   // of keyed rows: each key with its row
	begins  []uint32 // in entries
	texts   []uint32 // where rows begin, in entries, or in kept if they are apart
	kept    []byte   // rows without keys, or apart from them
	seen    int      // rows of the batch, with those that are left out
	count   int      // rows that are kept
	plain   bool     // they are these numbers:
	values  []uint64
	observe func(Seen) func(input int, bytes, rows int64)
	seenAt  func(input int, bytes, rows int64) // of the batch
	repeats *repeats                           // nil: rows that tie are kept
}

// add puts the rows of a batch in the table, behind those of all earlier ones.
func (p *parser) add(b batch) {
	err := b.err
	if err == nil {
		err = p.t.guard(func() error {
			if err := p.parse(b); err != nil || p.observe == nil {
				return err
			}
			p.seenAt = p.observe(p.sight(b.rows))
			return nil
		})
	}
	if e := p.turn.wait(b.number); e != nil {
		p.turn.pass(e)
		return
	}
	if b.input != p.former.input {
		p.former.input, p.former.rows = b.input, 0
	}
	switch {
	case err != nil:
	case p.plain && !p.t.numbers.Load():
		err = p.parse(b) // again, for rows are none any more
	case p.t.numbers.Load() && !p.plain:
		err = p.endNumbers()
	}
	err = behind(p.former.rows, err)
	p.giveRoom(max(len(b.rows), cap(b.buf)))
	if bytes := p.bytes(); err == nil && (!p.t.fits(p.count, bytes) || p.crowded(p.count)) {
		err = p.former.full(p.count, bytes)
	}
	if err != nil {
		p.turn.pass(err)
		return
	}
	if p.observe != nil {
		p.seenAt(b.input, b.at, p.former.rows)
	}
	p.st.Rows += int64(p.seen)
	p.former.rows += int64(p.seen)
	s := p.take()
	p.fill.Add(1)
	defer p.fill.Done()
	p.turn.pass(nil)
	p.store(s)
}

// data is what comes into the table's data, or, of numbers, what they stand for.
func (p *parser) data() []byte {
	if p.keys != nil && !p.plain {
		return p.entries
	}
	return p.kept
}

// bytes is what that takes. The rows of a file count, for they are in memory.
func (p *parser) bytes() uint64 {
	n := len(p.data())
	if p.t.split && !p.plain {
		n += len(p.kept)
	}
	return uint64(n)
}

// take takes the room for what was parsed of a batch.
func (p *parser) take() span {
	t := p.t
	s := t.take(p.count, p.bytes(), uint64(len(p.entries)))
	switch {
	case p.plain, t.file != nil && !t.split: // no wraps
	case t.split:
		t.wraps = addWraps(t.wraps, s.row, p.begins, s.at, t.keys)
		t.far = addWraps(t.far, s.row, p.texts, s.text, t.end)
	case p.keys != nil:
		t.wraps = addWraps(t.wraps, s.row, p.begins, s.at, t.used)
	default:
		t.wraps = addWraps(t.wraps, s.row+1, p.ends, s.at, t.used)
	}
	return s
}

// store copies what was parsed to its room.
func (p *parser) store(s span) {
	t := p.t
	if p.plain {
		copy(t.numbersAt(s.row, len(p.values)), p.values)
		return
	}
	switch {
	case t.split:
		copy(t.data.All[s.at:], p.entries)
		if t.file == nil {
			copy(t.apart.All[s.text:], p.kept)
		}
	case t.file == nil:
		copy(t.data.All[s.at:], p.data())
	}
	base, text := uint32(s.at), uint32(s.text)
	place := t.place.All[s.row*t.stride : (s.row+p.count)*t.stride]
	if p.keys != nil {
		for i, b := range p.begins {
			place[2*i], place[2*i+1] = base+b, text+p.texts[i]
		}
	} else if len(place) > 0 {
		place[0] = text
		for i, e := range p.ends[:len(p.ends)-1] {
			place[i+1] = text + e
		}
	}
}

// addWraps appends, for each multiple of 4 GiB up to end, the first row that begins there or behind it.
// Row row+i begins at base+begins[i], the one behind all of them at end.
func addWraps(wraps []uint32, row int, begins []uint32, base, end uint64) []uint32 {
	for high := uint64(len(wraps)+1) << 32; end >= high; high += 1 << 32 {
		i := sort.Search(len(begins), func(i int) bool { return base+uint64(begins[i]) >= high })
		wraps = append(wraps, uint32(row+i))
	}
	return wraps
}

// parse splits rows and makes their keys.
func (p *parser) parse(b batch) (err error) {
	rows := b.rows
	if p.plain = p.t.numbers.Load(); p.plain {
		if p.values, p.plain = p.numbered.Numbers(rows, p.values[:0]); p.plain {
			p.seen, p.count, p.kept = len(p.values), len(p.values), rows
			return nil
		}
	}
	p.ends = p.Format.Split(rows, p.ends[:0])
	p.seen, p.kept = len(p.ends), rows
	top := p.selecting()
	if p.repeats != nil && p.repeats.few() {
		p.repeats = nil
	}
	if p.keys == nil {
		if top || p.repeats != nil {
			p.kept = p.leave(rows)
		}
		p.count = len(p.ends)
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
		if p.t.split {
			p.texts = append(p.texts, from)
			from = end
			continue
		}
		p.texts = append(p.texts, uint32(len(p.entries)))
		text := len(p.entries)
		if p.repeats != nil && p.repeats.seen(p.entries[begin:text]) {
			p.drop(begin)
			from = end
			continue
		}
		p.entries = append(p.entries, rows[from:end]...)
		from = end
		if top {
			if p.Tail {
				text = len(p.entries) - int(cut)
			}
			if p.late(p.entries[begin:text]) {
				p.drop(begin)
			}
		}
	}
	p.count = len(p.begins)
	p.ends = p.ends[:p.count]
	if uint64(len(p.entries)) > math.MaxUint32 {
		return errKeyTooLong
	}
	return nil
}

// drop gives up the last entry, which begins there.
func (p *parser) drop(begin int) {
	p.entries = p.entries[:begin]
	p.begins, p.texts = p.begins[:len(p.begins)-1], p.texts[:len(p.texts)-1]
}

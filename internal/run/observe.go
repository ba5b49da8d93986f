package run

// Seen is a block of whole rows that Sort has read.
type Seen struct {
	Rows []byte
	Ends []uint32 // of each row
	// Key is what row i is compared by; it holds until the next row is asked for.
	Key func(i int) []byte
}

// sight is what an observer gets of a batch that was parsed.
func (p *parser) sight(rows []byte) Seen {
	cut := uint32(p.Format.Delimiter())
	s := Seen{Rows: rows, Ends: p.ends}
	if p.keys == nil {
		s.Key = func(i int) []byte {
			from := uint32(0)
			if i > 0 {
				from = p.ends[i-1]
			}
			return rows[from : p.ends[i]-cut]
		}
		return s
	}
	s.Key = func(i int) []byte {
		switch {
		case !p.Tail:
			return p.entries[p.begins[i]:p.texts[i]]
		case i+1 < len(p.begins):
			return p.entries[p.begins[i] : p.begins[i+1]-cut]
		}
		return p.entries[p.begins[i] : uint32(len(p.entries))-cut]
	}
	return s
}

package run

import "github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"

// keepsAll reports whether all rows are kept, and nobody but the sort sees their keys, so that
// rows may be apart from them.
func (o *Options) keepsAll() bool { return !o.Unique && !o.selecting() && o.Observe == nil }

// tails is the rows of a table that are apart from their keys, without their delimiters, as a
// bytekeys.Source.
type tails struct {
	*table
	cut uint32
}

// Bytes implements bytekeys.Source.
func (t tails) Bytes(i uint32) []byte {
	if len(t.far) == 0 {
		place := t.place.All[2*int(i) : 2*int(i)+4]
		return t.texts[place[1] : place[3]-t.cut]
	}
	from, to := t.text(i)
	return t.texts[from : to-uint64(t.cut)]
}

// Touch implements bytekeys.Toucher.
func (t tails) Touch(rows []uint32, depth, n int) byte {
	var from [bytekeys.TouchRows]uint64
	rows = rows[:min(len(rows), len(from))]
	if len(t.far) == 0 {
		lookUp(&from, rows, t.place.All[1:], 2)
	} else {
		for i, row := range rows {
			from[i], _ = t.text(row)
		}
	}
	return bring(from[:len(rows)], t.texts[:t.end], depth, n)
}

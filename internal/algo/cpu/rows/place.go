package rows

import "github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"

// countedRows is the most rows that are placed by counting, without a branch, how many come
// before each; more are inserted.
const countedRows = 16

// place puts as many places of o as there are keys, from lo on, in the order of their keys,
// and leaves the keys in that order. Where two neighbours differ, they no longer tie.
func place(o *fewOrder, keys []uint64, lo int) {
	at := o.at[lo : lo+len(keys)]
	if len(keys) <= countedRows {
		o.moved = count(at, keys) || o.moved
	} else {
		o.moved = insert(at, keys) || o.moved
	}
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			o.ties &^= 1 << (lo + i)
		}
	}
}

// count sorts keys stably and moves at alike. It reports whether anything moved.
func count(at []uint8, keys []uint64) (moved bool) {
	var before [countedRows]uint8
	rank := before[:len(keys)]
	for i, k := range keys {
		own := rank[i]
		for j := i + 1; j < len(keys); j++ {
			less := uint8(0)
			if keys[j] < k {
				less = 1
			}
			own += less
			rank[j] += 1 - less
		}
		rank[i] = own
	}
	var was [countedRows]uint8
	var had [countedRows]uint64
	copy(was[:], at)
	copy(had[:], keys)
	differ := 0
	for i, r := range rank {
		at[r], keys[r] = was[i], had[i]
		differ |= i ^ int(r)
	}
	return differ != 0
}

// insert is count by insertion.
func insert(at []uint8, keys []uint64) (moved bool) {
	for i := 1; i < len(keys); i++ {
		k, row := keys[i], at[i]
		j := i
		for ; j > 0 && k < keys[j-1]; j-- {
			keys[j], at[j] = keys[j-1], at[j-1]
		}
		if j < i {
			keys[j], at[j], moved = k, row, true
		}
	}
	return moved
}

// placeTexts puts the places [lo, hi) of o in the order of the texts of their rows: by the
// first 8 bytes behind what all have in common, and where these are equal, by the rest.
func placeTexts(o *fewOrder, texts []string, lo, hi int, desc bool) {
	at := o.at[lo:hi]
	first := texts[at[0]]
	for _, row := range at[1:] {
		if first == "" {
			break
		}
		first = first[:bytekeys.SharedText(first, texts[row])]
	}
	depth := len(first)
	flip := uint64(0)
	if desc {
		flip = ^flip
	}
	var room [fewRows]uint64
	keys := room[:len(at)]
	for i, row := range at {
		keys[i] = bytekeys.WordText(texts[row][depth:]) ^ flip
	}
	place(o, keys, lo)
	from := 0
	for i := 1; i < len(at); i++ {
		if keys[i] != keys[i-1] {
			from = i
			continue
		}
		row := at[i]
		text, j := texts[row][depth:], i
		for ; j > from; j-- {
			before := texts[at[j-1]][depth:]
			if !desc && text >= before || desc && text <= before {
				break
			}
			at[j] = at[j-1]
		}
		if j < i {
			at[j], o.moved = row, true
		}
	}
	for i := 1; i < len(at); i++ {
		if keys[i] == keys[i-1] && texts[at[i]] != texts[at[i-1]] {
			o.ties &^= 1 << (lo + i)
		}
	}
}

// arrangeFew makes x[at[i]] the new x[i].
func arrangeFew[T any](x []T, at []uint8) {
	at = at[:len(x)]
	for i := range x {
		first, hole := x[i], i
		for from := int(at[hole]); from != i; from = int(at[hole]) {
			x[hole], at[hole] = x[from], uint8(hole)
			hole = from
		}
		if hole != i {
			x[hole], at[hole] = first, uint8(hole)
		}
	}
}

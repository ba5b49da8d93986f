package rows

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
)

// tinyRows is the most rows whose order is held in registers.
const tinyRows = 8

// tinyOrder is a fewOrder of at most tinyRows rows: byte i of at is the row of place i.
type tinyOrder struct {
	at     uint64
	ties   uint8
	ranked bool // byte i of at is instead the place of row i, and none ties
}

// unmoved is the at of rows in order.
const unmoved = 0x0706050403020100

// rest sorts at most tinyRows rows, of order o so far, by further columns.
func rest[T any](x []T, orders []Order[T], o tinyOrder) {
	n := len(x)
	for i := 0; i < len(orders) && o.ties != 0; i++ {
		if !orders[i].tiny {
			sortFew(x, orders[i:], o.wide())
			return
		}
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && o.ties>>hi&1 != 0 {
				hi++
			}
			if hi-lo > 1 {
				o = orders[i].col.tiny(x, orders[i].Column, o, lo, hi)
			}
			lo = hi
		}
	}
	switch {
	case o.at == unmoved:
	case o.ranked:
		scatter(x, o.at)
	default:
		arrangeTiny(x, o.at)
	}
}

// wide is o as an order of more rows.
func (o tinyOrder) wide() fewOrder {
	w := fewOrder{at: inOrder, ties: uint64(o.ties), moved: o.at != unmoved}
	binary.LittleEndian.PutUint64(w.at[:], o.at)
	return w
}

// copiedRow is the most bytes of rows that are all copied before they are moved.
const copiedRow = 64

// scatter moves each of 3 to tinyRows rows to its place.
func scatter[T any](x []T, rank uint64) {
	switch {
	case unsafe.Sizeof(x[0]) > copiedRow:
		arrangeTiny(x, inverse(rank, len(x)))
	case len(x) == 3:
		a, b, c := x[0], x[1], x[2]
		x[rank&7], x[rank>>8&7], x[rank>>16&7] = a, b, c
	case len(x) == 4:
		a, b, c, d := x[0], x[1], x[2], x[3]
		x[rank&7], x[rank>>8&7], x[rank>>16&7], x[rank>>24&7] = a, b, c, d
	default:
		var was [tinyRows]T
		for i := range x {
			was[i&7] = x[i]
		}
		for i := range x {
			x[rank&7] = was[i&7]
			rank >>= 8
		}
	}
}

// inverse is at of ranks.
func inverse(rank uint64, n int) (at uint64) {
	for i := range n {
		at |= uint64(i) << (rank & 0xff * 8 & 63)
		rank >>= 8
	}
	return at
}

// arrangeTiny makes the row of place i the new x[i].
func arrangeTiny[T any](x []T, at uint64) {
	for i := range x {
		first, hole := x[i], i
		for from := int(at >> (8 * uint(hole)) & 7); from != i; from = int(at >> (8 * uint(hole)) & 7) {
			x[hole] = x[from]
			at ^= uint64(hole^from) << (8 * uint(hole))
			hole = from
		}
		if hole != i {
			x[hole] = first
			at ^= uint64(hole^i) << (8 * uint(hole))
		}
	}
}

// first is tiny of all rows, by the first column. The keys of 3 or 4 are held in registers: of 3,
// the last is behind the others.
func (f by[T, K]) first(x []T, c *Column) tinyOrder {
	n := len(x)
	if n > 4 {
		return f.tiny(x, c, tinyOrder{at: unmoved, ties: 1<<n - 2}, 0, n)
	}
	if c.text {
		s, t, u := f.text(&x[0]), f.text(&x[1]), f.text(&x[2])
		var v string
		if n == 4 {
			v = f.text(&x[3])
		}
		if len(s) >= 8 && len(t) >= 8 && len(u) >= 8 && (n == 3 || len(v) >= 8) {
			last := ^uint64(0)
			if n == 4 {
				last = c.left.Flip(word(v))
			}
			if o := ranked(c.left.Flip(word(s)), c.left.Flip(word(t)), c.left.Flip(word(u)), last, n); o.ranked {
				return o
			}
		}
		return tinyOrder{at: unmoved, ties: 1<<n - 2}.placeTexts(&[tinyRows]string{s, t, u, v}, 0, n, c.Order.Desc)
	}
	s, t, u, v := f.bits(&x[0]), f.bits(&x[1]), f.bits(&x[2]), uint64(0)
	if n == 4 {
		v = f.bits(&x[3])
	}
	if c.left.IsFlip() {
		s, t, u, v = c.left.Flip(s), c.left.Flip(t), c.left.Flip(u), c.left.Flip(v)
	} else {
		s, t, u, v = c.left.Of(s), c.left.Of(t), c.left.Of(u), c.left.Of(v)
	}
	if n == 3 {
		v = ^uint64(0)
	}
	if o := ranked(s, t, u, v, n); o.ranked {
		return o
	}
	return tinyOrder{at: unmoved, ties: 1<<n - 2}.placeKeys(&[tinyRows]uint64{s, t, u, v}, 0, n)
}

func (f byNull[T, K]) first([]T, *Column) tinyOrder { panic("rows: values may be missing") }

// behind is 1 if a > b, and 0 else. Like word and order it is generic, though of one type: such functions are inlined
// where generic code of this package is compiled for other packages, and others are not.
func behind[U uint64](a, b U) (is uint64) {
	if a > b {
		is = 1
	}
	return is
}

// ranked is the order of n keys, 3 or 4, of which none are equal, or none.
func ranked[U uint64](a, b, c, d U, n int) tinyOrder {
	if a == b || a == c || b == c || n == 4 && (a == d || b == d || c == d) {
		return tinyOrder{}
	}
	ab, ac, bc, ad, bd, cd := behind(a, b), behind(a, c), behind(b, c), behind(a, d), behind(b, d), behind(c, d)
	at := ab + ac + ad | (1-ab+bc+bd)<<8 | (2-ac-bc+cd)<<16 | (3-ad-bd-cd)<<24
	return tinyOrder{at: unmoved&^0xffffffff | at, ranked: true}
}

// word is the number that the first 8 bytes of s are, the highest first.
func word[S ~string](s S) uint64 {
	b := (*[8]byte)(unsafe.Pointer(unsafe.StringData(string(s))))
	return uint64(b[7]) | uint64(b[6])<<8 | uint64(b[5])<<16 | uint64(b[4])<<24 |
		uint64(b[3])<<32 | uint64(b[2])<<40 | uint64(b[1])<<48 | uint64(b[0])<<56
}

func (f by[T, K]) tiny(x []T, c *Column, o tinyOrder, lo, hi int) tinyOrder {
	at := o.at >> (8 * uint(lo) & 63)
	if c.text {
		var texts [tinyRows]string
		for i := range hi - lo {
			texts[i&(tinyRows-1)] = f.text(&x[at&(tinyRows-1)])
			at >>= 8
		}
		return o.placeTexts(&texts, lo, hi, c.Order.Desc)
	}
	var keys [tinyRows]uint64
	for i := range hi - lo {
		keys[i&(tinyRows-1)] = f.bits(&x[at&(tinyRows-1)])
		at >>= 8
	}
	return o.placeBits(&keys, lo, hi, c)
}

func (f byNull[T, K]) tiny([]T, *Column, tinyOrder, int, int) tinyOrder {
	panic("rows: values may be missing")
}

// bits are those of a number of at most 8 bytes, at the left end.
func (f by[T, K]) bits(x *T) uint64 {
	k := f(x)
	switch p := unsafe.Pointer(&k); unsafe.Sizeof(k) {
	case 1:
		return uint64(*(*uint8)(p)) << 56
	case 2:
		return uint64(*(*uint16)(p)) << 48
	case 4:
		return uint64(*(*uint32)(p)) << 32
	default:
		return *(*uint64)(p)
	}
}

// row is the row of place i.
func (o tinyOrder) row(i int) int { return int(o.at >> (8 * uint(i) & 63) & (tinyRows - 1)) }

// placeBits puts the places [lo, hi) in the order of the numbers in room, which it encodes, and ends
// the ties of those that differ.
func (o tinyOrder) placeBits(room *[tinyRows]uint64, lo, hi int, c *Column) tinyOrder {
	keys := room[:hi-lo]
	if c.left.IsFlip() {
		for i, u := range keys {
			keys[i] = c.left.Flip(u)
		}
	} else {
		for i, u := range keys {
			keys[i] = c.left.Of(u)
		}
	}
	return o.placeKeys(room, lo, hi)
}

// placeKeys is placeBits of encoded numbers.
func (o tinyOrder) placeKeys(room *[tinyRows]uint64, lo, hi int) tinyOrder {
	keys := room[:hi-lo]
	rank, same := ranks(keys)
	return o.place(keys, rank, same, lo)
}

// ranks returns, in byte i, how many of keys come before the i-th in stable order, and whether
// two are equal.
func ranks(keys []uint64) (rank uint64, same bool) {
	for i := 1; i < len(keys); i++ {
		k, own := keys[i], uint64(i)
		for j, before := range keys[:i] {
			behind := uint64(0)
			if k < before {
				behind = 1
			}
			own -= behind
			rank += behind << (8 * uint(j) & 63)
			same = same || k == before
		}
		rank |= own << (8 * uint(i) & 63)
	}
	return rank, same
}

// place puts as many places as there are keys, from lo on, in the order of ranks, and ends the
// ties of those that differ. If all rows were one tie, and none are left, it returns the ranks.
func (o tinyOrder) place(keys []uint64, rank uint64, same bool, lo int) tinyOrder {
	if !same && o.at == unmoved && o.ties == 1<<len(keys)-2 {
		return tinyOrder{at: rank | ^uint64(0)<<(8*len(keys)-1)<<1&unmoved, ranked: true}
	}
	all := (uint64(1)<<(8*uint(len(keys)-1)&63)<<8 - 1) << (8 * uint(lo) & 63) // the bytes of the places
	at := uint64(0)
	for i := range keys {
		at |= uint64(o.row(lo+i)) << (8 * (uint(lo) + uint(rank>>(8*uint(i)&63))) & 63)
	}
	o.at = o.at&^all | at
	if !same {
		o.ties &^= uint8(1<<len(keys)-2) << lo
		return o
	}
	var sorted [tinyRows]uint64
	for i, k := range keys {
		sorted[rank>>(8*uint(i))&(tinyRows-1)] = k
	}
	for i := 1; i < len(keys); i++ {
		if sorted[i] != sorted[i-1] {
			o.ties &^= 1 << (lo + i)
		}
	}
	return o
}

// placeTexts is placeBits of texts.
func (o tinyOrder) placeTexts(room *[tinyRows]string, lo, hi int, desc bool) tinyOrder {
	texts := room[:hi-lo]
	flip := uint64(0)
	if desc {
		flip = ^flip
	}
	var words [tinyRows]uint64
	keys := words[:hi-lo]
	for i, text := range texts {
		keys[i] = bytekeys.WordText(text) ^ flip
	}
	rank, same := ranks(keys)
	if !same {
		return o.place(keys, rank, false, lo)
	}
	return o.insertTexts(texts, lo, desc)
}

// textKey is a text behind what all have in common, and its first 8 bytes, complemented if texts
// descend.
type textKey struct {
	word uint64
	text string
}

// insertTexts is place by texts of any beginning.
func (o tinyOrder) insertTexts(texts []string, lo int, desc bool) tinyOrder {
	var room [tinyRows]textKey
	keys := room[:len(texts)]
	flip := uint64(0)
	if desc {
		flip = ^flip
	}
	first := texts[0]
	for _, text := range texts[1:] {
		if first == "" {
			break
		}
		first = first[:bytekeys.SharedText(first, text)]
	}
	for i := range keys {
		k := &keys[i]
		k.text = texts[i][len(first):]
		k.word = bytekeys.WordText(k.text) ^ flip
	}
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0; j-- {
			before := &keys[j-1]
			if k.word > before.word || k.word == before.word &&
				(!desc && k.text >= before.text || desc && k.text <= before.text) {
				break
			}
			keys[j] = *before
		}
		if j < i {
			keys[j], o = k, o.move(lo+i, lo+j)
		}
	}
	for i := 1; i < len(keys); i++ {
		if keys[i].word != keys[i-1].word || keys[i].text != keys[i-1].text {
			o.ties &^= 1 << (lo + i)
		}
	}
	return o
}

// move moves the row of place i to place j before it, and those between by one.
func (o tinyOrder) move(i, j int) tinyOrder {
	before := uint64(1)<<(8*uint(j)) - 1
	upTo := uint64(1)<<(8*uint(i)) - 1
	behind := ^uint64(0) << (8 * uint(i)) << 8
	o.at = o.at&before | uint64(o.row(i))<<(8*uint(j)) | o.at&upTo&^before<<8 | o.at&behind
	return o
}

package rows

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// tinyRows is the most rows whose order is held in registers.
const tinyRows = 8

// directTexts is the most texts that are compared as a whole, not by their first bytes.
const directTexts = 4

// direct is tiny of one column that moves rows at once with their keys.
func direct[T any](x []T, orders []Order[T]) bool {
	o := orders[0]
	if len(orders) > 1 || o.Nullable || o.Kind > schema.BFloat16 && (!o.IsText() || len(x) > directTexts) {
		return false
	}
	o.col.direct(x, o.Column)
	return true
}

func (f by[T, K]) direct(x []T, c *schema.Column) {
	if c.IsText() {
		var keys [directTexts]string
		for i := range keys[:len(x)] {
			keys[i] = f.text(&x[i])
		}
		insertRows(x, keys[:], c.Order.Desc)
		return
	}
	var keys [tinyRows]uint64
	f.tinyWords(x, c, tinyOrder{at: unmoved}, 0, keys[:len(x)])
	insertRows(x, keys[:], false)
}

func (f byNull[T, K]) direct([]T, *schema.Column) { panic("rows: values may be missing") }

// insertRows sorts x and keys, of which there are as many or more, alike.
func insertRows[T any, K uint64 | string](x []T, keys []K, desc bool) {
	keys = keys[:len(x)]
	for i := 1; i < len(x); i++ {
		k, j := keys[i], i
		for ; j > 0; j-- {
			if before := keys[j-1]; !desc && k >= before || desc && k <= before {
				break
			}
			keys[j] = keys[j-1]
		}
		if j == i {
			continue
		}
		row := x[i]
		for to := i; to > j; to-- {
			x[to] = x[to-1]
		}
		keys[j], x[j] = k, row
	}
}

// tinyOrder is a fewOrder of at most tinyRows rows: byte i of at is the row of place i.
type tinyOrder struct {
	at   uint64
	ties uint8
}

// unmoved is the at of rows in order.
const unmoved = 0x0706050403020100

// tiny is Few of at most tinyRows rows and columns of numbers and texts; of others it reports
// false.
func tiny[T any](x []T, orders []Order[T]) bool {
	for _, c := range orders {
		if c.Nullable || c.Kind > schema.BFloat16 && !c.IsText() {
			return false
		}
	}
	n := len(x)
	o := tinyOrder{unmoved, 1<<n - 2}
	for _, c := range orders {
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && o.ties>>hi&1 != 0 {
				hi++
			}
			if hi-lo > 1 {
				o = c.col.tiny(x, c.Column, o, lo, hi)
			}
			lo = hi
		}
		if o.ties == 0 {
			break
		}
	}
	if o.at != unmoved {
		var at [tinyRows]uint8
		binary.LittleEndian.PutUint64(at[:], o.at)
		arrangeFew(x, at[:n])
	}
	return true
}

// row is the row of place i.
func (o tinyOrder) row(i int) int { return int(o.at >> (8 * uint(i)) & 0xff) }

// move moves the row of place i to place j before it, and those between by one.
func (o tinyOrder) move(i, j int) tinyOrder {
	before := uint64(1)<<(8*uint(j)) - 1
	upTo := uint64(1)<<(8*uint(i)) - 1
	behind := ^uint64(0) << (8 * uint(i)) << 8
	o.at = o.at&before | uint64(o.row(i))<<(8*uint(j)) | o.at&upTo&^before<<8 | o.at&behind
	return o
}

// textKey is a text behind what all have in common, and its first 8 bytes, complemented if texts
// descend.
type textKey struct {
	word uint64
	text string
}

func (f by[T, K]) tiny(x []T, c *schema.Column, o tinyOrder, lo, hi int) tinyOrder {
	if !c.IsText() {
		var keys [tinyRows]uint64
		f.tinyWords(x, c, o, lo, keys[:hi-lo])
		return o.place(keys[:hi-lo], lo)
	}
	var keys [tinyRows]textKey
	flip := uint64(0)
	if c.Order.Desc {
		flip = ^flip
	}
	for i := range keys[:hi-lo] {
		keys[i].text = f.text(&x[o.row(lo+i)])
	}
	first := keys[0].text
	for i := 1; i < hi-lo && first != ""; i++ {
		first = first[:bytekeys.SharedText(first, keys[i].text)]
	}
	for i := range keys[:hi-lo] {
		k := &keys[i]
		k.text = k.text[len(first):]
		k.word = bytekeys.WordText(k.text) ^ flip
	}
	return o.placeTexts(keys[:hi-lo], lo, c.Order.Desc)
}

func (f byNull[T, K]) tiny([]T, *schema.Column, tinyOrder, int, int) tinyOrder {
	panic("rows: values may be missing")
}

// tinyWords writes the encoded keys of places from lo on to keys.
func (f by[T, K]) tinyWords(x []T, c *schema.Column, o tinyOrder, lo int, keys []uint64) {
	if unsafe.Sizeof(*new(K)) != 8 {
		for i := range keys {
			k := f(&x[o.row(lo+i)])
			keys[i] = c.Word(unsafe.Pointer(&k))
		}
		return
	}
	codec := key.CodecOf(c.Type, c.Order)
	if codec&^key.CodecDesc > key.CodecSigned {
		for i := range keys {
			k := f(&x[o.row(lo+i)])
			keys[i] = key.Encode(codec, *(*uint64)(unsafe.Pointer(&k)))
		}
		return
	}
	flip := key.Encode(codec, uint64(0)) // one exclusive OR
	for i := range keys {
		k := f(&x[o.row(lo+i)])
		keys[i] = *(*uint64)(unsafe.Pointer(&k)) ^ flip
	}
}

// place puts as many places as there are keys, from lo on, in the order of their keys, and ends
// the ties of those that differ.
func (o tinyOrder) place(keys []uint64, lo int) tinyOrder {
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0 && k < keys[j-1]; j-- {
			keys[j] = keys[j-1]
		}
		if j < i {
			keys[j], o = k, o.move(lo+i, lo+j)
		}
	}
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			o.ties &^= 1 << (lo + i)
		}
	}
	return o
}

// placeTexts is place by texts.
func (o tinyOrder) placeTexts(keys []textKey, lo int, desc bool) tinyOrder {
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

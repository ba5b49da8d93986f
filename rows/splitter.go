package rows

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// Splitter divides the rows of a sort. Before it are the rows with lesser keys, and of those with
// its key the ones of earlier files, and of its file those at earlier places.
type Splitter struct {
	Key  []byte
	File int
	At   int64
}

func (a Splitter) place(b Splitter) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.At, b.At))
}

// ties counts the rows with the key of a splitter that are before it, as they are read. Only the
// splitters among the places of the rows need that.
type ties struct {
	all    []Splitter
	count  []int64           // of each splitter
	byKey  map[string][2]int // the splitters from, to with a key
	filter *[1 << 16]bool    // by hashes of keys that splitters have
	files  []int             // of the inputs
	begin  []int64           // places of the inputs' first rows
	rows   bool              // places are numbers of rows
}

func newTies(all []Splitter) *ties {
	t := &ties{all: all, count: make([]int64, len(all)), byKey: map[string][2]int{}, filter: new([1 << 16]bool)}
	for i, s := range all {
		r, ok := t.byKey[string(s.Key)]
		if !ok {
			r[0] = i
		}
		r[1] = i + 1
		t.byKey[string(s.Key)] = r
		t.filter[hash(s.Key)] = true
	}
	return t
}

// hash tells most keys apart, by few of their bytes.
func hash(key []byte) uint16 {
	n := len(key)
	var w uint64
	if n >= 8 {
		w = binary.LittleEndian.Uint64(key) ^ binary.LittleEndian.Uint64(key[n-8:])*3
	} else {
		for _, b := range key {
			w = w<<8 | uint64(b)
		}
	}
	return uint16((w + uint64(n)) * 0x9e3779b97f4a7c15 >> 48)
}

// tie is a row whose key splitters have.
type tie struct {
	row      int
	at       int64 // of the row in its block
	from, to int32 // splitters
}

// find returns the rows of a block, which end at ends, that tie with splitters.
func (t *ties) find(ends []uint32, key func(int) []byte) (found []tie) {
	if len(t.all) == 0 {
		return nil
	}
	for i := range ends {
		k := key(i)
		if !t.filter[hash(k)] {
			continue
		}
		if r, ok := t.byKey[string(k)]; ok {
			at := int64(0)
			if i > 0 {
				at = int64(ends[i-1])
			}
			found = append(found, tie{i, at, int32(r[0]), int32(r[1])})
		}
	}
	return found
}

// add counts what find found in a block, before which the input had so many bytes and rows.
func (t *ties) add(found []tie, input int, bytes, rows int64) {
	for _, f := range found {
		s := Splitter{File: t.files[input], At: t.begin[input] + bytes + f.at}
		if t.rows {
			s.At = t.begin[input] + rows + int64(f.row)
		}
		for i := f.from; i < f.to; i++ {
			if s.place(t.all[i]) < 0 {
				t.count[i]++ // and so of those that follow with the key, which before adds
				break
			}
		}
	}
}

// before is how many of the rows with the key of each splitter are before it.
func (t *ties) before() []int64 {
	for i := 1; i < len(t.all); i++ {
		if bytes.Equal(t.all[i].Key, t.all[i-1].Key) {
			t.count[i] += t.count[i-1]
		}
	}
	return t.count
}

// cutter hands sorted rows on to one range after another.
type cutter struct {
	form   *Form
	at     []Splitter
	before []int64 // of each splitter: how many rows with its key are before it
	write  func(rng int, rows []byte, n int) error
	keys   func(dst, row []byte) ([]byte, error)
	rng    int
	seen   int64 // rows with the key of the next splitter that are past
	ends   []uint32
	key    []byte
}

// WriteRows takes whole rows.
func (c *cutter) WriteRows(b []byte, _ int) error {
	c.ends = c.form.options.Format.Split(b, c.ends[:0])
	from := 0
	for c.rng < len(c.at) {
		end, passed, err := c.end(b, from)
		if err != nil {
			return err
		}
		if err := c.pass(b, from, end); err != nil {
			return err
		}
		if from = end; !passed {
			return nil
		}
		c.rng++
		if c.rng < len(c.at) && !bytes.Equal(c.at[c.rng].Key, c.at[c.rng-1].Key) {
			c.seen = 0
		}
	}
	return c.pass(b, from, len(c.ends))
}

// pass hands rows [from, to) of b on.
func (c *cutter) pass(b []byte, from, to int) error {
	if from == to {
		return nil
	}
	return c.write(c.rng, b[c.begin(from):c.ends[to-1]], to-from)
}

func (c *cutter) begin(i int) uint32 {
	if i == 0 {
		return 0
	}
	return c.ends[i-1]
}

// compare compares the key of row i of b with that of the next splitter.
func (c *cutter) compare(b []byte, i int) (_ int, err error) {
	if c.key, err = c.keys(c.key[:0], b[c.begin(i):c.ends[i]]); err != nil {
		return 0, err
	}
	return c.form.compare(c.key, c.at[c.rng].Key), nil
}

// end finds the first row of b from a row on that is not before the next splitter; passed reports
// whether there is one.
func (c *cutter) end(b []byte, from int) (end int, passed bool, err error) {
	n := len(c.ends)
	least, err := c.search(b, from, n, 0)
	if err != nil || least == n {
		return n, false, err
	}
	want := c.before[c.rng] - c.seen
	beyond := least
	if want > 0 {
		if beyond, err = c.search(b, least, n, 1); err != nil {
			return 0, false, err
		}
	}
	if k := int64(beyond - least); want > k {
		// All of them are before the splitter, and so may be more that follow.
		c.seen += k
		return beyond, beyond < n, nil
	}
	c.seen += max(want, 0)
	return least + int(max(want, 0)), true, nil
}

// search returns the first row in [from, to) that compares as order or more, else to. Most blocks
// end before that.
func (c *cutter) search(b []byte, from, to, order int) (int, error) {
	if from == to {
		return to, nil
	}
	if v, err := c.compare(b, to-1); err != nil || v < order {
		return to, err
	}
	to--
	for from < to {
		mid := int(uint(from+to) >> 1)
		v, err := c.compare(b, mid)
		if err != nil {
			return 0, err
		}
		if v >= order {
			to = mid
		} else {
			from = mid + 1
		}
	}
	return from, nil
}

// all is more rows than there are.
const all = math.MaxInt64

package run

import (
	"bytes"
	"math"
)

// tree is a loser tree over sources: each inner node holds the source that lost there,
// so that the next row is found by one comparison a level. Rows that tie come from the
// earlier source first.
type tree struct {
	heads  []head
	losers []int32 // [0] is the winner
	desc   bool
	cut    uint32
}

// head is the row of a source that is to come next.
type head struct {
	prefix uint64
	ended  bool
	at     int
	portion
	from *portions
	own  *portion
}

// newTree plays the first rounds; each head has its first row.
func newTree(heads []head, desc bool, cut uint32) *tree {
	t := &tree{heads: heads, losers: make([]int32, len(heads)), desc: desc, cut: cut}
	if len(heads) > 0 {
		t.losers[0] = t.play(1)
	}
	return t
}

// play returns the winner below node n, and stores the losers.
func (t *tree) play(n int) int32 {
	if n >= len(t.heads) {
		return int32(n - len(t.heads))
	}
	a, b := t.play(2*n), t.play(2*n+1)
	if t.less(b, a) {
		a, b = b, a
	}
	t.losers[n] = b
	return a
}

// winner is the source whose row comes next.
func (t *tree) winner() *head { return &t.heads[t.losers[0]] }

// replay finds the next winner after the row of the last one was replaced.
func (t *tree) replay() {
	w := t.losers[0]
	for n := (int(w) + len(t.heads)) / 2; n > 0; n /= 2 {
		l := t.losers[n]
		p, q := t.heads[l].prefix, t.heads[w].prefix
		if p < q || p == q && t.less(l, w) {
			t.losers[n], w = w, l
		}
	}
	t.losers[0] = w
}

// less reports whether the row of source a comes before that of b.
func (t *tree) less(a, b int32) bool {
	p, q := &t.heads[a], &t.heads[b]
	switch {
	case p.prefix != q.prefix:
		return p.prefix < q.prefix
	case p.ended || q.ended:
		return !p.ended
	}
	c := bytes.Compare(p.key(p.at, t.cut), q.key(q.at, t.cut))
	if t.desc {
		c = -c
	}
	return c < 0 || c == 0 && a < b
}

// end marks a source that has no more rows.
func (h *head) end() { h.prefix, h.ended = math.MaxUint64, true }

package run

// tree is a loser tree over heads: each inner node holds the head that lost there, with its
// code to the one that won there. So the next row is found by one comparison a level, of
// codes. Rows that tie come from the earlier head first.
type tree struct {
	coder
	cut    uint32 // bytes of a delimiter
	heads  []head
	losers []int32 // [0] is the winner
}

// head is the row of a part that is to come next.
type head struct {
	code uint64 // to the row that came last
	part
}

// part is rows [at, end) of a portion.
type part struct {
	*portion
	at, end int
}

// begin plays the first rounds; the codes of all heads are to the same base.
func (t *tree) begin() {
	t.losers = append(t.losers[:0], make([]int32, len(t.heads))...)
	t.losers[0] = t.play(1)
}

// play returns the winner below node n, and stores the losers.
func (t *tree) play(n int) int32 {
	if n >= len(t.heads) {
		return int32(n - len(t.heads))
	}
	a, b := t.play(2*n), t.play(2*n+1)
	if t.beats(b, a) {
		a, b = b, a
	}
	t.losers[n] = b
	return a
}

// winner is the head whose row comes next.
func (t *tree) winner() *head { return &t.heads[t.losers[0]] }

// replay finds the next winner after the row of the last one was replaced, with its code to
// the row before.
func (t *tree) replay() {
	w := t.losers[0]
	for n := (int(w) + len(t.heads)) / 2; n > 0; n /= 2 {
		l := t.losers[n]
		p, q := t.heads[l].code, t.heads[w].code
		if p < q || p == q && t.beats(l, w) {
			t.losers[n], w = w, l
		}
	}
	t.losers[0] = w
}

// beats reports whether the row of head a comes before that of b. Where their codes agree,
// the other one gets its code to it.
func (t *tree) beats(a, b int32) bool {
	p, q := &t.heads[a], &t.heads[b]
	switch {
	case p.code != q.code:
		return p.code < q.code
	case p.code == same || p.code == over:
		return a < b
	}
	x, y := p.key(p.at, t.cut), q.key(q.at, t.cut)
	n := differ(x, y, min(known(p.code), len(x), len(y)))
	if c := t.compare(x, y, n); c < 0 || c == 0 && a < b {
		q.code = t.code(y, x, n)
		return true
	}
	p.code = t.code(x, y, n)
	return false
}

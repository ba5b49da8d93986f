package exec

import (
	"sync"
	"time"
)

// paces are how fast the members of a group were at their shares of the last two sorts of
// host memory, from the first byte read to the share's end: a member behind a slower link,
// or busy with other work, takes longer, and gets less of the next sort.
type paces struct {
	mu   sync.Mutex
	last [][2]float64 // bytes a second, by member, the newer first; 0: not known
}

const (
	// paceApart is how many times as fast one member must be as another for shares to differ:
	// what members of one kind differ by is noise.
	paceApart = 1.25
	// paceLeast is the least that a pace counts, as a part of the mean: a member with a smaller
	// share would hardly show that it has become faster.
	paceLeast = 0.25
)

// note adds what members took for their shares of a sort, in bytes. A sort with less than so
// many bytes a member says nothing: what does not grow with the share would make a member with
// a small one slow for good.
func (p *paces) note(shares []uint64, took []time.Duration, least uint64) {
	all := uint64(0)
	for _, bytes := range shares {
		all += bytes
	}
	if least == 0 || all < least*uint64(len(shares)) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = make([][2]float64, len(shares))
	}
	for i, bytes := range shares {
		if bytes > 0 && took[i] > 0 {
			p.last[i] = [2]float64{float64(bytes) / took[i].Seconds(), p.last[i][0]}
		}
	}
}

// bounds are those of shares by the better of each member's last two paces, so that one hiccup
// is no pace. nil: the shares are equal, since members are alike or not known.
func (p *paces) bounds(items uint64) []uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.last)
	pace, least, most, all := make([]float64, n), 0.0, 0.0, 0.0
	for i, x := range p.last {
		if x[1] == 0 {
			return nil
		}
		pace[i] = max(x[0], x[1])
		if most = max(most, pace[i]); i == 0 || pace[i] < least {
			least = pace[i]
		}
		all += pace[i]
	}
	if most <= paceApart*least {
		return nil
	}
	floor := paceLeast * all / float64(n)
	sum := 0.0
	for i := range pace {
		pace[i] = max(pace[i], floor)
		sum += pace[i]
	}
	b, done := make([]uint64, n+1), 0.0
	for i, x := range pace {
		done += x
		b[i+1] = max(b[i], min(items, uint64(float64(items)*(done/sum))))
	}
	b[n] = items
	return b
}

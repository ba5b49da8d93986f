package distinct

import (
	"math/bits"
	"math/rand/v2"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// hash is a bijection of words, drawn for each call, so that nobody knows keys that
// belong in one place of a table.
type hash struct{ a, b, undoA, undoB uint64 }

func newHash() hash {
	a, b := rand.Uint64()|1, rand.Uint64()|1
	return hash{a, b, inverse(a), inverse(b)}
}

// inverse is that of odd a modulo 2^64: each step doubles its right bits, three at first.
func inverse(a uint64) uint64 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// hashTo writes the hashes of x to words, which is as long.
func hashTo[U key.Word](words []uint64, x []U, h hash) {
	words = words[:len(x)]
	for i, u := range x {
		w := uint64(u) * h.a
		words[i] = (w ^ w>>32) * h.b
	}
}

// back returns what has the hash w.
func (h hash) back(w uint64) uint64 {
	w *= h.undoB
	return (w ^ w>>32) * h.undoA
}

// table counts hashes: open addressing by pairs of slots, of which one is chosen without
// a branch. A free slot has the word 0 and no count, and is as good as one of 0. Three
// quarters of slots are filled at most; spare is how many more pairs than one a word may
// be looked for in: so the time is linear in the words, whatever they are.
type table struct {
	pairs       []pair
	skip, shift uint // a word's pair are its highest bits but skip
	used, spare int
	put         func()
}

type pair struct {
	word [2]uint64
	n    [2]int
}

// newTable returns a table for at least so many hashes, and half as many more before
// it is full, which agree in their highest skip bits. Its put gives it back.
func newTable(items int, skip uint) *table {
	log := uint(bits.Len(uint(max(items, 2) - 1)))
	t := &table{skip: skip, shift: 64 - log}
	t.pairs, t.put = cpu.Buffer[pair](1 << log)
	clear(t.pairs)
	return t
}

// addAll counts words, and returns false if the table is full.
func (t *table) addAll(words []uint64) bool {
	pairs, skip, shift := t.pairs, t.skip, t.shift // not read again after each write
	t.spare += len(words)
	for _, w := range words {
		p := &pairs[w<<(skip&63)>>(shift&63)&uint64(len(pairs)-1)]
		i := 0
		if p.word[1] == w {
			i = 1
		}
		if p.word[i&1] == w {
			p.n[i&1]++
		} else if !t.add(w, 1) {
			return false
		}
	}
	return true
}

// add counts n of w, and returns false if the table is full.
func (t *table) add(w uint64, n int) bool {
	for at := w << t.skip >> t.shift; t.spare >= 0; at = (at + 1) % uint64(len(t.pairs)) {
		p := &t.pairs[at]
		i := 0
		if p.word[1] == w {
			i = 1
		}
		if p.word[i] == w {
			p.n[i] += n
			return true
		}
		if i = 0; p.n[0] != 0 {
			i = 1
		}
		if p.n[i] == 0 {
			p.word[i], p.n[i] = w, n
			t.used++
			return t.used <= len(t.pairs)*3/2
		}
		t.spare--
	}
	return false
}

// list writes each word and behind it its count to out, and returns how many words there
// are. out has room for listed() numbers.
func (t *table) list(out []uint64) (n int) {
	for i := range t.pairs {
		p := &t.pairs[i]
		for j, k := range p.n {
			out[2*n], out[2*n+1] = p.word[j], uint64(k) // written over by the next if it is none
			n += int(uint(-k) >> (bits.UintSize - 1))
		}
	}
	return n
}

// listed is how many numbers list writes at most: of the words, of 0, which may have come
// into a free slot, and of a free slot.
func (t *table) listed() int { return 2 * (t.used + 2) }

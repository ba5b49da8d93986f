package verify

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))

func (a word) big() *big.Int {
	x := new(big.Int).SetUint64(a.hi)
	return x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(a.lo))
}

// TestDigestIsTheProduct holds the digest beside its definition.
func TestDigestIsTheProduct(t *testing.T) {
	s := secrets()
	for _, n := range []int{1, 2, 3, 4, 5, 1000, serialItems + 7} {
		k, v := make([]uint64, n), make([]uint64, n)
		keys, pairs := big.NewInt(1), big.NewInt(1)
		for i := range k {
			k[i], v[i] = rand.Uint64()>>(i%64), -rand.Uint64()>>(i%63)
			x := new(big.Int).SetUint64(k[i])
			x.Add(x, s.r.big())
			keys.Mod(keys.Mul(keys, x), prime)
			y := new(big.Int).SetUint64(v[i])
			y.Mul(y, s.s.big()).Add(y, x)
			pairs.Mod(pairs.Mul(pairs, y), prime)
		}
		if got := Multiset(k); got.product.big().Cmp(keys) != 0 || got.Items != uint64(n) {
			t.Errorf("%d keys: %v, want %x", n, got, keys)
		}
		if got := PairMultiset(k, v); got.product.big().Cmp(pairs) != 0 || got.Items != uint64(n) {
			t.Errorf("%d pairs: %v, want %x", n, got, pairs)
		}
	}
}

// TestTimes multiplies numbers at the edges, where carries are.
func TestTimes(t *testing.T) {
	edge := []uint64{0, 1, 2, 1 << 62, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}
	var all []word
	for _, hi := range edge {
		for _, lo := range edge {
			all = append(all, word{hi & low63, lo})
		}
	}
	for _, a := range all {
		for _, b := range all {
			want := new(big.Int).Mul(a.big(), b.big())
			got := a.times(b)
			if got.hi > low63 || got.least().big().Cmp(want.Mod(want, prime)) != 0 {
				t.Fatalf("%x times %x is %x, want %x", a, b, got, want)
			}
		}
	}
}

// TestChosenMultisets compares multisets whose elements have the same sums of every
// power up to the fifteenth: Prouhet's halves of 0 … 2^16−1. It does so at two
// secrets, which must give two digests each.
func TestChosenMultisets(t *testing.T) {
	var half [2][]uint64
	for i := range uint64(1 << 16) {
		p := bits.OnesCount64(i) & 1
		half[p] = append(half[p], i)
	}
	defer func(f func() secret) { secrets = f }(secrets)
	seen := map[Digest]bool{}
	for range 2 {
		s := secret{draw(), draw()}
		secrets = func() secret { return s }
		for _, d := range []Digest{Multiset(half[0]), Multiset(half[1]), PairMultiset(half[0], half[1]), PairMultiset(half[1], half[0])} {
			if seen[d] {
				t.Errorf("%v occurs twice", d)
			}
			seen[d] = true
		}
	}
}

// TestSecretIsDrawn: two processes have two secrets, below 2^126.
func TestSecretIsDrawn(t *testing.T) {
	a, b := draw(), draw()
	if a == b || a.hi>>62 != 0 || b.hi>>62 != 0 {
		t.Errorf("%x and %x", a, b)
	}
}

// TestDigestOfNothing joins empty multisets.
func TestDigestOfNothing(t *testing.T) {
	x := Multiset([]uint8{7, 9})
	for _, parts := range [][]Digest{{{}, x}, {x, {}}, {Multiset([]uint8{7}), {}, Multiset([]uint8{9})}} {
		var d Digest
		for _, p := range parts {
			d.Add(p)
		}
		if d != x {
			t.Errorf("%v, want %v", d, x)
		}
	}
	if Multiset[uint8](nil) != (Digest{}) {
		t.Error("nothing has a digest")
	}
}

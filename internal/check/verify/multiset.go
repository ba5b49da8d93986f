package verify

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/gpusort/gpusort/internal/key"
)

// Digest is a keyed hash of a multiset of keys, or of pairs: the order of
// elements has no influence, their number and every bit has.
//
// It is the product of (r + x) over all keys x, and of (r + k + s·v) over all
// pairs (k, v), modulo the prime 2^127 − 1. The secrets r and s are drawn from
// [0, 2^126) once a process, from crypto/rand. Two different multisets of n
// elements have different products as polynomials in r and s, of degree n, so
// that by the lemma of Schwartz and Zippel their digests are equal with a
// probability of at most n/2^126 for r, for pairs n/2^125, whatever the
// elements are: 2^−96 for 2^30 keys, also for ones chosen to deceive, as long as
// whoever chooses them does not know the secrets.
//
// Digests of one process are comparable with ==. Those of two processes are
// not: what must hold across processes, such as the fingerprint of a benchmark's
// input, is no business of this type.
//
// The zero value is the digest of nothing.
type Digest struct {
	Items   uint64
	product word // of no item: zero
}

// Add joins the multiset of e to d's.
func (d *Digest) Add(e Digest) {
	switch {
	case e.Items == 0:
	case d.Items == 0:
		*d = e
	default:
		d.Items += e.Items
		d.product = d.product.times(e.product).least()
	}
}

// String gives the number of items and the digest.
func (d Digest) String() string {
	return fmt.Sprintf("%d items, digest %016x%016x", d.Items, d.product.hi, d.product.lo)
}

// Multiset returns the digest of x. It uses all processors.
func Multiset[U key.Word](x []U) Digest {
	secret := secrets()
	return gather(len(x), func(lo, hi int) word {
		part, r := x[lo:hi], secret.r
		// Products of their own follow each other without waiting.
		a, b := one, one
		for ; len(part) >= 2; part = part[2:] {
			f0 := r.plus(uint64(part[0]))
			a = fold(a.wide(f0, a.across(f0)))
			f1 := r.plus(uint64(part[1]))
			b = fold(b.wide(f1, b.across(f1)))
		}
		for _, u := range part {
			a = a.times(r.plus(uint64(u)))
		}
		return a.times(b)
	})
}

// PairMultiset returns the digest of the pairs (k[i], v[i]). It panics if the
// lengths differ.
func PairMultiset[U, V key.Word](k []U, v []V) Digest {
	if len(k) != len(v) {
		panic(fmt.Sprintf("verify: %d keys with %d values", len(k), len(v)))
	}
	secret := secrets()
	return gather(len(k), func(lo, hi int) word {
		a, b := one, one
		i := lo
		for ; i+1 < hi; i += 2 {
			a = a.times(secret.pair(uint64(k[i]), uint64(v[i])))
			b = b.times(secret.pair(uint64(k[i+1]), uint64(v[i+1])))
		}
		if i < hi {
			a = a.times(secret.pair(uint64(k[i]), uint64(v[i])))
		}
		return a.times(b)
	})
}

// gather multiplies the products of the parts of n items.
func gather(n int, part func(lo, hi int) word) Digest {
	parts := split(n)
	products := make([]word, len(parts))
	var wg sync.WaitGroup
	for p, r := range parts {
		work := func() { products[p] = part(r[0], r[1]) }
		if len(parts) == 1 {
			work()
			continue
		}
		wg.Go(work)
	}
	wg.Wait()
	if n == 0 {
		return Digest{}
	}
	all := one
	for _, p := range products {
		all = all.times(p)
	}
	return Digest{uint64(n), all.least()}
}

// word is a number below 2^127, taken modulo 2^127 − 1.
type word struct{ hi, lo uint64 }

var one = word{0, 1}

// low63 are the bits of the upper half.
const low63 = 1<<63 - 1

// plus adds x to a secret, whose top bit is not set.
func (a word) plus(x uint64) word {
	lo, carry := bits.Add64(a.lo, x, 0)
	return word{a.hi + carry, lo}
}

// times multiplies.
func (a word) times(b word) word { return fold(a.wide(b, a.across(b))) }

// across returns the sum of the two middle products of a and b, which fits: neither
// reaches 2^127.
func (a word) across(b word) word {
	h1, l1 := bits.Mul64(a.lo, b.hi)
	h2, l2 := bits.Mul64(a.hi, b.lo)
	lo, c := bits.Add64(l1, l2, 0)
	return word{h1 + h2 + c, lo}
}

// wide returns the four words of the product, the lowest first, middle being across.
// These and fold are three, so that the compiler puts all into the loops over keys.
func (a word) wide(b, middle word) (t0, t1, t2, t3 uint64) {
	h0, t0 := bits.Mul64(a.lo, b.lo)
	h3, l3 := bits.Mul64(a.hi, b.hi)
	t1, c := bits.Add64(h0, middle.lo, 0)
	t2, c = bits.Add64(l3, middle.hi, c)
	return t0, t1, t2, h3 + c
}

// fold adds the upper half of a product to the lower: 2^127 is 1.
func fold(t0, t1, t2, t3 uint64) word {
	lo, c := bits.Add64(t0, t2<<1|t1>>63, 0)
	hi := t1&low63 + (t3<<1 | t2>>63) + c
	lo, c = bits.Add64(lo, hi>>63, 0)
	return word{hi&low63 + c, lo}
}

// least returns the one representative that is below the prime.
func (a word) least() word {
	if a.hi == low63 && a.lo == ^uint64(0) {
		return word{}
	}
	return a
}

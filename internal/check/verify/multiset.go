package verify

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/gpusort/gpusort/internal/key"
)

// Digest is a hash of a multiset of keys, or of pairs: the order of elements
// has no influence, their number and every bit has. Two different multisets
// have equal digests with a probability of about 2^−128 unless they were made
// for that purpose. Digests are comparable with ==.
type Digest struct {
	Items uint64
	Sum   [2]uint64 // modulo 2^64, of two independent mixes
	Xor   [2]uint64 // of the same mixes
}

// Add joins the multiset of e to d's.
func (d *Digest) Add(e Digest) {
	d.Items += e.Items
	for i := range d.Sum {
		d.Sum[i] += e.Sum[i]
		d.Xor[i] ^= e.Xor[i]
	}
}

// Hash returns 128 bits in hexadecimal for people to compare.
func (d Digest) Hash() string {
	return fmt.Sprintf("%016x%016x", d.Sum[0]^d.Xor[1], d.Sum[1]^d.Xor[0])
}

// String gives the number of items and the hash.
func (d Digest) String() string { return fmt.Sprintf("%d items, hash %s", d.Items, d.Hash()) }

// The keys of the two mixes: fractional parts of √2, √3, √5, √7, made odd.
const (
	keyA, mulA = 0x6a09e667f3bcc909, 0xbb67ae8584caa73b
	keyB, mulB = 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1
)

// mix folds a 128-bit product twice, so that every input bit reaches every
// output bit.
func mix(u, k, m uint64) uint64 {
	hi, lo := bits.Mul64(u^k, m)
	u = hi ^ lo ^ u // ^u: a product by zero still depends on u
	hi, lo = bits.Mul64(u+m, k|1)
	return hi ^ lo + u
}

func (d *Digest) add(u uint64) {
	a, b := mix(u, keyA, mulA), mix(u, keyB, mulB)
	d.Sum[0] += a
	d.Sum[1] += b
	d.Xor[0] ^= a
	d.Xor[1] ^= b
}

// Multiset returns the digest of x. It uses all processors.
func Multiset[U key.Word](x []U) Digest {
	return gather(len(x), func(d *Digest, lo, hi int) {
		for _, u := range x[lo:hi] {
			d.add(uint64(u))
		}
	})
}

// PairMultiset returns the digest of the pairs (k[i], v[i]). It panics if the
// lengths differ.
func PairMultiset[U, V key.Word](k []U, v []V) Digest {
	if len(k) != len(v) {
		panic(fmt.Sprintf("verify: %d keys with %d values", len(k), len(v)))
	}
	return gather(len(k), func(d *Digest, lo, hi int) {
		for i := lo; i < hi; i++ {
			d.add(mix(uint64(k[i]), mulB, keyA) + uint64(v[i]))
		}
	})
}

func gather(n int, part func(d *Digest, lo, hi int)) Digest {
	parts := split(n)
	sums := make([]Digest, len(parts))
	var wg sync.WaitGroup
	for p, r := range parts {
		work := func() {
			var d Digest
			part(&d, r[0], r[1])
			sums[p] = d
		}
		if len(parts) == 1 {
			work()
			continue
		}
		wg.Go(work)
	}
	wg.Wait()
	all := Digest{Items: uint64(n)}
	for _, d := range sums {
		all.Add(d)
	}
	return all
}

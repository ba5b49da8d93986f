package cpu

import "github.com/gpusort/gpusort/internal/key"

// smallItems is the most pairs or indices that are inserted one by one, with
// the encoded keys on the stack: the fixed costs of the other ways are higher.
const smallItems = 32

// smallPairs is Pairs for at most smallItems pairs.
func smallPairs[U key.Word, V wide](k []U, v []V, c key.Codec) {
	var encodedKey [smallItems]U
	for i, u := range k {
		e, w := key.Encode(c, u), v[i]
		j := i
		for ; j > 0 && encodedKey[j-1] > e; j-- {
			encodedKey[j], k[j], v[j] = encodedKey[j-1], k[j-1], v[j-1]
		}
		encodedKey[j], k[j], v[j] = e, u, w
	}
}

// smallArgsort is Argsort for at most smallItems keys.
func smallArgsort[U key.Word, I wide](k []U, idx []I, c key.Codec) {
	var encodedKey [smallItems]U
	for i, u := range k {
		e := key.Encode(c, u)
		j := i
		for ; j > 0 && encodedKey[j-1] > e; j-- {
			encodedKey[j], idx[j] = encodedKey[j-1], idx[j-1]
		}
		encodedKey[j], idx[j] = e, I(i)
	}
}

package cpu

import "github.com/gpusort/gpusort/internal/key"

// smallItems is the most pairs or indices that are inserted one by one, with
// the images on the stack: the fixed costs of the other ways are higher.
const smallItems = 32

// smallPairs is Pairs for at most smallItems pairs.
func smallPairs[U key.Word, V wide](k []U, v []V, c key.Codec) {
	var image [smallItems]U
	for i, u := range k {
		e, w := key.Encode(c, u), v[i]
		j := i
		for ; j > 0 && image[j-1] > e; j-- {
			image[j], k[j], v[j] = image[j-1], k[j-1], v[j-1]
		}
		image[j], k[j], v[j] = e, u, w
	}
}

// smallArgsort is Argsort for at most smallItems keys.
func smallArgsort[U key.Word, I wide](k []U, idx []I, c key.Codec) {
	var image [smallItems]U
	for i, u := range k {
		e := key.Encode(c, u)
		j := i
		for ; j > 0 && image[j-1] > e; j-- {
			image[j], idx[j] = image[j-1], idx[j-1]
		}
		image[j], idx[j] = e, I(i)
	}
}

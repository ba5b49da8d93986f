package cpu

import (
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	// unevenMin is the length from which it is worth a sample to find out
	// whether keys divide badly by their highest bits.
	unevenMin = 1 << 12
	// unevenSample is the number of keys in that sample.
	unevenSample = 256
	// unevenShare is the largest part of it that one digit may have: where keys
	// are even, 1 in 256 on average and 6 hardly ever.
	unevenShare = unevenSample / 16
	// unevenTurns is the least number of turns, from rising to falling or back,
	// in a sample of keys that are in no order, of which two thirds are turns.
	unevenTurns = unevenSample / 4
	// unevenValues is the number of values up to which it does not matter: they
	// are told apart before long.
	unevenValues = 16
)

// uneven reports whether keys of at most 32 bits are better sorted by quicksort
// than split by their highest varying bits. Floats and frequent values leave most
// in a few buckets; quicksort chooses where to divide. Where neighbours have the
// same digit, as in long rising or falling runs, each waits for the count that
// the one before has stored.
func uneven[U key.Word](k []U, c key.Codec) bool {
	if len(k) < unevenMin || simd.Current() != simd.AVX512 || unsafe.Sizeof(k[0]) == 1 {
		return false
	}
	var sample [unevenSample]U
	seed := rand.Uint64()
	for i := range sample {
		lo, hi := chunk(len(k), unevenSample, i)
		seed += 0x9e3779b97f4a7c15
		sample[i] = k[lo+int(seed>>33%uint64(hi-lo))]
	}
	var room [unevenSample]uint32
	encode32(room[:], sample[:], c)
	turns, fell := 0, false
	for i := 1; i < unevenSample; i++ {
		if falls := room[i] < room[i-1]; falls != fell {
			turns, fell = turns+1, falls
		}
	}
	simd.Tiny(room[:])
	width := bits.Len32(room[0] ^ room[unevenSample-1])
	values, run, longest := 1, 1, 1
	for i := 1; i < unevenSample; i++ {
		differ := bits.Len32(room[i] ^ room[i-1])
		if differ > 0 {
			values++
		}
		if run++; differ > width-streamBits {
			run = 1
		}
		longest = max(longest, run)
	}
	return values > unevenValues && (turns < unevenTurns || longest > unevenShare)
}

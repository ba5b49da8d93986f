package grade

import (
	"crypto/rand"
	"encoding/binary"
)

// scramble gives each position a value that nobody can tell without its secrets, and
// finds the position of a value again: a Feistel network over the value's bits. So
// values must be carried; to write positions in their stead is wrong, and so is half
// of a value.
type scramble struct {
	half    uint // bits
	secrets [4]uint64
}

// newScramble draws secrets for values of so many bytes, 4 or 8.
func newScramble(bytes int) (s scramble) {
	s.half = uint(4 * bytes)
	var b [32]byte
	// crypto/rand.Read never fails.
	_, _ = rand.Read(b[:])
	for i := range s.secrets {
		s.secrets[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return s
}

// mix is a half that depends on all bits of x and of secret number i.
func (s scramble) mix(x uint64, i int) uint64 {
	x = (x ^ s.secrets[i]) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x >> (64 - s.half)
}

func (s scramble) value(position uint64) uint64 {
	high, low := position>>s.half, position&(1<<s.half-1)
	for i := range s.secrets {
		high, low = low, high^s.mix(low, i)
	}
	return high<<s.half | low
}

func (s scramble) position(value uint64) uint64 {
	high, low := value>>s.half, value&(1<<s.half-1)
	for i := len(s.secrets) - 1; i >= 0; i-- {
		high, low = low^s.mix(high, i), high
	}
	return high<<s.half | low
}

package verify

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"sync"
)

// secret is what nobody who chooses keys may know; both are below 2^126.
type secret struct{ r, s word }

// secrets returns those of this process.
var secrets = sync.OnceValue(func() secret { return secret{draw(), draw()} })

// draw returns a random number below 2^126.
func draw() word {
	var b [16]byte
	// crypto/rand.Read never fails.
	_, _ = rand.Read(b[:])
	return word{binary.LittleEndian.Uint64(b[8:]) >> 2, binary.LittleEndian.Uint64(b[:8])}
}

// pair is the factor r + k + s·v.
func (s *secret) pair(k, v uint64) word {
	f := s.s.times(word{0, v})
	r := s.r.plus(k)
	// Both are below 2^127: their sum is folded once.
	lo, c := bits.Add64(f.lo, r.lo, 0)
	hi := f.hi + r.hi + c
	lo, c = bits.Add64(lo, hi>>63, 0)
	return word{hi&low63 + c, lo}
}

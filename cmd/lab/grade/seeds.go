package grade

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// seeds draws the inputs' seeds from ChaCha8: whoever finds one from an input
// knows nothing of the next.
type seeds struct{ *rand.Rand }

func newSeeds(seed uint64) *seeds {
	key := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("gpusort grade: seeds of inputs"), seed))
	return &seeds{rand.New(rand.NewChaCha8(key))}
}

func (s *seeds) next() uint64 { return s.Uint64() }

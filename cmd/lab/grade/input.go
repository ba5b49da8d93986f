package grade

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// arm writes the guards of a region of which used bytes are in use. The pattern
// is new in every run.
func arm(mem []byte, r wire.Region, used uint64, pattern []byte) {
	copy(mem[r.Off-wire.Guard:r.Off], pattern)
	copy(mem[r.Off+used:r.Off+used+wire.Guard], pattern)
}

// broken says which byte outside a region was written, counted from its first
// byte, if any.
func broken(mem []byte, r wire.Region, used uint64, pattern []byte) (int64, bool) {
	for _, at := range []uint64{r.Off - wire.Guard, r.Off + used} {
		zone := mem[at : at+wire.Guard]
		if bytes.Equal(zone, pattern) {
			continue
		}
		for i := range zone {
			if zone[i] != pattern[i] {
				return int64(at) - int64(r.Off) + int64(i), true
			}
		}
	}
	return 0, false
}

func newPattern() []byte {
	p := make([]byte, wire.Guard)
	// crypto/rand.Read never fails.
	_, _ = rand.Read(p)
	return p
}

// fill writes an input and returns what it must be a permutation of.
func fill(b []byte, t key.Type, d dist.Dist, seed uint64) verify.Digest {
	return key.ByWidth(t.Bytes(), fillWords[uint8], fillWords[uint16], fillWords[uint32], fillWords[uint64])(b, t, d, seed)
}

func fillWords[U key.Word](b []byte, t key.Type, d dist.Dist, seed uint64) verify.Digest {
	x := words[U](b)
	dist.Fill(x, d, t, seed)
	return verify.Multiset(x)
}

// check says what is wrong with a result, if anything.
func check(b []byte, t key.Type, want verify.Digest) error {
	return key.ByWidth(t.Bytes(), checkWords[uint8], checkWords[uint16], checkWords[uint32], checkWords[uint64])(b, t, want)
}

func checkWords[U key.Word](b []byte, t key.Type, want verify.Digest) error {
	x := words[U](b)
	if i := verify.FirstDisorder(x, key.CodecOf(t, key.Order{})); i >= 0 {
		return fmt.Errorf("out of order at position %d", i)
	}
	if verify.Multiset(x) != want {
		return fmt.Errorf("in order, but not the keys of the input: some were lost, made up or changed")
	}
	return nil
}

// words views bytes, which are aligned to a page.
func words[U key.Word](b []byte) []U {
	var u U
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(u)))
}

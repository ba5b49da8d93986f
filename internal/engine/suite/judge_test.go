package suite

import (
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// outputs holds, for each problem and input, the digest of the output that the
// oracles have accepted, whoever sorted it first.
var (
	outputs   sync.Map
	hashBasis = maphash.MakeSeed()
)

type digest struct {
	hash uint64
	by   string
}

// judge decides on the output of a case. The first output of an input goes
// through the oracles. A problem has one right answer, so that whoever sorts
// the same input again, by another algorithm, on another device or at another
// alignment, must have the same bits, and needs no more than that.
func judge(c testCase, in, out, values []byte) error {
	id := c
	id.algorithm, id.backend, id.shift = "", "", 0
	var h maphash.Hash
	h.SetSeed(hashBasis)
	h.Write(out)
	h.Write(values)
	mine := digest{h.Sum64(), c.String()}
	first, known := outputs.Load(id.String())
	if known && first.(digest).hash == mine.hash {
		return nil
	}
	if err := oracle(c.p, in, out, values); err != nil {
		return err
	}
	if first, _ = outputs.LoadOrStore(id.String(), mine); first.(digest).hash != mine.hash {
		return fmt.Errorf("the output differs from that of %s, and the oracles accept both", first.(digest).by)
	}
	return nil
}

// referenceItems is the size up to which outputs are compared with a sort by
// comparisons, too.
const referenceItems = 2048

func oracle(p plan.Problem, in, out, values []byte) error {
	switch p.Type.Bits() {
	case 8:
		return oracleKeys(p, in, out, values)
	case 16:
		return oracleKeys(p, words[uint16](in), words[uint16](out), values)
	case 32:
		return oracleKeys(p, words[uint32](in), words[uint32](out), values)
	}
	return oracleKeys(p, words[uint64](in), words[uint64](out), values)
}

func oracleKeys[U key.Word](p plan.Problem, in, out []U, values []byte) error {
	if p.ValueBytes == 8 {
		return oracleWords(p, in, out, words[uint64](values))
	}
	return oracleWords(p, in, out, words[uint32](values))
}

func oracleWords[U key.Word, V uint32 | uint64](p plan.Problem, in, out []U, v []V) error {
	switch p.Mode {
	case plan.Pairs:
		return verify.Pairs(in, out, v, p.Codec())
	case plan.Argsort:
		if err := same(out, in); err != nil {
			return err
		}
		return verify.Argsort(in, v, p.Codec())
	}
	if err := verify.Keys(in, out, p.Codec()); err != nil || len(in) > referenceItems {
		return err
	}
	ref := append([]U(nil), in...)
	verify.SortKeys(ref, p.Type, p.Order)
	return same(out, ref)
}

func same[U comparable](got, want []U) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("position %d holds %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

var orders = []key.Order{{}, {Desc: true}, {NaNLast: true}, {Desc: true, NaNLast: true}}

// TestReferenceAgreesWithCodec sorts specials both ways: the two definitions
// of the order were written apart.
func TestReferenceAgreesWithCodec(t *testing.T) {
	for _, name := range []string{"specials", "uniform", "entropy-0.544", "few-distinct"} {
		for _, o := range orders {
			agree[uint8](t, name, key.U8, o)
			agree[uint8](t, name, key.I8, o)
			agree[uint16](t, name, key.U16, o)
			agree[uint16](t, name, key.I16, o)
			agree[uint32](t, name, key.U32, o)
			agree[uint32](t, name, key.I32, o)
			agree[uint32](t, name, key.F32, o)
			agree[uint64](t, name, key.U64, o)
			agree[uint64](t, name, key.I64, o)
			agree[uint64](t, name, key.F64, o)
		}
	}
}

func agree[U key.Word](t *testing.T, name string, ty key.Type, o key.Order) {
	t.Helper()
	in := make([]U, 3000)
	dist.Fill(in, dist.Must(name), ty, 9)
	c := key.CodecOf(ty, o)
	out := slices.Clone(in)
	SortKeys(out, ty, o)
	if err := Keys(in, out, c); err != nil {
		t.Errorf("%s %v %+v: %v", name, ty, o, err)
	}
	if err := Argsort(in, ArgsortRef(in, ty, o), c); err != nil {
		t.Errorf("%s %v %+v: argsort: %v", name, ty, o, err)
	}
	k, v := slices.Clone(in), make([]uint32, len(in))
	for i := range v {
		v[i] = uint32(i)
	}
	SortPairs(k, v, ty, o)
	if err := Pairs(in, k, v, c); err != nil {
		t.Errorf("%s %v %+v: pairs: %v", name, ty, o, err)
	}
}

func TestFirstDisorder(t *testing.T) {
	n := serialItems*2 + 3
	x := make([]uint32, n)
	for i := range x {
		x[i] = uint32(i)
	}
	if i := FirstDisorder(x, 0); i != -1 {
		t.Fatalf("disorder at %d of a sorted slice", i)
	}
	for _, at := range []int{1, 2, n / 2, n/2 + 1, n - 1} {
		y := slices.Clone(x)
		y[at] = y[at-1] - 1
		if at == 1 {
			y[0], y[1] = 1, 0
		}
		if i := FirstDisorder(y, 0); i != at {
			t.Errorf("found %d, want %d", i, at)
		}
	}
	if FirstDisorder[uint8](nil, 0) != -1 || FirstDisorder([]uint8{5}, 0) != -1 {
		t.Error("disorder in fewer than two keys")
	}
}

func TestMultiset(t *testing.T) {
	x := make([]uint64, 100000)
	dist.Fill(x, dist.Must("few-distinct"), key.U64, 1)
	want := Multiset(x)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	if got := Multiset(x); got != want {
		t.Error("order changes the digest")
	}
	for name, f := range map[string]func([]uint64) []uint64{
		"bit flipped":   func(y []uint64) []uint64 { y[77] ^= 1 << 40; return y },
		"one lost":      func(y []uint64) []uint64 { return y[1:] },
		"one replaced":  func(y []uint64) []uint64 { y[5] = y[6] + 1; return y },
		"two exchanged": func(y []uint64) []uint64 { y[0]++; y[1]--; return y },
		"zero added":    func(y []uint64) []uint64 { return append(y, 0) },
		"pair doubled":  func(y []uint64) []uint64 { y[0], y[1] = 3, 3; return y },
	} {
		if Multiset(f(slices.Clone(x))) == want {
			t.Errorf("%s: not noticed", name)
		}
	}
	// Xor alone would miss two copies of one key for two of another.
	if Multiset([]uint8{1, 1}) == Multiset([]uint8{2, 2}) {
		t.Error("equal couples coincide")
	}
}

func TestPairMultiset(t *testing.T) {
	k, v := []uint32{1, 2, 3}, []uint32{10, 20, 30}
	want := PairMultiset(k, v)
	if PairMultiset([]uint32{3, 1, 2}, []uint32{30, 10, 20}) != want {
		t.Error("order changes the digest")
	}
	if PairMultiset(k, []uint32{20, 10, 30}) == want {
		t.Error("values swapped: not noticed")
	}
}

func TestOraclesFindFaults(t *testing.T) {
	in := []uint32{5, 3, 5, 1}
	out := []uint32{1, 3, 5, 5}
	good := []uint32{3, 1, 0, 2}
	if err := Pairs(in, out, good, 0); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"not stable":     Argsort(in, []uint32{3, 1, 2, 0}, 0),
		"no permutation": Argsort(in, []uint32{3, 1, 0, 0}, 0),
		"outside":        Argsort(in, []int32{3, 1, 0, -2}, 0),
		"comes before":   Argsort(in, []int{1, 3, 0, 2}, 0),
		"3 indices":      Argsort(in, good[:3], 0),
		"left with":      Pairs(in, []uint32{1, 3, 5, 6}, good, 0),
		"position 1":     Keys(in, []uint32{3, 1, 5, 5}, 0),
		"same keys":      Keys(in, []uint32{1, 3, 5, 6}, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestArgsortNamesTheFirst: of faults in the parts of two processors, that further ahead.
func TestArgsortNamesTheFirst(t *testing.T) {
	n := 3 * serialItems
	keys, idx := make([]uint64, n), make([]uint32, n)
	for i := range keys {
		keys[i], idx[i] = uint64(i), uint32(i)
	}
	if err := Argsort(keys, idx, 0); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{n - 2, n / 2, 7} {
		idx[at], idx[at+1] = idx[at+1], idx[at]
		want := fmt.Sprintf("position %d: the key of index %d comes before", at+1, at)
		if err := Argsort(keys, idx, 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestStream(t *testing.T) {
	n := streamBytes/4*2 + 100
	x := make([]float32, n)
	dist.FillKeys(x, dist.Must("sorted"), 4)
	bits := BitsOf[uint32](x)
	at := streamBytes / 4 // first key of the second part
	for _, bad := range []int{-1, 1, at, at + 1, n - 1} {
		y := slices.Clone(bits)
		if bad >= 0 {
			y[bad] = math.Float32bits(float32(math.NaN()))
		}
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, y)
		s := NewStream(key.F32, key.Order{})
		if err := s.Reader(&b); err != nil {
			t.Fatal(err)
		}
		if pos, _, _ := s.Disorder(); pos != int64(bad) || s.Digest() != Multiset(y) {
			t.Errorf("disorder at %d, want %d", pos, bad)
		}
	}
	s := NewStream(key.U32, key.Order{})
	if err := s.Reader(strings.NewReader("abcdefg")); err == nil || !strings.Contains(err.Error(), "3 bytes left over after key 1") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkMultiset(b *testing.B) {
	b.Run("u32", benchmarkMultiset[uint32])
	b.Run("u64", benchmarkMultiset[uint64])
	b.Run("pairs", func(b *testing.B) {
		x := make([]uint64, 1<<20)
		b.SetBytes(16 << 20)
		for b.Loop() {
			PairMultiset(x, x)
		}
	})
}

func benchmarkMultiset[U key.Word](b *testing.B) {
	x := make([]U, 1<<20)
	b.SetBytes(int64(len(x)) * int64(unsafe.Sizeof(x[0])))
	for b.Loop() {
		Multiset(x)
	}
	b.ReportMetric(float64(b.N)*float64(len(x))/b.Elapsed().Seconds()/1e6, "Mkeys/s")
}

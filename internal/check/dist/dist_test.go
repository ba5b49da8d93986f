package dist

import (
	"hash/fnv"
	"runtime"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

var lengths = []int{0, 1, 2, 3, 7, 64, 1000, BlockItems - 1, BlockItems, BlockItems + 1, 3*BlockItems + 17}

// bitsOf fills n keys of type t and widens them.
func bitsOf(d Dist, t key.Type, n int, seed uint64) []uint64 {
	out := make([]uint64, n)
	switch t.Bits() {
	case 8:
		widen(make([]uint8, n), out, d, t, seed)
	case 16:
		widen(make([]uint16, n), out, d, t, seed)
	case 32:
		widen(make([]uint32, n), out, d, t, seed)
	case 64:
		Fill(out, d, t, seed)
	}
	return out
}

func widen[U key.Word](x []U, out []uint64, d Dist, t key.Type, seed uint64) {
	Fill(x, d, t, seed)
	for i, v := range x {
		out[i] = uint64(v)
	}
}

func isNaN(t key.Type, u uint64) bool {
	switch t {
	case key.F32:
		return u&(1<<31-1) > 0x7f800000
	case key.F64:
		return u&(1<<63-1) > 0x7ff0000000000000
	}
	return false
}

func TestEveryRowFillsEveryType(t *testing.T) {
	nanOK := map[string]bool{"specials": true}
	for _, n := range Names() {
		if len(n) > 8 && n[:8] == "entropy-" {
			nanOK[n] = true
		}
	}
	for _, d := range Table() {
		if d.Doc == "" || d.fill == nil {
			t.Errorf("%s: row not complete", d.Name)
		}
		for _, r := range key.Table() {
			for _, n := range lengths {
				x := bitsOf(d, r.Type, n, 1)
				for i, v := range x {
					if isNaN(r.Type, v) && !nanOK[d.Name] {
						t.Fatalf("%s %s n=%d: NaN at %d", d.Name, r.Name, n, i)
					}
				}
			}
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	n := Names()
	slices.Sort(n)
	if len(slices.Compact(n)) != len(table) {
		t.Fatal("a name occurs twice")
	}
	if _, err := Find("no-such"); err == nil {
		t.Error("no error for an unknown name")
	}
}

// TestIndependentOfWorkersAndParts fills the same input on one processor, on
// four, and in parts.
func TestIndependentOfWorkersAndParts(t *testing.T) {
	const n = 9*BlockItems + 5
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, d := range Table() {
		for _, ty := range []key.Type{key.U64, key.F64} {
			runtime.GOMAXPROCS(1)
			one := bitsOf(d, ty, n, 7)
			runtime.GOMAXPROCS(4)
			if !slices.Equal(one, bitsOf(d, ty, n, 7)) {
				t.Fatalf("%s %v: depends on the number of workers", d.Name, ty)
			}
			parts := make([]uint64, n)
			for lo := 0; lo < n; lo += 2 * BlockItems {
				FillPart(parts[lo:min(lo+2*BlockItems, n)], uint64(lo), n, d, ty, 7)
			}
			if !slices.Equal(one, parts) {
				t.Fatalf("%s %v: depends on the parts", d.Name, ty)
			}
		}
	}
}

// TestBitsStayTheSame pins the bits: benchmark results are comparable across
// versions only while this test is unchanged.
func TestBitsStayTheSame(t *testing.T) {
	const shapes, real = 0xa7a4efaa71ad6819, 0x8367f5a877484811 // of the rows before "timestamps", and of the others
	first := slices.Index(Names(), "timestamps")
	if got := hashOf(Table()[:first]); got != shapes {
		t.Errorf("hash of the rows of shapes %#x, want %#x", got, uint64(shapes))
	}
	if got := hashOf(Table()[first:]); got != real {
		t.Errorf("hash of the real rows %#x, want %#x", got, uint64(real))
	}
}

func hashOf(rows []Dist) uint64 {
	h := fnv.New64a()
	for _, d := range rows {
		for _, r := range key.Table() {
			for _, v := range bitsOf(d, r.Type, 5000, 42) {
				var b [8]byte
				for i := range b {
					b[i] = byte(v >> (8 * i))
				}
				h.Write(b[:])
			}
		}
	}
	return h.Sum64()
}

func encoded(t key.Type, x []uint64) []uint64 {
	c, out := key.CodecOf(t, key.Order{}), make([]uint64, len(x))
	for i, v := range x {
		switch t.Bits() {
		case 8:
			out[i] = uint64(key.Encode(c, uint8(v)))
		case 16:
			out[i] = uint64(key.Encode(c, uint16(v)))
		case 32:
			out[i] = uint64(key.Encode(c, uint32(v)))
		case 64:
			out[i] = key.Encode(c, v)
		}
	}
	return out
}

func TestShapes(t *testing.T) {
	for _, r := range key.Table() {
		for _, n := range lengths[1:] {
			get := func(name string) []uint64 { return encoded(r.Type, bitsOf(Must(name), r.Type, n, 3)) }
			if !slices.IsSorted(get("sorted")) {
				t.Errorf("%s n=%d: sorted is not", r.Name, n)
			}
			rev := get("reverse")
			slices.Reverse(rev)
			if !slices.IsSorted(rev) {
				t.Errorf("%s n=%d: reverse is not", r.Name, n)
			}
			for name, most := range map[string]int{"constant": 1, "two-values": 2, "random-d20": 20, "few-distinct": 256, "one-different": 2} {
				x := get(name)
				slices.Sort(x)
				if got := len(slices.Compact(x)); got > most {
					t.Errorf("%s %s n=%d: %d different keys", name, r.Name, n, got)
				}
			}
			organ := get("pipe-organ")
			mid := (n + 1) / 2
			if !slices.IsSorted(organ[:mid]) {
				t.Errorf("%s n=%d: the organ's first half does not rise", r.Name, n)
			}
			slices.Reverse(organ[mid:])
			if !slices.IsSorted(organ[mid:]) {
				t.Errorf("%s n=%d: the organ's second half does not fall", r.Name, n)
			}
		}
	}
}

// TestEntropy counts one bits: a bit of level k is set with probability 2^−k.
func TestEntropy(t *testing.T) {
	const n = 1 << 14
	for k, name := range []string{"entropy-0.000", "entropy-1.000", "entropy-0.811", "entropy-0.544", "entropy-0.337", "entropy-0.201"} {
		ones := 0
		for _, v := range bitsOf(Must(name), key.U32, n, 5) {
			for ; v != 0; v &= v - 1 {
				ones++
			}
		}
		want := 0.0
		if k > 0 {
			want = 32 * n / float64(int(1)<<k)
		}
		if d := float64(ones) - want; d > 4000 || d < -4000 {
			t.Errorf("%s: %d ones, want about %.0f", name, ones, want)
		}
	}
}

func TestZipfFavoursSmallRanks(t *testing.T) {
	count := map[uint64]int{}
	const n = 1 << 16
	for _, v := range bitsOf(Must("zipf"), key.U32, n, 5) {
		count[v]++
	}
	for k := uint64(1); k <= 4; k++ { // the harmonic number of 2^20 is 14.44
		want := n / 14.44 / float64(k)
		if got := float64(count[k]); got < want*0.85 || got > want*1.15 {
			t.Errorf("rank %d: %v times, want about %.0f", k, got, want)
		}
	}
}

func TestFillPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"width": func() { Fill(make([]uint8, 1), Must("uniform"), key.U32, 1) },
		"start": func() { FillPart(make([]uint8, 1), 1, 9, Must("uniform"), key.U8, 1) },
		"end":   func() { FillPart(make([]uint8, 2), 0, 1, Must("uniform"), key.U8, 1) },
		"name":  func() { Must("no-such") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkFill(b *testing.B) {
	x := make([]uint64, 1<<20)
	for _, d := range Table() {
		b.Run(d.Name, func(b *testing.B) {
			b.SetBytes(int64(8 * len(x)))
			for b.Loop() {
				Fill(x, d, key.U64, 1)
			}
		})
	}
}

package ranges

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// sampledOf are samples of shares of so many keys each, drawn by f.
func sampledOf(shares int, items uint64, f func(share int) uint64) (s Sampled) {
	for i := range shares {
		keys := make([]uint64, 1<<14)
		for k := range keys {
			keys[k] = f(i)
		}
		slices.Sort(keys)
		s.Keys, s.Thin, s.Items = append(s.Keys, keys), append(s.Thin, Thin(keys, shares)), append(s.Items, items)
	}
	return s
}

func boundsOf(parts int, items uint64) (b []uint64) {
	for i := range parts + 1 {
		b = append(b, uint64(i)*items)
	}
	return b
}

// TestChoose: ranges are in order, no longer than asked, and those about borders short,
// whatever the keys are and however they differ among the shares.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const items = 1 << 20
	for name, f := range map[string]func(share int) uint64{
		"uniform":  func(int) uint64 { return r.Uint64() },
		"narrow":   func(int) uint64 { return 1<<40 + r.Uint64N(1<<20) },
		"apart":    func(i int) uint64 { return uint64(i)<<50 + r.Uint64N(1<<50) },
		"cubes":    func(int) uint64 { x := r.Uint64N(1 << 21); return x * x * x },
		"heavy":    func(int) uint64 { return max(r.Uint64(), 1<<62) - 1<<62 }, // a quarter is 0
		"heaviest": func(int) uint64 { return ^uint64(0) - max(r.Uint64(), 1<<63) + 1<<63 },
		"few":      func(int) uint64 { return r.Uint64N(5) },
	} {
		for _, parts := range []int{2, 3, 4, 8, 12, 16} {
			s := sampledOf(parts, items, f)
			bounds := boundsOf(parts, items)
			lasts := s.Choose(bounds, items/4)
			if !slices.IsSorted(lasts) || len(slices.Compact(slices.Clone(lasts))) != len(lasts) {
				t.Errorf("%s, %d parts: last keys %x", name, parts, lasts)
			}
			if name != "few" && name != "heavy" && name != "heaviest" && len(lasts) >= Most {
				t.Errorf("%s, %d parts: %d ranges", name, parts, len(lasts)+1)
			}
			rank := func(key uint64) (n float64) { // keys that are at most key
				for i, keys := range s.Keys {
					below := sort.Search(len(keys), func(j int) bool { return keys[j] > key })
					n += float64(below) / float64(len(keys)) * float64(s.Items[i])
				}
				return n
			}
			before := 0.0
			for k := range len(lasts) + 1 {
				end := float64(items * uint64(parts))
				if k < len(lasts) {
					end = rank(lasts[k])
				}
				ranges := map[int]float64{2: 4, 3: 4, 4: 4, 8: 2, 12: 1, 16: 1}[parts]
				if same := k > 0 && k < len(lasts) && lasts[k] == lasts[k-1]+1 || k == 0 && lasts[0] == 0; !same && end-before > 1.3*items/ranges {
					t.Errorf("%s, %d parts: range %d has %v keys", name, parts, k, end-before)
				}
				for p := 1; p < parts; p++ {
					if b := float64(bounds[p]); before < b && b < end && end-before > 0.06*items*float64(parts) && name != "few" && name != "heavy" && name != "heaviest" {
						t.Errorf("%s, %d parts: border %d is in a range of %v keys", name, parts, p, end-before)
					}
				}
				before = end
			}
		}
	}
}

// TestChooseRound: the borders of evenly spread keys have zeros below their upper bits.
func TestChooseRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := sampledOf(2, 1<<20, func(int) uint64 { return r.Uint64() })
	lasts := s.Choose(boundsOf(2, 1<<20), 1<<18)
	for i, want := range map[int]uint64{0: 1<<61 - 1, 1: 1<<62 - 1, 2: 3<<61 - 1, 5: 5<<61 - 1, 6: 6<<61 - 1, 7: 7<<61 - 1} {
		if len(lasts) != 8 || lasts[i] != want {
			t.Fatalf("last keys %x, want %x as number %d", lasts, want, i)
		}
	}
	if lasts[3] >= 1<<63 || lasts[4] < 1<<63 {
		t.Errorf("the middle is not between %x and %x", lasts[3], lasts[4])
	}
}

// TestSizes: there is room for what a share has, and little more.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	s := sampledOf(2, 1<<30, func(i int) uint64 { return r.Uint64N(1<<20) << i })
	lasts := []uint64{1 << 17, 1 << 19, 1<<19 + 1, 1 << 20}
	for i, parts := range [][]float64{{1. / 8, 3. / 8, 0, 1. / 2, 0}, {1. / 16, 3. / 16, 0, 1. / 4, 1. / 2}} {
		for k, n := range s.Sizes(i, lasts, 5) {
			if want := parts[k] * (1 << 30); float64(n) < want || float64(n) > want*1.2+2<<20 {
				t.Errorf("share %d, range %d: room for %d of %v keys", i, k, n, want)
			}
		}
	}
}

// TestSizesSuffice: shares that differ do not have more of a range than its size, but in one
// of many thousands.
func TestSizesSuffice(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	short, all := 0, 0
	for turn := range 60 {
		shares, apart := 2+turn%3*3, float64(turn%4)
		s := sampledOf(shares, 1<<28, func(i int) uint64 { return uint64(1e9 * (100 + r.NormFloat64() + apart*float64(i))) })
		lasts := s.Choose(boundsOf(shares, 1<<28), 1<<26)
		for i := range shares {
			before := 0.0
			for k, size := range s.Sizes(i, lasts, 5) {
				part := 1.0
				if k < len(lasts) {
					part = math.Erfc((100+apart*float64(i)-float64(lasts[k])/1e9)/math.Sqrt2) / 2
				}
				if all++; (part-before)*(1<<28) > float64(size)+1 {
					short++
				}
				before = part
			}
		}
	}
	if short > 0 {
		t.Errorf("%d of %d ranges are too short", short, all)
	}
}

func TestMixed(t *testing.T) {
	for want, all := range map[bool][][]uint64{false: {{1}, {1, 1, 2}, {3, 3, 1}, {2, 2}}, true: {{1, 2, 1}, {2, 1, 1, 2}}} {
		for _, keys := range all {
			if Mixed(keys) != want {
				t.Errorf("%v: %v", keys, !want)
			}
		}
	}
}

func TestFew(t *testing.T) {
	keys := []uint64{1, 3, 1, 2, 4, 3}
	if Few(keys, 3) || !Few(keys, 4) {
		t.Error("four different keys")
	}
}

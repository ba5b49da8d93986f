package few

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// orders make n ranks in an order that is nearly one that Sort repairs, or not.
var orders = map[string]func(n int, r *rand.Rand) []int{
	"sorted":  func(n int, _ *rand.Rand) []int { return ranks(n) },
	"reverse": func(n int, _ *rand.Rand) []int { x := ranks(n); slices.Reverse(x); return x },
	"one moved": func(n int, r *rand.Rand) []int {
		x := ranks(n)
		i, k := r.IntN(n), r.IntN(n)
		u := x[i]
		return slices.Insert(slices.Delete(x, i, i+1), k, u)
	},
	"neighbours": func(n int, r *rand.Rand) []int {
		x := ranks(n)
		for range 2 {
			i := 1 + r.IntN(n-1)
			x[i], x[i-1] = x[i-1], x[i]
		}
		return x
	},
	"appended": func(n int, r *rand.Rand) []int {
		x := ranks(n)
		for i := max(0, n-3); i < n; i++ {
			x[i] = r.IntN(n)
		}
		return x
	},
	"reverse, one moved": func(n int, r *rand.Rand) []int {
		x := ranks(n)
		x[r.IntN(n)] = r.IntN(n)
		slices.Reverse(x)
		return x
	},
	"few values": func(n int, r *rand.Rand) []int {
		x := make([]int, n)
		for i := range x {
			x[i] = r.IntN(min(4, n))
		}
		return x
	},
	"uniform": func(n int, r *rand.Rand) []int { return r.Perm(n) },
}

func ranks(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// repaired are the orders that Sort need not hand on.
var repaired = []string{"sorted", "reverse", "one moved", "neighbours", "appended", "reverse, one moved"}

func TestSort(t *testing.T) {
	t.Run("u8", func(t *testing.T) { testSort(t, func(i, n int) uint8 { return uint8(i * 256 / n) }) })
	t.Run("i16", func(t *testing.T) { testSort(t, func(i, n int) int16 { return int16(i - n/2) }) })
	t.Run("u32", func(t *testing.T) { testSort(t, func(i, _ int) uint32 { return uint32(i) * 5 }) })
	t.Run("i32", func(t *testing.T) { testSort(t, func(i, n int) int32 { return int32(i - n/2) }) })
	t.Run("u64", func(t *testing.T) { testSort(t, func(i, n int) uint64 { return uint64(i-n/2) + 1<<63 }) })
	t.Run("int", func(t *testing.T) { testSort(t, func(i, n int) int { return i - n/2 }) })
	t.Run("f32", func(t *testing.T) { testSort(t, func(i, n int) float32 { return float32(i-n/2) / 7 }) })
	t.Run("f64", func(t *testing.T) { testSort(t, func(i, n int) float64 { return float64(i - n/2) }) })
	// Half of the keys are zeros of either sign, the lower ranks negative.
	t.Run("zeros", func(t *testing.T) {
		testSort(t, func(i, n int) float64 {
			switch {
			case i < n/4:
				return -1 - float64(n-i)
			case i < n/2:
				return math.Copysign(0, -1)
			case i < 3*n/4:
				return 0
			}
			return float64(i)
		})
	})
}

func testSort[T key.Key](t *testing.T, of func(rank, n int) T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 13, Most, Most + 1, 18, 33, 100, 1000, nearlyMost, nearlyMost + 1} {
		for name, order := range orders {
			for range 12 {
				if n < 2 && name != "sorted" {
					break
				}
				x := order(n, r)
				a := make([]T, n)
				for i, rank := range x {
					a[i] = of(rank, n)
				}
				slices.Sort(x)
				was := slices.Clone(a)
				done := Sort(a)
				if !done && (n <= Most || n >= 100 && n <= nearlyMost && slices.Contains(repaired, name)) {
					t.Fatalf("%s, %d keys are handed on", name, n)
				}
				if !done {
					sortRef(a)
					sortRef(was)
					if !same(a, was) {
						t.Fatalf("%s, %d keys are lost", name, n)
					}
					continue
				}
				for i, rank := range x {
					if !same(a[i:i+1], []T{of(rank, n)}) {
						t.Fatalf("%s, %d keys: %v at %d, not %v, from %v", name, n, a[i], i, of(rank, n), was)
					}
				}
			}
		}
	}
}

func sortRef[T key.Key](x []T) {
	slices.SortFunc(x, func(a, b T) int {
		switch {
		case a < b || a == b && math.Signbit(float64(a)) && !math.Signbit(float64(b)):
			return -1
		case b < a:
			return 1
		}
		return 0
	})
}

func same[T key.Key](a, b []T) bool {
	return slices.EqualFunc(a, b, func(x, y T) bool {
		return x == y && math.Signbit(float64(x)) == math.Signbit(float64(y))
	})
}

// TestFour sorts all orders of up to four keys, with every tie.
func TestFour(t *testing.T) {
	testFour(t, []uint8{0, 1, 128, 255})
	testFour(t, []int8{-128, -1, 0, 127})
	testFour(t, []uint16{0, 1, 1 << 15, math.MaxUint16})
	testFour(t, []int16{math.MinInt16, -1, 0, math.MaxInt16})
	testFour(t, []uint32{0, 1, 1 << 31, math.MaxUint32})
	testFour(t, []int{math.MinInt, -1, 0, math.MaxInt})
	testFour(t, []float32{float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 0, 1})
	testFour(t, []float64{math.Copysign(0, -1), 0, 1, math.Inf(1)})
}

func testFour[T key.Key](t *testing.T, of []T) {
	for n := range 5 {
		for code := range 1 << (2 * n) {
			x, ranks := make([]T, n), make([]int, n)
			for i := range x {
				ranks[i] = code >> (2 * i) & 3
				x[i] = of[ranks[i]]
			}
			was := slices.Clone(x)
			slices.Sort(ranks)
			done := Sort(x)
			for i, rank := range ranks {
				if !done || !same(x[i:i+1], of[rank:rank+1]) {
					t.Fatalf("%T %v: %v, done %t", x, was, x, done)
				}
			}
		}
	}
}

// TestNaN: wherever a NaN is, keys are handed on, with the NaN among them.
func TestNaN(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, Most, Most + 1, 100, 1000} {
		for at := range n {
			for _, reverse := range []bool{false, true} {
				x := make([]float64, n)
				for i := range x {
					x[i] = float64(i)
				}
				if reverse {
					slices.Reverse(x)
				}
				x[at] = math.NaN()
				done := Sort(x)
				nans := 0
				for _, u := range x {
					if u != u {
						nans++
					}
				}
				if done || nans != 1 {
					t.Fatalf("NaN at %d of %d, reversed %t: done %t with %d NaNs", at, n, reverse, done, nans)
				}
			}
		}
	}
}

func TestSortDesc(t *testing.T) {
	x := []float32{0, 3, float32(math.Copysign(0, -1)), 5, -1}
	if want := []float32{5, 3, 0, float32(math.Copysign(0, -1)), -1}; !SortDesc(x) || !same(x, want) {
		t.Errorf("%v, not %v", x, want)
	}
	if SortDesc(make([]int, Most+1)) {
		t.Error("many keys are not handed on")
	}
}

// TestPairs sorts pairs and positions as a stable sort does, or hands them on with each
// pair together and equal keys in their order.
func TestPairs(t *testing.T) {
	t.Run("u8", func(t *testing.T) { testPairs(t, func(i, n int) uint8 { return uint8(i * 64 / n) }) })
	t.Run("u64", func(t *testing.T) { testPairs(t, func(i, n int) uint64 { return uint64(i-n/2) + 1<<63 }) })
	t.Run("i32", func(t *testing.T) { testPairs(t, func(i, n int) int32 { return int32(i-n/2) / 2 }) })
	t.Run("f64", func(t *testing.T) { testPairs(t, func(i, n int) float64 { return float64((i - n/2) / 2) }) })
}

func testPairs[K key.Key](t *testing.T, of func(rank, n int) K) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{0, 1, 2, 3, 4, 12, PairsMost, PairsMost + 1, 100, 1000, nearlyMost, nearlyMost + 1} {
		for name, order := range orders {
			for range 12 {
				if n < 2 && name != "sorted" {
					break
				}
				k, v, want := make([]K, n), make([]string, n), make([]int, n)
				for i, rank := range order(n, r) {
					k[i], v[i], want[i] = of(rank, n), string(rune('a'+i)), i
				}
				x := slices.Clone(k)
				slices.SortStableFunc(want, func(a, b int) int {
					switch {
					case x[a] < x[b]:
						return -1
					case x[b] < x[a]:
						return 1
					}
					return 0
				})
				idx := make([]uint32, n)
				if Argsort(idx, x) {
					for i := range idx {
						if int(idx[i]) != want[i] {
							t.Fatalf("%s, %d keys: position %d at %d, not %d", name, n, idx[i], i, want[i])
						}
					}
				} else if n <= PairsMost {
					t.Fatalf("%s: positions of %d keys are handed on", name, n)
				}
				done := Pairs(k, v)
				if !done && (n <= PairsMost || n <= nearlyMost && (name == "sorted" || name == "one moved")) {
					t.Fatalf("%s: %d pairs are handed on", name, n)
				}
				if !done { // stable from here on is stable from the beginning
					at := ranks(n)
					slices.SortStableFunc(at, func(a, b int) int {
						switch {
						case k[a] < k[b]:
							return -1
						case k[b] < k[a]:
							return 1
						}
						return 0
					})
					w, kk := make([]string, n), make([]K, n)
					for i, a := range at {
						w[i], kk[i] = v[a], k[a]
					}
					k, v = kk, w
				}
				for i := range k {
					if k[i] != x[want[i]] || v[i] != string(rune('a'+want[i])) {
						t.Fatalf("%s, %d pairs, done %t: %v with %q at %d", name, n, done, k[i], v[i], i)
					}
				}
			}
		}
	}
}

// TestPairsSpecial: pairs with NaN or −0 are handed on, unless they are as they should
// be.
func TestPairsSpecial(t *testing.T) {
	for _, special := range []float64{math.NaN(), math.Copysign(0, -1)} {
		for at := range 6 {
			k, v := []float64{0, 3, 1, 2, 5, 4}, ranks(6)
			k[at] = special
			in := slices.Clone(k)
			if Pairs(k, v) {
				t.Errorf("%v at %d: pairs are not handed on", special, at)
			}
			for i, from := range v {
				if math.Float64bits(k[i]) != math.Float64bits(in[from]) {
					t.Fatalf("%v at %d: pairs are parted: %v %v", special, at, k, v)
				}
			}
			if Argsort(v, in) {
				t.Errorf("%v at %d: positions are not handed on", special, at)
			}
		}
	}
}

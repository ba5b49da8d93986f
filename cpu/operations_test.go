package cpu_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// TestOperations compares every operation with sorts and look-ups by comparison.
func TestOperations(t *testing.T) {
	operationsOf[uint8, uint8](t, key.U8)
	operationsOf[int8, uint8](t, key.I8)
	operationsOf[uint16, uint16](t, key.U16)
	operationsOf[int16, uint16](t, key.I16)
	operationsOf[uint32, uint32](t, key.U32)
	operationsOf[int32, uint32](t, key.I32)
	operationsOf[uint64, uint64](t, key.U64)
	operationsOf[int64, uint64](t, key.I64)
	operationsOf[float32, uint32](t, key.F32)
	operationsOf[float64, uint64](t, key.F64)
	operationsOf[cpu.Float16, uint16](t, key.F16)
	operationsOf[cpu.BFloat16, uint16](t, key.BF16)
	t.Run("u128", func(t *testing.T) { operations[cpu.Uint128](t, key.U128, compareWide, drawWide) })
	t.Run("b128", func(t *testing.T) { operations[[16]byte](t, key.B128, compareWide, drawWide) })
}

func operationsOf[T cpu.AnyKey, U key.Word](t *testing.T, ty key.Type) {
	t.Run(ty.String(), func(t *testing.T) { operations[T](t, ty, verify.Compare[U], drawWord[U]) })
}

func operations[T cpu.AnyKey, U key.Word | key.Octets](t *testing.T, ty key.Type, compare func(key.Type, key.Order) func(a, b U) int, draw func(r *rand.Rand, kind, width int) U) {
	long := []int{40_000, 300_000}
	if testing.Short() {
		long = []int{40_000}
	}
	take, takeLong := soak.OneIn(t, 10), soak.OneIn(t, 6) // two long slices of a type: their references take seconds
	seed := uint64(1)
	for i, o := range orders {
		c := newCaseBy[T](t, ty, o, compare, draw)
		for n := 0; n <= 1100; n++ {
			if seed++; testing.Short() && n > 24 && n%211 != 7*i || !edge(n) && !take() {
				continue
			}
			c.all(n, seed)
		}
		for _, n := range long {
			if (!testing.Short() || i == int(c.ty)%len(orders)) && takeLong() {
				c.all(n, seed)
			}
		}
	}
}

// edge reports whether n is a length about which sorts change their ways: a few, and those about a power of two.
func edge(n int) bool {
	return n <= 24 || n&(n-1) == 0 || (n-1)&(n-2) == 0 || (n+1)&n == 0
}

var orders = []key.Order{
	{}, {Desc: true}, {NaNLast: true}, {NaNLast: true, Desc: true}, {EqualZeros: true}, {EqualZeros: true, NaNLast: true, Desc: true},
}

// opCase are the operations on keys of one type in one order.
type opCase[T cpu.AnyKey, U key.Word | key.Octets] struct {
	*testing.T
	o    key.Order
	ty   key.Type
	s    *cpu.Sorter
	cmp  func(a, b U) int // of the order, ties included
	bits func(a, b U) int // of the order without equal zeros

	compare func(key.Type, key.Order) func(a, b U) int
	word    func(r *rand.Rand, kind, width int) U // a key of some kind

	n    int
	seed uint64
	r    *rand.Rand
}

func newCase[T cpu.AnyKey, U key.Word](t *testing.T, ty key.Type, o key.Order) *opCase[T, U] {
	return newCaseBy[T](t, ty, o, verify.Compare[U], drawWord[U])
}

func newCaseBy[T cpu.AnyKey, U key.Word | key.Octets](t *testing.T, ty key.Type, o key.Order, compare func(key.Type, key.Order) func(a, b U) int, draw func(r *rand.Rand, kind, width int) U) *opCase[T, U] {
	opts := []cpu.Option{cpu.WithWorkers(2)}
	if o.Desc {
		opts = append(opts, cpu.WithDescending())
	}
	if o.NaNLast {
		opts = append(opts, cpu.WithNaNLast())
	}
	if o.EqualZeros {
		opts = append(opts, cpu.WithEqualZeros())
	}
	s, err := cpu.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	exact := o
	exact.EqualZeros = false
	return &opCase[T, U]{T: t, o: o, ty: ty, s: s, cmp: compare(ty, o), bits: compare(ty, exact), compare: compare, word: draw}
}

// draw returns n keys: of any bits, of few values, or zeros, NaNs and the like.
func (c *opCase[T, U]) draw(n int) []T {
	x := make([]T, n)
	kind := c.r.IntN(4)
	for i, w := 0, c.words(x); i < n; i++ {
		w[i] = c.word(c.r, kind, c.ty.Bits())
	}
	return x
}

func drawWord[U key.Word](r *rand.Rand, kind, width int) U {
	specials := []uint64{0, 1, 1 << (width - 1), 1<<(width-1) | 1, ^uint64(0), 0x7ff8000000000001, 0xfff8000000000002,
		0x7ff0000000000000, 0xfff0000000000000, 0x7fc00001, 0xffc00002, 0x7f800000, 0xff800000, 0x7c00, 0xfc00, 0x7e01, 0x7f80}
	switch {
	case kind == 0:
		return U(r.Uint64())
	case kind == 1:
		return U(r.Uint64N(9)) << (width - 4)
	case kind == 2 || r.IntN(3) > 0:
		return U(specials[r.IntN(len(specials))])
	}
	return U(r.Uint64())
}

// drawWide draws keys that often agree in one half or both.
func drawWide(r *rand.Rand, kind, _ int) (b key.Octets) {
	most := []uint64{1 << 63, 3, 1, 40}[kind]
	binary.NativeEndian.PutUint64(b[:8], r.Uint64N(most)<<(kind*9))
	binary.NativeEndian.PutUint64(b[8:], r.Uint64()>>(kind*20))
	return b
}

// compareWide is the order of docs/order.md, without a codec.
func compareWide(t key.Type, o key.Order) func(a, b key.Octets) int {
	half := func(b key.Octets, at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
	return func(a, b key.Octets) int {
		d := bytes.Compare(a[:], b[:])
		if t == key.U128 {
			d = cmp.Or(cmp.Compare(half(a, 0), half(b, 0)), cmp.Compare(half(a, 8), half(b, 8)))
		}
		if o.Desc {
			return -d
		}
		return d
	}
}

// argsort is the stable order of x by o, by comparisons.
func (c *opCase[T, U]) argsort(x []T, o key.Order) []int {
	idx := make([]int, len(x))
	for i := range idx {
		idx[i] = i
	}
	w, order := c.words(x), c.compare(c.ty, o)
	slices.SortStableFunc(idx, func(i, j int) int { return order(w[i], w[j]) })
	return idx
}

func (c *opCase[T, U]) words(x []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// sorted is a copy of x as a sort leaves it.
func (c *opCase[T, U]) sorted(x []T) []T {
	y := slices.Clone(x)
	slices.SortStableFunc(c.words(y), c.bits)
	return y
}

// loose is a copy in the order of ties: with equal zeros these may stand in any order.
func (c *opCase[T, U]) loose(x []T) []T {
	y := slices.Clone(x)
	slices.SortStableFunc(c.words(y), c.cmp)
	return y
}

// compact leaves the first of equal keys.
func (c *opCase[T, U]) compact(x []T) []T {
	w := slices.CompactFunc(c.words(slices.Clone(x)), func(a, b U) bool { return c.cmp(a, b) == 0 })
	out := make([]T, len(w))
	copy(c.words(out), w)
	return out
}

func (c *opCase[T, U]) keys(what string, got, want []T, err error) {
	c.Helper()
	if err != nil || !slices.Equal(c.words(got), c.words(want)) {
		c.Fatalf("%s of %d %v, order %+v, seed %d: %v\n%x\nwant\n%x", what, c.n, c.ty, c.o, c.seed, err, head(c.words(got)), head(c.words(want)))
	}
}

func (c *opCase[T, U]) ints(what string, got, want []int, err error) {
	c.Helper()
	if err != nil || !slices.Equal(got, want) {
		c.Fatalf("%s of %d %v, order %+v, seed %d: %v\n%v\nwant\n%v", what, c.n, c.ty, c.o, c.seed, err, head(got), head(want))
	}
}

func head[E any](x []E) []E { return x[:min(len(x), 60)] }

func (c *opCase[T, U]) all(n int, seed uint64) {
	c.n, c.seed, c.r = n, seed, rand.New(rand.NewPCG(seed, uint64(n)))
	c.sort()
	c.topk()
	c.selected()
	c.distinct()
	c.segments()
	c.merge()
	c.search()
	c.sets()
}

// sort has keys, pairs and positions in order; of pairs these are the values.
func (c *opCase[T, U]) sort() {
	in := c.draw(c.n)
	x, want := slices.Clone(in), c.argsort(in, c.o)
	err := cpu.SortWith(c.Context(), c.s, x)
	c.keys("keys", x, c.sorted(in), err)
	idx := make([]int, c.n)
	err = cpu.ArgsortWith(c.Context(), c.s, idx, in)
	c.ints("argsort", idx, want, err)
	k, v, words := slices.Clone(in), make([]int, c.n), make([][3]string, c.n)
	for i := range v {
		v[i], words[i][1] = i, string(rune(i))
	}
	err = cpu.SortPairsWith(c.Context(), c.s, k, v)
	c.ints("values", v, want, err)
	for i, at := range want {
		if c.words(k)[i] != c.words(in)[at] {
			c.Fatalf("keys of pairs of %d %v, order %+v: another at %d", c.n, c.ty, c.o, i)
		}
	}
	copy(k, in)
	if err := cpu.SortPairsWith(c.Context(), c.s, k, words); err != nil {
		c.Fatal(err)
	}
	for i, at := range want {
		if words[i][1] != string(rune(at)) {
			c.Fatalf("values with pointers of %d %v, order %+v: another at %d", c.n, c.ty, c.o, i)
		}
	}
	first := -1
	for i, w := 1, c.words(in); i < c.n && first < 0; i++ {
		if c.cmp(w[i-1], w[i]) > 0 {
			first = i
		}
	}
	if got := cpu.IsSortedWith(c.s, in); got != (first < 0) {
		c.Fatalf("%d %v, order %+v: sorted: %v", c.n, c.ty, c.o, got)
	}
}

func (c *opCase[T, U]) topk() {
	x := c.draw(c.n)
	was := slices.Clone(x)
	for _, k := range []int{0, 1, c.n / 40, c.r.IntN(c.n + 2), c.n + 1} {
		m := min(k, c.n)
		small, err := cpu.SmallestWith(c.Context(), c.s, x, k)
		c.keys(fmt.Sprint(k, " smallest"), small, c.sorted(x)[:m], err)
		pos, err := cpu.ArgSmallestWith(c.Context(), c.s, x, k)
		c.ints(fmt.Sprint("positions of ", k, " smallest"), pos, c.argsort(x, c.o)[:m], err)
		back := c.o
		back.Desc = !back.Desc
		large, err := cpu.LargestWith(c.Context(), c.s, x, k)
		want := c.sorted(x)
		slices.Reverse(want)
		c.keys(fmt.Sprint(k, " largest"), large, want[:m], err)
		pos, err = cpu.ArgLargestWith(c.Context(), c.s, x, k)
		c.ints(fmt.Sprint("positions of ", k, " largest"), pos, c.argsort(x, back)[:m], err)
	}
	c.keys("input", x, was, nil)
}

func (c *opCase[T, U]) selected() {
	if c.n == 0 {
		return
	}
	x := c.draw(c.n)
	want := c.sorted(x)
	k := c.r.IntN(c.n)
	v, err := cpu.SelectWith(c.Context(), c.s, x, k)
	c.keys("selected", []T{v, x[k]}, []T{want[k], want[k]}, err)
	for i, u := range c.words(x) {
		if d := c.bits(u, c.words(want)[k]); i < k && d > 0 || i > k && d < 0 {
			c.Fatalf("selected of %d %v: key %d is on the wrong side of %d", c.n, c.ty, i, k)
		}
	}
	c.keys("all of selected", c.sorted(x), want, nil)
}

func (c *opCase[T, U]) distinct() {
	x := c.draw(c.n)
	values, counts, err := cpu.CountWith(c.Context(), c.s, x)
	sorted := c.sorted(x)
	want := c.compact(sorted)
	c.keys("counted", values, want, err)
	starts := []int{}
	for i := range sorted {
		if w := c.words(sorted); i == 0 || c.cmp(w[i-1], w[i]) != 0 {
			starts = append(starts, i)
		}
	}
	starts = append(starts, c.n)
	total := make([]int, len(want))
	for i := range total {
		total[i] = starts[i+1] - starts[i]
	}
	c.ints("counts", counts, total, nil)
	loose := c.loose(x)
	groups, err := cpu.GroupsWith(c.Context(), c.s, loose)
	c.ints("groups", groups, starts, err)
	want = c.compact(loose)
	unique, err := cpu.UniqueWith(c.Context(), c.s, loose)
	c.keys("unique", unique, want, err)
	c.keys("behind unique", loose[len(unique):], make([]T, c.n-len(unique)), nil)
}

func (c *opCase[T, U]) segments() {
	x := c.draw(c.n)
	offsets := make([]int32, c.r.IntN(12))
	if c.r.IntN(3) == 0 {
		offsets = make([]int32, c.n/3)
	}
	for i := range offsets {
		offsets[i] = int32(c.r.IntN(c.n + 1))
	}
	slices.Sort(offsets)
	want, order := slices.Clone(x), make([]int, c.n)
	for i := range order {
		order[i] = i
	}
	for i := 1; i < len(offsets); i++ {
		lo, hi := int(offsets[i-1]), int(offsets[i])
		copy(order[lo:hi], c.argsort(x[lo:hi], c.o))
		for j := lo; j < hi; j++ {
			order[j] += lo
		}
		copy(want[lo:hi], c.sorted(x[lo:hi]))
	}
	idx := make([]uint16, c.n)
	if c.n > 1<<16 {
		wide := make([]int64, c.n)
		c.indices(cpu.ArgsortSegmentsWith(c.Context(), c.s, wide, x, offsets), wide, order)
	} else {
		c.indices(cpu.ArgsortSegmentsWith(c.Context(), c.s, idx, x, offsets), idx, order)
	}
	narrow := make([]uint32, c.n)
	c.indices(cpu.ArgsortSegmentsWith(c.Context(), c.s, narrow, x, offsets), narrow, order)
	err := cpu.SortSegmentsWith(c.Context(), c.s, x, offsets)
	c.keys("segments", x, want, err)
	columns := c.r.IntN(9) + 1
	x = x[:c.n/columns*columns]
	want = slices.Clone(x)
	for i := 0; i < len(x); i += columns {
		copy(want[i:], c.sorted(x[i:i+columns]))
	}
	err = cpu.SortRowsWith(c.Context(), c.s, x, columns)
	c.keys("rows", x, want, err)
}

func (c *opCase[T, U]) indices(err error, got any, want []int) {
	c.Helper()
	out := make([]int, 0, len(want))
	switch got := got.(type) {
	case []uint16:
		for _, i := range got {
			out = append(out, int(i))
		}
	case []uint32:
		for _, i := range got {
			out = append(out, int(i))
		}
	case []int64:
		for _, i := range got {
			out = append(out, int(i))
		}
	}
	c.ints(fmt.Sprintf("positions as %T in segments", got), out, want, err)
}

func (c *opCase[T, U]) merge() {
	all := c.draw(c.n)
	runs := make([][]T, c.r.IntN(9))
	if c.r.IntN(4) == 0 {
		runs = make([][]T, c.n/20)
	}
	rest := all
	for i := range runs {
		m := c.r.IntN(len(rest) + 1)
		if i < len(runs)-1 && len(runs) > 8 {
			m = min(m, 40)
		}
		runs[i], rest = c.loose(rest[:m]), rest[m:]
	}
	all = all[:c.n-len(rest)]
	dst := make([]T, len(all))
	err := cpu.MergeWith(c.Context(), c.s, dst, runs...)
	c.keys(fmt.Sprint("merge of ", len(runs)), dst, c.sorted(all), err)
}

func (c *opCase[T, U]) search() {
	sorted, queries := c.loose(c.draw(c.n)), c.draw(c.r.IntN(c.n+3))
	if c.r.IntN(2) == 0 {
		queries = c.sorted(queries)
	}
	want := make([]int, len(queries))
	if c.r.IntN(8) == 0 && len(sorted) > 0 { // all alike: NaNs, maybe
		for i := range sorted {
			sorted[i] = sorted[0]
		}
	}
	for i, q := range c.words(queries) {
		want[i] = sort.Search(len(sorted), func(i int) bool { return c.cmp(c.words(sorted)[i], q) >= 0 })
	}
	got, err := cpu.SearchWith(c.Context(), c.s, sorted, queries)
	c.ints("search", got, want, err)
}

func (c *opCase[T, U]) sets() {
	a, b := c.draw(c.n), c.draw(c.r.IntN(c.n+3))
	for i := range b {
		if len(a) > 0 && c.r.IntN(2) == 0 {
			b[i] = a[c.r.IntN(len(a))]
		}
	}
	a, b = c.loose(a), c.loose(b)
	has := func(x []T, u U) bool {
		_, ok := slices.BinarySearchFunc(c.words(x), u, c.cmp)
		return ok
	}
	only := func(x, y []T, want bool) []T {
		var out []T
		for i, u := range c.words(x) {
			if has(y, u) == want {
				out = append(out, x[i])
			}
		}
		return out
	}
	got, err := cpu.UnionWith(c.Context(), c.s, a, b)
	c.keys("union", got, c.compact(c.loose(append(slices.Clone(a), b...))), err)
	got, err = cpu.IntersectWith(c.Context(), c.s, a, b)
	c.keys("intersection", got, c.compact(only(a, b, true)), err)
	got, err = cpu.DifferenceWith(c.Context(), c.s, a, b)
	c.keys("difference", got, c.compact(only(a, b, false)), err)
}

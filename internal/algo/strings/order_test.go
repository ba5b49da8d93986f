package strings

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	gostrings "strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/segments"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// runner runs a plan on regions at shifts and returns the scratch memory.
type runner func(plan.Plan, kerneltest.Regions, kerneltest.Shifts) []byte

func caps() driver.Caps {
	c := kerneltest.Emulated("SM_90")
	c.ComputeUnits = 2
	return c
}

func emulated(t *testing.T) runner { return kerneltest.Build(t, "strings", "SM_90").Together(t, 2) }

// record is a plan's status record.
func record(pl plan.Plan, scratch []byte) (number uint64, err error) {
	at := scratch[pl.Status.At.Off:]
	number = binary.NativeEndian.Uint64(at[8:])
	return number, pl.Refusal(binary.NativeEndian.Uint32(at), number)
}

// lay puts strings behind each other, with `before` bytes of something else in front.
func lay(texts [][]byte, before int) (text []byte, offsets []uint64) {
	text = bytes.Repeat([]byte{'x'}, before)
	offsets = append(offsets, uint64(before))
	for _, s := range texts {
		text = append(text, s...)
		offsets = append(offsets, uint64(len(text)))
	}
	return append(text, "yyy"...), offsets
}

// form is how strings lie in memory, and the order that is asked for.
type form struct {
	width, value int
	desc         bool
	before       int
	shift        uint64
	many         uint64 // strings that lanes compare alone
}

// order runs all plans of a sort as the executor does. It returns how many there were.
func order(t *testing.T, run runner, c driver.Caps, text []byte, offsets []uint64, f form) (idx []uint64, rounds int, err error) {
	t.Helper()
	n := uint64(len(offsets) - 1)
	p := plan.Problem{Kind: op.Strings, Type: key.U64, Mode: plan.Argsort, Order: key.Order{Desc: f.desc}, Items: n, ValueBytes: f.value, Width: f.width}
	p.Bytes = uint64(len(text))
	data := kerneltest.Regions{text, make([]byte, n*uint64(f.value)), kerneltest.Pack(offsets, f.width), make([]byte, op.WordsBytes(n))}
	shifts := kerneltest.Shifts{f.shift, uint64(f.value) * (f.shift % 3), uint64(f.width) * (f.shift % 2)}
	before := [2][]byte{bytes.Clone(data[0]), bytes.Clone(data[2])}
	a := First(onesweep.Algorithm(), lsd.Algorithm)
	next := Next(segments.Algorithm())
	next.Plan = func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
		return planNext(segments.Algorithm(), p, c, f.many)
	}
	for {
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		pl, err := a.Plan(p, c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range p.Extents() {
			if uint64(len(data[i])) < e.Bytes {
				t.Fatalf("region %d has %d bytes, its extent %d", i, len(data[i]), e.Bytes)
			}
		}
		number, err := record(pl, run(pl, data, shifts))
		if err != nil {
			return nil, rounds, err
		}
		if rounds++; rounds > len(text) {
			t.Fatalf("%d plans", rounds)
		}
		if number == 0 {
			break
		}
		items, groups := number&(1<<32-1), number>>32
		if items > p.Items || groups > items/2 {
			t.Fatalf("%d of %d strings in %d groups go on", items, p.Items, groups)
		}
		if p.Kind == op.Strings {
			a, p.Kind, p.All, p.Room = next, op.StringsNext, n, items
			data[4], data[5] = make([]byte, op.ListParts(items)[5]), make([]byte, op.ListParts(items)[5])
		} else {
			data[4], data[5], p.Later = data[5], data[4], true
		}
		p.Items, p.Other = items, groups
	}
	if !bytes.Equal(before[0], data[0]) || !bytes.Equal(before[1], data[2]) {
		t.Error("the strings have changed")
	}
	return unpack(data[1], f.value), rounds, nil
}

func unpack(b []byte, width int) (all []uint64) {
	for ; len(b) > 0; b = b[width:] {
		if width == 4 {
			all = append(all, uint64(binary.NativeEndian.Uint32(b)))
		} else {
			all = append(all, binary.NativeEndian.Uint64(b))
		}
	}
	return all
}

// want is the stable order by comparison.
func want(texts [][]byte, desc bool) []uint64 {
	idx := make([]uint64, len(texts))
	for i := range idx {
		idx[i] = uint64(i)
	}
	slices.SortStableFunc(idx, func(a, b uint64) int {
		if desc {
			a, b = b, a
		}
		return bytes.Compare(texts[a], texts[b])
	})
	return idx
}

// shape makes strings.
type shape struct {
	name string
	of   func(r *rand.Rand) [][]byte
}

func many(n int, f func(i int) string) (all [][]byte) {
	for i := range n {
		all = append(all, []byte(f(i)))
	}
	return all
}

func shapes() []shape {
	letters := func(r *rand.Rand, n, from int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + r.IntN(from))
		}
		return string(b)
	}
	of := func(name string, f func(r *rand.Rand) [][]byte) shape { return shape{name, f} }
	list := []shape{
		of("nothing", func(*rand.Rand) [][]byte { return nil }),
		of("one", func(*rand.Rand) [][]byte { return many(1, func(int) string { return "alone" }) }),
		of("two", func(*rand.Rand) [][]byte {
			return many(2, func(i int) string { return "same beginning" + []string{"b", "a"}[i] })
		}),
		of("two equal", func(*rand.Rand) [][]byte { return many(2, func(int) string { return "the same, all of it" }) }),
		of("empty", func(*rand.Rand) [][]byte { return many(700, func(int) string { return "" }) }),
		of("nul", func(r *rand.Rand) [][]byte {
			return many(900, func(int) string { return "a"[:r.IntN(2)] + gostrings.Repeat("\x00", r.IntN(20)) })
		}),
		of("prefixes", func(r *rand.Rand) [][]byte {
			return many(600, func(int) string { return gostrings.Repeat("\xff", r.IntN(40)) + "\x00\xff\x00"[:r.IntN(4)] })
		}),
		of("binary", func(r *rand.Rand) [][]byte {
			return many(800, func(int) string {
				b := make([]byte, r.IntN(12))
				for i := range b {
					b[i] = []byte{0, 1, 127, 128, 254, 255}[r.IntN(6)]
				}
				return string(b)
			})
		}),
		of("all equal", func(*rand.Rand) [][]byte {
			return many(3000, func(int) string { return "https://example.org/all/equal" })
		}),
		of("urls", func(r *rand.Rand) [][]byte {
			return many(4000, func(int) string {
				return fmt.Sprintf("https://www.example.org/%s/%s?id=%d", letters(r, 1, 3), letters(r, 9, 2), r.IntN(500))
			})
		}),
		of("words", func(r *rand.Rand) [][]byte {
			return many(3000, func(int) string { return letters(r, 1+r.IntN(1+r.IntN(18)), 2) })
		}),
		// The last word of one group is the first one of the next.
		of("groups that meet", func(r *rand.Rand) [][]byte {
			all := many(600, func(i int) string {
				tails := [][]string{{"aaaaaaaaaa", "bxxxxxxxxx1", "bxxxxxxxxx2"}, {"bxxxxxxxxx0", "bxxxxxxxxx2", "cccccccccc"}}
				return fmt.Sprintf("%07d", i/3*50_000) + tails[i/3%2][i%3]
			})
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all
		}),
		of("long prefixes", func(r *rand.Rand) [][]byte {
			return many(40, func(i int) string { return gostrings.Repeat("0123456789", 1000+i%2) + letters(r, i%5, 2) })
		}),
		of("long prefix of two groups", func(r *rand.Rand) [][]byte {
			return many(30, func(i int) string {
				return letters(r, 1, 2) + gostrings.Repeat("long", 1300) + letters(r, 3, 2) + gostrings.Repeat("x", 3000) + letters(r, 3, 2)
			})
		}),
	}
	for _, n := range []int{255, 256, 257, 4095, 4097} {
		list = append(list, of(fmt.Sprint("random ", n), func(r *rand.Rand) [][]byte {
			return many(n, func(int) string { return letters(r, 9, 3) + letters(r, 15, 26) })
		}))
	}
	return list
}

// shapesOf are the shapes of these names, or all.
func shapesOf(names []string) []shape {
	return slices.DeleteFunc(shapes(), func(s shape) bool { return len(names) > 0 && !slices.Contains(names, s.name) })
}

// TestEmulated runs the CUDA kernels on the host and compares with a stable sort by comparison.
func TestEmulated(t *testing.T) { ordered(t, emulated(t), caps()) }

func ordered(t *testing.T, run runner, c driver.Caps, names ...string) {
	for i, s := range shapesOf(names) {
		for j, f := range []form{{4, 4, false, 0, 0, 0}, {8, 4, true, 5, 3, 1 << 20}, {4, 8, true, 3, 7, 0}, {8, 8, false, 0, 1, 1 << 20}} {
			if testing.Short() && (i+j)%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%+v", s.name, f), func(t *testing.T) {
				texts := s.of(rand.New(rand.NewPCG(uint64(i), uint64(j))))
				text, offsets := lay(texts, f.before)
				got, rounds, err := order(t, run, c, text, offsets, f)
				if err != nil {
					t.Fatal(err)
				}
				for k, w := range want(texts, f.desc) {
					if got[k] != w {
						t.Fatalf("after %d plans string %d of the order is %d, want %d", rounds, k, got[k], w)
					}
				}
				t.Logf("%d plans", rounds)
			})
		}
	}
}

// TestRefused: offsets that descend, and those beyond the bytes.
func TestRefused(t *testing.T) { refused(t, emulated(t), caps()) }

func refused(t *testing.T, run runner, c driver.Caps) {
	for _, k := range []struct {
		offsets []uint64
		want    string
	}{
		{[]uint64{0, 4, 2, 10}, "offset 2 is below"}, {[]uint64{0, 4, 11}, "offset 2 is beyond"}, {[]uint64{11}, "offset 0 is beyond"},
		{[]uint64{11, 12, 12}, "is beyond"}, {[]uint64{0, 5, 10, 1 << 31}, "offset 3 is beyond"},
	} {
		for _, width := range []int{4, 8} {
			_, _, err := order(t, run, c, []byte("abcdeabcde"), k.offsets, form{width: width, value: 4})
			if err == nil || !gostrings.Contains(err.Error(), k.want) {
				t.Errorf("%v: %v, want … %s", k.offsets, err, k.want)
			}
		}
	}
}

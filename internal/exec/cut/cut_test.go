package cut

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// cuts is At by sorting all items.
func cuts(runs [][]uint64, rank uint64) []uint64 {
	type item struct{ key, run uint64 }
	var all []item
	for r, x := range runs {
		for _, k := range x {
			all = append(all, item{k, uint64(r)})
		}
	}
	slices.SortStableFunc(all, func(a, b item) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.run, b.run)) })
	out := make([]uint64, len(runs))
	for _, i := range all[:rank] {
		out[i.run]++
	}
	return out
}

// parts reports whether cuts part so many items that are at most as large as all others.
func parts(runs [][]uint64, cuts []uint64, rank uint64) bool {
	before, behind := uint64(0), ^uint64(0)
	for i, x := range runs {
		if cuts[i] > uint64(len(x)) {
			return false
		}
		if rank -= cuts[i]; cuts[i] > 0 {
			before = max(before, x[cuts[i]-1])
		}
		if cuts[i] < uint64(len(x)) {
			behind = min(behind, x[cuts[i]])
		}
	}
	return rank == 0 && before <= behind
}

// TestAt compares cuts at many ranks with those by sorting, also from the cut before on,
// and counts the looks.
func TestAt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, key := range map[string]func(run, i int) uint64{
		"random":   func(int, int) uint64 { return r.Uint64() },
		"constant": func(int, int) uint64 { return 7 },
		"two":      func(int, int) uint64 { return r.Uint64N(2) },
		"sorted":   func(run, i int) uint64 { return uint64(run)<<32 + uint64(i) },
		"reversed": func(run, i int) uint64 { return uint64(99-run)<<32 + uint64(i) },
		"skewed":   func(int, int) uint64 { return r.Uint64() >> r.UintN(64) },
	} {
		for _, lengths := range [][]int{{0}, {5}, {40000, 40000}, {30000, 1}, {0, 20000}, {9000, 9001, 8999}, {3000, 0, 7000, 1, 12000, 100, 6000, 2500}} {
			t.Run(fmt.Sprintf("%s/%v", name, lengths), func(t *testing.T) {
				var runs [][]uint64
				var have []uint64
				total := 0
				for n, l := range lengths {
					x := make([]uint64, l)
					for i := range x {
						x[i] = key(n, i)
					}
					slices.Sort(x)
					runs, have, total = append(runs, x), append(have, uint64(l)), total+l
				}
				looks, from := 0, Whole(have)
				read := func(want []Span) (out []Keys, err error) {
					looks++
					n := uint64(0)
					for _, s := range want {
						n += s.N
						x := runs[s.Run][s.From : s.From+s.N]
						out = append(out, KeysOf(s.N, func(i uint64) uint64 { return x[i] }))
					}
					if n > Most+uint64(len(runs)) && looks > 1 || n > MostGuess*uint64(len(runs)) || len(want) == 0 {
						t.Errorf("%d items of %d spans are read", n, len(want))
					}
					return out, nil
				}
				for part := 0; part <= 7; part++ {
					rank := uint64(total * part / 7)
					want := cuts(runs, rank)
					for k, w := range []Runs{Whole(have), from} {
						looks = 0
						got, err := w.At(rank, read)
						if err != nil || !slices.Equal(got, want) {
							t.Fatalf("rank %d: %v, %v, want %v", rank, got, err, want)
						}
						most := 3 + 8*len(runs)
						if name == "random" && len(runs) == 2 && lengths[1] == 40000 && k == 0 {
							most = 1 // where the guess finds it
						}
						if looks > most {
							t.Errorf("rank %d: %d looks, at most %d are expected", rank, looks, most)
						}
					}
					loose := Whole(have)
					loose.Loose = true
					looks = 0
					got, err := loose.At(rank, read)
					if err != nil || !parts(runs, got, rank) {
						t.Fatalf("rank %d: loose cuts %v, %v", rank, got, err)
					}
					if alike := len(runs) == 2 && lengths[1] == 40000 && part > 0 && part < 7; alike && (name == "constant" || name == "two") && looks != 1 {
						t.Errorf("rank %d: %d looks for loose cuts", rank, looks)
					}
					from.Lo = want
				}
			})
		}
	}
}

// TestAtFails: what the reader says comes back.
func TestAtFails(t *testing.T) {
	why := errors.New("gone")
	for after := range 3 {
		n := 0
		_, err := Whole([]uint64{1 << 20, 1 << 20}).At(1<<20, func(s []Span) (out []Keys, err error) {
			if n++; n > after {
				return nil, why
			}
			for _, x := range s {
				out = append(out, KeysOf(x.N, func(uint64) uint64 { return 0 }))
			}
			return out, nil
		})
		if !errors.Is(err, why) {
			t.Errorf("after %d looks: %v", after, err)
		}
	}
}

// BenchmarkAt finds the middle of four alike runs, whose keys are made when they are looked at.
func BenchmarkAt(b *testing.B) {
	const n = 1 << 28
	read := func(want []Span) (out []Keys, err error) {
		for _, s := range want {
			out = append(out, KeysOf(s.N, func(i uint64) uint64 { return (s.From+i)*4 + uint64(s.Run) }))
		}
		return out, nil
	}
	for b.Loop() {
		if _, err := Whole([]uint64{n, n, n, n}).At(2*n+12345, read); err != nil {
			b.Fatal(err)
		}
	}
}

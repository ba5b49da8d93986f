package rows

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
)

// repeated are kinds of strings that are many times as many as the distinct ones.
var repeated = map[string]func(r *rand.Rand) string{
	"one":   func(*rand.Rand) string { return strings.Clone("the same") },
	"empty": func(r *rand.Rand) string { return "x"[r.IntN(2):] },
	"nul, ff": func(r *rand.Rand) string {
		return strings.Repeat([]string{"\x00", "\xff", "a"}[r.IntN(3)], r.IntN(12)) + "\x00"[r.IntN(2):]
	},
	"words": func(r *rand.Rand) string {
		return fmt.Sprintf("%.*s%d", 1+r.IntN(6), "lambda", int(40*r.Float64()*r.Float64()))
	},
	"of 64": func(r *rand.Rand) string {
		return fmt.Sprintf("%s%04d", strings.Repeat("z", repeatedBytes-4), r.IntN(300))
	},
}

func repeatedStrings(n int, of func(r *rand.Rand) string) []string {
	r, s := rand.New(rand.NewPCG(7, uint64(n))), make([]string, n)
	for i := range s {
		s[i] = of(r)
	}
	return s
}

// TestRepeated compares with slices.Sort, in either direction, with one table and with several.
func TestRepeated(t *testing.T) {
	for what, of := range repeated {
		for _, n := range []int{repeatedMin, repeatedMin + 1, 50_001, 3*partStrings + 7} {
			in := repeatedStrings(n, of)
			want := slices.Clone(in)
			slices.Sort(want)
			for _, workers := range []int{1, 3} {
				for _, desc := range []bool{false, true} {
					x := slices.Clone(in)
					if ok, err := sortRepeated(cpu.Options{Workers: workers}, x, desc); !ok || err != nil {
						t.Fatalf("%s: %d strings, %d workers: %v, %v, want them to be counted", what, n, workers, ok, err)
					}
					if desc {
						slices.Reverse(x)
					}
					if !slices.Equal(x, want) {
						t.Fatalf("%s: %d strings, %d workers, desc %v: other strings than slices.Sort has", what, n, workers, desc)
					}
				}
			}
		}
	}
}

// TestRepeatedEvenly: as many distinct strings as are expected are no reason to give up, though most of
// them come early.
func TestRepeatedEvenly(t *testing.T) {
	x := repeatedStrings(200_000, func(r *rand.Rand) string { return fmt.Sprint(r.IntN(5000)) })
	want := slices.Clone(x)
	slices.Sort(want)
	if ok, err := sortRepeated(cpu.Options{Workers: 1}, x, false); !ok || err != nil || !slices.Equal(x, want) {
		t.Errorf("5,000 distinct of 200,000 strings: counted %v, %v, sorted %v", ok, err, slices.Equal(x, want))
	}
}

// TestNotRepeated: strings that are not counted stay as they are, and are sorted all the same.
func TestNotRepeated(t *testing.T) {
	number := func(i int) string { return fmt.Sprintf("%07d", i*7919%1_000_003) }
	long := strings.Repeat("long", repeatedBytes)
	for what, of := range map[string]func(i int) string{
		"few":      nil,
		"distinct": number,
		"long":     func(i int) string { return long[i%2:] },
		"one long": func(i int) string {
			if i == 70_001 { // the sample may miss it
				return long
			}
			return "short"[i%5:]
		},
		"half distinct": func(i int) string { return number(i * (i % 2)) },
	} {
		n := 100_000
		if of == nil {
			of, n = func(i int) string { return "ab"[i%2:] }, repeatedMin-1
		}
		in := make([]string, n)
		for i := range in {
			in[i] = of(i)
		}
		x := slices.Clone(in)
		if ok, err := sortRepeated(cpu.Options{Workers: 2}, x, false); ok || err != nil || !slices.Equal(x, in) {
			t.Errorf("%s: counted %v, %v, as before %v, want them untouched", what, ok, err, slices.Equal(x, in))
		}
		if err := SortStrings(cpu.Options{Workers: 2}, x, false); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(in); !slices.Equal(x, in) {
			t.Errorf("%s: other strings than slices.Sort has", what)
		}
	}
}

// TestTooManyCounted: what a sample took for few distinct strings is given up once it has many.
func TestTooManyCounted(t *testing.T) {
	s := make([]string, 100_000)
	for i := range s {
		s[i] = fmt.Sprint(i)
	}
	for _, workers := range []int{1, 3} {
		if words, counts, err := countStrings(cpu.Options{Workers: workers}, s, 0); words != nil || counts != nil || err != nil {
			t.Errorf("%d workers: %d of 100,000 distinct strings, %v, want none", workers, len(words), err)
		}
	}
}

// TestRepeatedCancelled: when the context has ended, strings stay as they are.
func TestRepeatedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := repeatedStrings(repeatedMin, repeated["words"])
	x := slices.Clone(in)
	if ok, err := sortRepeated(cpu.Options{Ctx: ctx}, x, false); ok || err == nil || !slices.Equal(x, in) {
		t.Errorf("counted %v, %v, as before %v", ok, err, slices.Equal(x, in))
	}
}

// TestRepeatedUnstoppable: as many strings as take long to write are not counted if the context may end.
func TestRepeatedUnstoppable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x := make([]string, 2*filledMost)
	if ok, err := sortRepeated(cpu.Options{Workers: 1, Ctx: ctx}, x, false); ok || err != nil {
		t.Errorf("%d strings, one worker: counted %v, %v, want them left", len(x), ok, err)
	}
}

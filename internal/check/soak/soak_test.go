package soak

import (
	"flag"
	"slices"
	"testing"
)

// shortly sets -short for the rest of t.
func shortly(t *testing.T, short string) {
	f := flag.Lookup("test.short").Value
	was := f.String()
	if err := f.Set(short); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Set(was) })
}

func taken(t *testing.T, n, cases int) []int { return takenBy(OneIn(t, n), cases) }

func takenBy(take func() bool, cases int) (list []int) {
	for i := range cases {
		if take() {
			list = append(list, i)
		}
	}
	return list
}

// TestOneIn: one of each n cases in a row is run, each sooner or later, and a seed repeats them.
func TestOneIn(t *testing.T) {
	shortly(t, "false")
	t.Setenv(EveryEnv, "")
	t.Setenv(SeedEnv, "")
	const n, cases = 7, 70
	seen := map[int]bool{}
	for range 200 {
		list := taken(t, n, cases)
		if len(list) != cases/n {
			t.Fatalf("%d of %d cases were run, want one of %d", len(list), cases, n)
		}
		for block, i := range list {
			if i/n != block {
				t.Fatalf("cases %v: none or two of a block of %d", list, n)
			}
			seen[i] = true
		}
	}
	if len(seen) != cases {
		t.Errorf("200 draws reached %d of %d cases", len(seen), cases)
	}
	t.Setenv(SeedEnv, "0x2a")
	first := taken(t, n, cases)
	if again := taken(t, n, cases); !slices.Equal(again, first) {
		t.Errorf("the same seed drew %v, then %v", first, again)
	}
	t.Run("another", func(t *testing.T) {
		if list := taken(t, n, cases); slices.Equal(list, first) {
			t.Errorf("two tests drew the same cases: %v", list)
		}
	})
}

// TestEvery: GPUSORT_EVERY=1 has each case run, and -short leaves the choice to the test.
func TestEvery(t *testing.T) {
	for _, c := range []struct {
		short, every string
		want         int
	}{{"false", "", 3}, {"false", "0", 3}, {"false", "1", 12}, {"true", "", 12}, {"true", "1", 12}} {
		shortly(t, c.short)
		t.Setenv(EveryEnv, c.every)
		if got := len(taken(t, 4, 12)); got != c.want {
			t.Errorf("-short=%s, %s=%q: %d of 12 cases, want %d", c.short, EveryEnv, c.every, got, c.want)
		}
		if got := Every(); got != (c.want == 12 && c.short == "false") {
			t.Errorf("-short=%s, %s=%q: every: %v", c.short, EveryEnv, c.every, got)
		}
	}
}

// TestShare: with -short one in so many is run, without it one in others.
func TestShare(t *testing.T) {
	t.Setenv(EveryEnv, "")
	for _, c := range []struct {
		short string
		cases int
	}{{"true", 20}, {"false", 60}} {
		shortly(t, c.short)
		if list := takenBy(Share(t, 3, 1), 60); len(list) != c.cases {
			t.Errorf("-short %s: %d of 60 cases were run, want %d", c.short, len(list), c.cases)
		}
	}
}

package run

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key/linekey"
)

// TestUniqueBy: of the rows with one key, the first in the order of another is written.
func TestUniqueBy(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(11, 11)), 4000)
	key, err := linekey.ParseKey("2.2,2.2")
	if err != nil {
		t.Fatal(err)
	}
	by := linekey.Lines{Schema: linekey.Spec{Separator: -1, Keys: []linekey.Key{key}, Stable: true}.Compile(), Delim: '\n'}
	second := func(line string) string {
		_, rest, _ := strings.Cut(line, " ")
		return (rest + " ")[:1]
	}
	for name, spec := range orders(t) {
		if spec.Unique {
			continue
		}
		o := optionsOf(spec)
		want, seen := "", map[string]bool{}
		for _, line := range strings.SplitAfter(strings.TrimSuffix(expected(o, text), "\n"), "\n") {
			if line = strings.TrimSuffix(line, "\n") + "\n"; !seen[second(line)] {
				seen[second(line)] = true
				want += line
			}
		}
		o.UniqueBy, o.Temp, o.FanIn = by.Encoder, []string{t.TempDir()}, 3
		for _, room := range []uint64{0, 1 << 17, 1 << 14} {
			o.room = room
			for _, top := range []int{0, 2} {
				first := want
				if o.Top = int64(top); top > 0 {
					first = strings.Join(strings.SplitAfter(want, "\n")[:top], "")
				}
				var out bytes.Buffer
				st, err := Sort(t.Context(), o, []Input{input(text)}, -1, &out)
				if err != nil || out.String() != first || st.Rows != 4000 || st.Bytes != int64(len(text)) || st.RowsOut != int64(strings.Count(first, "\n")) {
					t.Errorf("%s, first %d in %d: %v, %+v\ngot  %q\nwant %q", name, top, room, err, st, out.String(), first)
				}
			}
		}
	}
	o := optionsOf(orders(t)["numbers"])
	o.UniqueBy, o.Temp = by.Encoder, []string{t.TempDir()}
	broken := errors.New("broken")
	if _, err := Sort(t.Context(), o, []Input{input(text)}, -1, failing{broken}); !errors.Is(err, broken) {
		t.Error(err)
	}
	in := func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(text), failing{broken})), nil
	}
	if _, err := Sort(t.Context(), o, []Input{in}, -1, io.Discard); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestUniqueByRepeats: a key may repeat through any number of blocks.
func TestUniqueByRepeats(t *testing.T) {
	o := optionsOf(orders(t)["lines"])
	o.UniqueBy, o.Temp, o.block = o.Format.Encoder, []string{t.TempDir()}, 1<<10
	text := strings.Repeat("abc\n", 300_000) + "abd\n"
	var out bytes.Buffer
	if st, err := Sort(t.Context(), o, []Input{input(text)}, -1, &out); err != nil || out.String() != "abc\nabd\n" {
		t.Errorf("%v, %+v: %.40q", err, st, out.String())
	}
}

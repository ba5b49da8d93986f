package gpusort_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort"
)

// TestTextSlices: strings and byte slices in host memory come in the order of a stable sort by comparison on the
// CPU and on every device, in descending order, each the very string that it was.
func TestTextSlices(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		for _, kind := range textKinds {
			for _, n := range []int{0, 1, 2, 3, 255, 256, 1100, 70_001} {
				texts := kind.texts(n)
				t.Run(fmt.Sprintf("%s/%d", kind.name, n), func(t *testing.T) { textSlices(t, s, texts) })
			}
		}
		if testing.Short() {
			return
		}
		r := rand.New(rand.NewPCG(7, 7))
		for n := range 1100 {
			texts := make([][]byte, n)
			for i := range texts {
				texts[i] = []byte(strings.Repeat(string(rune('a'+r.IntN(2))), r.IntN(3)) + "\x00\xff"[:r.IntN(3)])
			}
			textSlices(t, s, texts)
		}
	})
}

// textSlices sorts texts in each way in descending order.
func textSlices(t *testing.T, s *gpusort.Sorter, texts [][]byte) {
	n, ctx := len(texts), t.Context()
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int { return bytes.Compare(texts[j], texts[i]) })
	words, lines := stringsOn(texts), slices.Clone(texts)
	was := slices.Clone(words)
	idx, wide := make([]uint32, n), make([]int, n)
	var r gpusort.Report
	for _, step := range []struct {
		what string
		err  error
	}{
		{"ArgsortStringsWith", gpusort.ArgsortStringsWith(gpusort.WithReport(ctx, &r), s, idx, words)},
		{"ArgsortBytesWith", gpusort.ArgsortBytesWith(ctx, s, wide, lines)},
		{"SortStringsWith", gpusort.SortStringsWith(ctx, s, words)},
		{"SortBytesWith", gpusort.SortBytesWith(ctx, s, lines)},
	} {
		if step.err != nil {
			t.Fatalf("%s: %v", step.what, step.err)
		}
	}
	if !slices.Equal(idx, order) {
		t.Errorf("positions of %d strings differ", n)
	}
	for i, at := range order {
		switch {
		case wide[i] != int(at):
			t.Fatalf("position %d of %d byte slices is %d, want %d", i, n, wide[i], at)
		case words[i] != was[at] || n > 256 && unsafe.StringData(words[i]) != unsafe.StringData(was[at]):
			t.Fatalf("string %d of %d is not that of place %d", i, n, at)
		case !bytes.Equal(lines[i], texts[at]) || n > 256 && unsafe.SliceData(lines[i]) != unsafe.SliceData(texts[at]):
			t.Fatalf("byte slice %d of %d is not that of place %d", i, n, at)
		}
	}
	if onDevice := r.Algorithm == "strings"; onDevice != (r.Device != "cpu") || r.Items != uint64(n) || r.Pieces != 1 || r.Elapsed <= 0 {
		t.Errorf("the report of %d strings is %+v", n, r)
	}
	if on := strings.Split(t.Name(), "/")[1]; n > 1 && r.Device != on {
		t.Errorf("%d strings were ordered on %s, want %s", n, r.Device, on)
	}
}

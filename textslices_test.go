package gpusort_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// TestTextSlices: strings and byte slices in host memory come in the order of a stable sort by comparison on the
// CPU and on every device, in descending order, each the very string that it was.
func TestTextSlices(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		take := soak.Share(t, 3, 1) // of the long ones
		for _, kind := range textKinds {
			for _, n := range []int{0, 1, 2, 3, 255, 256, 1100, 70_001} {
				if n > 1100 && !take() {
					continue
				}
				texts := kind.texts(n)
				t.Run(fmt.Sprintf("%s/%d", kind.name, n), func(t *testing.T) { textSlices(t, s, texts) })
			}
		}
		r := rand.New(rand.NewPCG(7, 7))
		for n := 4; n < 1100; n += 1 + n/2 {
			texts := make([][]byte, n)
			for i := range texts {
				texts[i] = []byte(strings.Repeat(string(rune('a'+r.IntN(2))), r.IntN(3)) + "\x00\xff"[:r.IntN(3)])
			}
			textSlices(t, s, texts)
		}
	})
}

// memory is that of a string. Equal strings sorted on the CPU may share that of one.
type memory struct {
	at *byte
	n  int
}

func memoryOf(s string) memory { return memory{unsafe.StringData(s), len(s)} }

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
	came := make(map[memory]bool, n)
	for _, w := range was {
		came[memoryOf(w)] = true
	}
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
		case words[i] != was[at] || !came[memoryOf(words[i])] || r.Device != "cpu" && n > 256 && memoryOf(words[i]) != memoryOf(was[at]):
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

// TestTextDefaults: functions that take no Sorter use that of SetDefault, in their own direction, and the CPU where it
// fails.
func TestTextDefaults(t *testing.T) {
	list, err := gpusort.Devices()
	i := slices.IndexFunc(list, func(d gpusort.DeviceInfo) bool { return d.ID != "cpu" })
	if i < 0 {
		absent.Skip(t, "opencl", "no device for a default Sorter: %v", err)
	}
	var log strings.Builder
	s, err := gpusort.New(gpusort.WithDevice(list[i].ID), gpusort.WithDescending(),
		gpusort.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	if err != nil {
		t.Fatal(err)
	}
	gpusort.SetDefault(s)
	defer gpusort.SetDefault(nil)
	texts := textKinds[4].texts(3000)
	up := slices.SortedStableFunc(slices.Values(texts), bytes.Compare)
	down := slices.SortedStableFunc(slices.Values(texts), func(a, b []byte) int { return bytes.Compare(b, a) })
	each := func(when string) {
		words, lines := stringsOn(texts), slices.Clone(texts)
		at := func(idx []int) (x [][]byte) {
			for _, i := range idx {
				x = append(x, texts[i])
			}
			return x
		}
		for _, c := range []struct {
			what string
			got  [][]byte
			want [][]byte
		}{
			{"ArgsortStrings", at(gpusort.ArgsortStrings(words)), up},
			{"ArgsortStringsDesc", at(gpusort.ArgsortStringsDesc(words)), down},
			{"ArgsortBytes", at(gpusort.ArgsortBytes(lines)), up},
			{"ArgsortBytesDesc", at(gpusort.ArgsortBytesDesc(lines)), down},
			{"SortStrings", func() (x [][]byte) {
				gpusort.SortStrings(words)
				for _, w := range words {
					x = append(x, []byte(w))
				}
				return x
			}(), up},
			{"SortStringsDesc", func() (x [][]byte) {
				gpusort.SortStringsDesc(words)
				for _, w := range words {
					x = append(x, []byte(w))
				}
				return x
			}(), down},
			{"SortBytes", func() [][]byte { gpusort.SortBytes(lines); return slices.Clone(lines) }(), up},
			{"SortBytesDesc", func() [][]byte { gpusort.SortBytesDesc(lines); return lines }(), down},
		} {
			if !slices.EqualFunc(c.got, c.want, bytes.Equal) {
				t.Errorf("%s: %s is not in order", when, c.what)
			}
		}
	}
	each("on " + list[i].ID)
	if n := strings.Count(log.String(), "msg=sorted device="+list[i].ID); n != 8 {
		t.Errorf("%d of 8 sorts were on %s: %s", n, list[i].ID, log.String())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	each("after Close")
}

// TestTextsLogged: a sort of strings on the CPU writes what it did, as other sorts do.
func TestTextsLogged(t *testing.T) {
	for _, device := range []string{"cpu", "auto"} {
		var log strings.Builder
		s, err := gpusort.New(gpusort.WithDevice(device), gpusort.WithAlgorithm("cpu"),
			gpusort.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, n := range []int{1, 3000} {
			log.Reset()
			if err := gpusort.SortStringsWith(t.Context(), s, make([]string, n)); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("msg=sorted device=cpu algorithm=cpu call=SortStringsWith items=%d", n); strings.Count(log.String(), want) != 1 {
				t.Errorf("%d strings: %q, want one line with %q", n, log.String(), want)
			}
		}
	}
}

// TestExplainStrings: where strings would be sorted, what goes there and comes back, and what there cannot be.
func TestExplainStrings(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		x, err := gpusort.ExplainStrings(s, 1<<20, 10<<20)
		if err != nil {
			t.Fatal(err)
		}
		if x.Items != 1<<20 || x.Predicted <= 0 || x.Why == "" {
			t.Errorf("%+v", x)
		}
		if err := gpusort.SortStringsWith(t.Context(), s, stringsOn(textKinds[0].texts(3000))); err != nil {
			t.Fatal(err)
		}
		if r := s.Last(); r.Device != x.Device || r.Algorithm != x.Algorithm {
			t.Errorf("sorted by %q on %s, explained by %q on %s", r.Algorithm, r.Device, x.Algorithm, x.Device)
		}
		if x.Device != "cpu" && (x.Algorithm != "strings" || len(x.Steps) == 0 || x.TransferBytes != 10<<20+4*(1<<20+1)+4<<20) {
			t.Errorf("%+v", x)
		}
		for _, c := range [][2]int{{-1, 1}, {1, -1}} {
			if x, err := gpusort.ExplainStrings(s, c[0], c[1]); !errors.Is(err, gpusort.ErrUnsupported) {
				t.Errorf("%d strings of %d bytes: %+v, %v", c[0], c[1], x, err)
			}
		}
	})
}

package cluster

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

// gzipped is text packed as two members, as parts of a log that were joined.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range []string{text[:len(text)/3], text[len(text)/3:]} {
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestPacked: packed files beside one that is not, in each format, some of them in order
// themselves, are sorted as one process sorts what is in them.
func TestPacked(t *testing.T) {
	for _, c := range sortCases {
		for _, folder := range []string{"file://" + t.TempDir() + "/", "mem://packed/" + c.name + "/"} {
			t.Run(c.name+" "+folder[:4], func(t *testing.T) {
				h := small()
				files := c.inputs(t, h, folder+"plain/", 6000)
				files[2] = string(c.sorted(t, files[2:])) // as logs are: the first rows say little of it
				want := c.sorted(t, files)
				put(t, h, folder+"in/0"+c.ext+".gz", gzipped(t, files[0]))
				put(t, h, folder+"in/1"+c.ext, files[1])
				put(t, h, folder+"in/2"+c.ext+".gz", gzipped(t, files[2]))
				m, err := tasks(t.Context(), small, folder, "*", c.order, 4, 5)
				if err != nil {
					t.Fatal(err)
				}
				if got := c.joined(t, h, folder, m); !bytes.Equal(got, want) {
					t.Fatalf("got %d bytes, want %d:\n%.300q\n%.300q", len(got), len(want), got, want)
				}
				c.balanced(t, m)
				if v, err := h.Verify(t.Context(), folder+"out/manifest.json"); err != nil || v.Wrong != "" || v.Rows != m.Rows {
					t.Errorf("verified: %+v, %v", v, err)
				}
			})
		}
	}
}

// TestPackedSample: the sample of a packed file that takes many reads has its rows evenly spaced,
// with their places in what is in it, and the bytes that they stand for.
func TestPackedSample(t *testing.T) {
	h, folder := small(), "mem://packed-sample/"
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "%08d %x\n", i, r.Uint64()>>r.IntN(60))
	}
	text := b.String()
	put(t, h, folder+"a.log.gz", gzipped(t, text))
	s, err := h.Sample(t.Context(), SampleOptions{URLs: []string{folder + "a.log.gz"}, Order: Order{Header: -1}, Samples: 1000}, folder+"sample.json")
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for i, p := range s.Samples {
		end := strings.IndexByte(text[p.At:], '\n')
		if got := text[p.At:][:end]; got != string(p.Key) {
			t.Fatalf("at %d the key is %q, and the row %q", p.At, p.Key, got)
		}
		if i > 0 && (p.At-s.Samples[i-1].At)*int64(len(s.Samples)) > int64(2*len(text)) {
			t.Errorf("no sample between %d and %d", s.Samples[i-1].At, p.At)
		}
		bytes += p.Bytes
	}
	if n := len(s.Samples); n < 1000 || n > 3000 {
		t.Errorf("%d samples", n)
	}
	if size := int64(len(text)); bytes < size*9/10 || bytes > size {
		t.Errorf("they stand for %d bytes of %d", bytes, size)
	}
	cut, err := h.Cut(t.Context(), CutOptions{Samples: []string{folder + "sample.json"}, RangeSize: int64(len(text) / 7)}, folder+"splitters.json")
	if err != nil || cut.Ranges < 6 || cut.Ranges > 8 {
		t.Errorf("%d ranges, %v: the size of a range is one of rows", cut.Ranges, err)
	}
}

// TestPackedFaults: an error of the store while a packed file is read is none of its data.
func TestPackedFaults(t *testing.T) {
	folder := "mem://packed-faults/"
	put(t, small(), folder+"in/a.csv.gz", gzipped(t, "a,b\n"+strings.Repeat("1,2\n", 1<<16)))
	calls, most := atomic.Int64{}, int64(1<<40)
	sample := func() error {
		h := hostWith(func() bool { return calls.Add(1) > most })
		_, err := h.Sample(t.Context(), SampleOptions{URLs: []string{folder + "in/*"}, Order: Order{By: "b", Header: -1}}, folder+"sample.json")
		return err
	}
	if err := sample(); err != nil {
		t.Fatal(err)
	}
	most = calls.Swap(0) / 2
	if err := sample(); err == nil || Final(err) || !errors.Is(err, errFault) {
		t.Errorf("behind %d calls: %v (final: %v)", most, err, Final(err))
	}
}

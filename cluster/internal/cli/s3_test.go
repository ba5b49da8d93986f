package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/gpusort/gpusort/cluster"
	"github.com/gpusort/gpusort/cluster/internal/store"
)

// s3 is an S3 server of this process that counts requests and fails some of them.
type s3 struct {
	http.Handler
	mu       sync.Mutex
	r        *rand.Rand
	failing  int // calls of a hundred
	requests map[string]int
	in, out  int64
}

func (s *s3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	fail := s.r.IntN(100) < s.failing
	s.requests[r.Method]++
	s.in += max(0, r.ContentLength)
	s.mu.Unlock()
	if fail {
		http.Error(w, "<Error><Code>SlowDown</Code></Error>", http.StatusServiceUnavailable)
		return
	}
	s.Handler.ServeHTTP(&sized{w, s}, r)
}

type sized struct {
	http.ResponseWriter
	s *s3
}

func (w *sized) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.s.mu.Lock()
	w.s.out += int64(n)
	w.s.mu.Unlock()
	return n, err
}

// newS3 starts a server, and returns it with what follows a URL's key.
func newS3(t *testing.T) (*s3, string) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	backend := s3mem.New()
	if err := backend.CreateBucket("b"); err != nil {
		t.Fatal(err)
	}
	s := &s3{Handler: gofakes3.New(backend).Server(), r: rand.New(rand.NewPCG(1, 1)), requests: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, "?endpoint=" + server.URL + "&use_path_style=true&region=us-east-1&response_checksum_validation=when_required&request_checksum_calculation=when_required"
}

// TestS3: records are sorted in S3, with one call of twenty failing: nothing is left, and data are read
// and written twice.
func TestS3(t *testing.T) {
	store.Fast()
	s, params := newS3(t)
	ctx := t.Context()
	stores := &store.Stores{}
	l, err := stores.Locate(ctx, "s3://b/in/a.bin"+params)
	if err != nil {
		t.Fatal(err)
	}
	n, most := 1_000_000, 2.02
	if testing.Short() {
		n, most = 60_000, 2.3 // of which a sample reads a larger part
	}
	data := make([]byte, 100*n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(data)
	if err := l.Put(ctx, l.Key, data, false); err != nil {
		t.Fatal(err)
	}
	sum := func(key string) string {
		at := l.At(key)
		size, err := at.Size(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		in, err := at.Open(ctx, key, 0, size)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		h := sha256.New()
		io.Copy(h, in)
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	var want []string
	for _, failing := range []int{0, 5} {
		s.mu.Lock()
		s.failing, s.in, s.out, s.requests = failing, 0, 0, map[string]int{}
		s.mu.Unlock()
		out := fmt.Sprintf("s3://b/out%d/%s", failing, params)
		m := runS3(t, ctx, out, "s3://b/in/*.bin"+params)
		t.Logf("%d%% failing: %v, %.3f of the data read and %.3f written", failing, s.requests, float64(s.out)/float64(len(data)), float64(s.in)/float64(len(data)))
		if read, written := float64(s.out)/float64(len(data)), float64(s.in)/float64(len(data)); failing == 0 && (read > most || written > most) {
			t.Errorf("%.3f of the data are read, and %.3f written", read, written)
		}
		s.failing = 0
		var got []string
		for _, o := range m.Objects {
			got = append(got, sum(fmt.Sprintf("out%d/%s", failing, o.Object)))
		}
		if want == nil {
			want = got
		} else if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Error("other bytes come out when calls fail")
		}
		if _, all, err := stores.Find(ctx, fmt.Sprintf("s3://b/out%d/%s", failing, params)); err != nil || len(all) != len(m.Objects)+1 {
			t.Errorf("%v, %v in the output", all, err)
		}
		if _, all, err := stores.Find(ctx, fmt.Sprintf("s3://b/out%d/_work/*%s", failing, params)); err == nil {
			t.Errorf("%v is left", all)
		}
	}
	// An upload that was not finished goes.
	begun := l.At("out0/part-00009.bin")
	w, err := begun.Create(ctx, begun.Key, 1, 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte("x"), 40<<20)); err != nil {
		t.Fatal(err)
	}
	swept := 0
	for tries := 0; swept == 0 && tries < 200; tries++ { // it begins in another goroutine
		if swept, err = begun.Sweep(ctx, "out0/"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if swept != 1 {
		t.Errorf("%d uploads swept", swept)
	}
	w.Abort()
}

// runS3 sorts as an engine does, which tries again.
func runS3(t *testing.T, ctx context.Context, out, in string) *cluster.Output {
	t.Helper()
	for tries := 0; ; tries++ {
		h := &cluster.Host{Memory: 64 << 20, Workers: 2}
		m, _, err := h.Run(ctx, cluster.RunOptions{
			SampleOptions: cluster.SampleOptions{URLs: []string{in}, Order: cluster.Order{Record: 100, Keys: []string{"0:10"}, Header: -1}, Samples: 5000},
			Ranges:        3, Tasks: 3, Parallel: 2,
		}, out)
		if err == nil {
			return m
		}
		if tries == 20 {
			t.Fatal(err)
		}
	}
}

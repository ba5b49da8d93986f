package patient

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// TestGivesUp: a read and a write that nobody serves end with the context.
func TestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		ends := make(chan error, 2)
		go func() {
			_, err := Reader{ctx, r}.Read(make([]byte, 1))
			ends <- err
		}()
		r2, w2 := io.Pipe()
		go func() {
			_, err := Writer{ctx, w2}.Write([]byte("x"))
			ends <- err
		}()
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-ends; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
		w.Close()
		r2.Close()
	})
}

// TestPasses: what does not wait is as if there were no context, and the words
// after its end get out.
func TestPasses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	go func() {
		Writer{ctx, w}.Write([]byte("ab"))
		cancel()
		Writer{ctx, w}.Write([]byte("c"))
		w.Close()
	}()
	if b, err := io.ReadAll(Reader{t.Context(), r}); string(b) != "abc" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if n, err := (Reader{ctx, r}).Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

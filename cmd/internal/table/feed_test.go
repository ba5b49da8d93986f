package table

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestFeedRoom: pieces are read ahead as far as there is room, the first of them, too, and the
// rows come in the order of the pieces.
func TestFeedRoom(t *testing.T) {
	const batch, room, batches = 1000, 4500, 50
	for _, workers := range []int{1, 2, 5} {
		synctest.Test(t, func(t *testing.T) {
			var made atomic.Int64
			var want []byte
			var pieces []piece
			for p := range 5 {
				for i := range batches {
					want = append(want, bytes.Repeat([]byte{byte(p*batches + i)}, batch)...)
				}
				pieces = append(pieces, func(emit func([]byte) ([]byte, error)) error {
					var b []byte
					for i := range batches {
						made.Add(1)
						b = append(b[:0:min(cap(b), batch)], bytes.Repeat([]byte{byte(p*batches + i)}, batch)...)
						var err error
						if b, err = emit(b); err != nil {
							return err
						}
					}
					return nil
				})
			}
			f := newFeed(t.Context(), pieces, workers, room)
			synctest.Wait()
			// In queues, in the hands of workers, and of the head besides.
			if n, most := int(made.Load()), room/batch+workers+headBatches; n > most {
				t.Errorf("%d workers: %d batches are read ahead, at most %d have room", workers, n, most)
			}
			got, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d workers: %d of %d bytes, %v", workers, len(got), len(want), err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	// Batches longer than the room come all the same.
	long := func(emit func([]byte) ([]byte, error)) error {
		_, err := emit(make([]byte, 3*room))
		return err
	}
	f := newFeed(t.Context(), []piece{long, long, func(func([]byte) ([]byte, error)) error { return fmt.Errorf("the end") }}, 3, room)
	if got, err := io.ReadAll(f); len(got) != 6*room || err == nil || err.Error() != "the end" {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	f.Close()
}

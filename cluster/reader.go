package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cluster/internal/store"
)

// Objects of stores are read in chunks, some of them ahead, since one request alone is slow.
const (
	mostChunk  = 8 << 20
	leastChunk = 256 << 10
	aheadReads = 3
)

// chunkBytes is the length of chunks: with those ahead they take a part of the memory.
func (h *Host) chunkBytes() int64 {
	return int64(max(leastChunk, min(mostChunk, h.memory()/(16*(aheadReads+2)))))
}

// read reads a file from a place on. end is about where the reading will end.
func (h *Host) read(ctx context.Context, l store.Location, at, end, size int64) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	r := &chunks{ctx: ctx, cancel: cancel, l: l, at: at, end: end, size: size, chunk: h.chunkBytes(), ahead: aheadReads}
	if l.Local() {
		r.chunk, r.ahead = 1<<50, 1 // one request, which is read as it comes
	}
	return r
}

// chunks reads a file by several requests at a time.
type chunks struct {
	ctx           context.Context
	cancel        func()
	l             store.Location
	at, end, size int64 // of what is to be asked for
	chunk         int64
	ahead         int
	queue         []chan chunk
	now           io.Reader
	in            io.ReadCloser // of one request
}

// chunk is what a request brought.
type chunk struct {
	b   []byte
	err error
}

// next is how much is asked for: up to end by chunks, and beyond it little.
func (c *chunks) next() int64 {
	if c.at < c.end {
		return min(c.chunk, c.end-c.at)
	}
	return min(leastChunk, c.size-c.at)
}

func (c *chunks) Read(b []byte) (int, error) {
	if c.l.Local() {
		return c.readFile(b)
	}
	for {
		if c.now != nil {
			n, err := c.now.Read(b)
			if n > 0 {
				return n, nil
			}
			if err != io.EOF {
				return 0, err
			}
			c.now = nil
		}
		for len(c.queue) < c.ahead && c.at < c.size && (c.at < c.end || len(c.queue) == 0) {
			c.ask()
		}
		if len(c.queue) == 0 {
			return 0, io.EOF
		}
		got := <-c.queue[0]
		if c.queue = c.queue[1:]; got.err != nil {
			return 0, fmt.Errorf("%v: %w", c.l, got.err)
		}
		c.now = bytes.NewReader(got.b)
	}
}

func (c *chunks) readFile(b []byte) (int, error) {
	if c.in == nil {
		var err error
		if c.in, err = c.l.Open(c.ctx, c.l.Key, c.at, c.size-c.at); err != nil {
			return 0, fmt.Errorf("%v: %w", c.l, err)
		}
	}
	return c.in.Read(b)
}

// ask begins the next request.
func (c *chunks) ask() {
	at, n := c.at, c.next()
	c.at += n
	got := make(chan chunk, 1)
	c.queue = append(c.queue, got)
	go func() {
		b, err := fetch(c.ctx, c.l, at, n)
		got <- chunk{b, err}
	}()
}

// fetch reads n bytes of an object.
func fetch(ctx context.Context, l store.Location, at, n int64) ([]byte, error) {
	r, err := l.Open(ctx, l.Key, at, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}

func (c *chunks) Close() error {
	c.cancel()
	for _, q := range c.queue {
		<-q
	}
	if c.in != nil {
		return c.in.Close()
	}
	return nil
}

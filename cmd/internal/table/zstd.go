package table

import (
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// zstdPages packs pages with encoders that take little memory and are kept. Those of the
// Parquet package have windows for 4 MiB, 8 MiB each, and are made anew after each collection
// of garbage.
type zstdPages struct {
	compress.ErrorCodec
	compress.StreamingCodec

	mu   sync.Mutex
	free []*zstd.Encoder // the last one that was used is the first one to be used again
}

// pageWindow is the window: pages have about as many bytes at most.
const pageWindow = 1 << 20

func init() {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		return
	}
	whole, ok := codec.(compress.ErrorCodec)
	stream, streams := codec.(compress.StreamingCodec)
	if ok && streams {
		compress.RegisterCodec(compress.Codecs.Zstd, &zstdPages{ErrorCodec: whole, StreamingCodec: stream})
	}
}

// EncodeLevel implements compress.Codec.
func (z *zstdPages) EncodeLevel(dst, src []byte, level int) []byte {
	if level != zstdLevel {
		return z.ErrorCodec.EncodeLevel(dst, src, level)
	}
	e, err := z.encoder()
	if err != nil {
		return z.ErrorCodec.EncodeLevel(dst, src, level)
	}
	dst = e.EncodeAll(src, dst[:0])
	z.mu.Lock()
	defer z.mu.Unlock()
	z.free = append(z.free, e)
	return dst
}

// encoder returns one that is free, or a new one: there are as many as pages are packed at once.
func (z *zstdPages) encoder() (e *zstd.Encoder, err error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if n := len(z.free); n > 0 {
		e, z.free = z.free[n-1], z.free[:n-1]
		return e, nil
	}
	return zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(zstdLevel)), zstd.WithWindowSize(pageWindow),
		zstd.WithEncoderConcurrency(1), zstd.WithAllLitEntropyCompression(true), zstd.WithLowerEncoderMem(true))
}

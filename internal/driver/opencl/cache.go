package opencl

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"

	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// cacheVersion changes with the files' layout; it is part of every key.
const cacheVersion = "gpusort program cache 1\n"

// cache is a folder of program binaries, one file per key: cacheVersion, the
// SHA-256 of the binary, the binary. It never fails: what cannot be read is not
// there, what cannot be written is built again next time. "" caches nothing.
type cache string

func openCache() cache {
	dir, err := cachedir.Path(backend)
	if err != nil {
		return ""
	}
	return cache(dir)
}

func (c cache) file(key string) string { return filepath.Join(string(c), key+".bin") }

// load returns nil for an absent or a damaged file; it removes the latter.
func (c cache) load(key string) []byte {
	if c == "" {
		return nil
	}
	b, err := os.ReadFile(c.file(key))
	if err != nil {
		return nil
	}
	rest, ok := bytes.CutPrefix(b, []byte(cacheVersion))
	if ok && len(rest) > sha256.Size {
		sum, bin := rest[:sha256.Size], rest[sha256.Size:]
		if got := sha256.Sum256(bin); bytes.Equal(sum, got[:]) {
			return bin
		}
	}
	c.remove(key)
	return nil
}

func (c cache) store(key string, bin []byte) {
	if c == "" {
		return
	}
	sum := sha256.Sum256(bin)
	// What cannot be kept is built again.
	_ = cachedir.Write(c.file(key), bytes.Join([][]byte{[]byte(cacheVersion), sum[:], bin}, nil))
}

func (c cache) remove(key string) {
	if c != "" {
		os.Remove(c.file(key))
	}
}

package opencl

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
)

// CacheEnv is the environment variable that names the cache's folder; "off"
// switches the cache off.
const CacheEnv = "GPUSORT_CACHE"

// cacheVersion changes with the files' layout; it is part of every key.
const cacheVersion = "gpusort program cache 1\n"

// cache is a folder of program binaries, one file per key: cacheVersion, the
// SHA-256 of the binary, the binary. It never fails: what cannot be read is not
// there, what cannot be written is built again next time. "" caches nothing.
type cache string

func openCache() cache {
	switch dir := os.Getenv(CacheEnv); dir {
	case "off":
		return ""
	case "":
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return cache(filepath.Join(user, "gpusort", backend))
	default:
		return cache(filepath.Join(dir, backend))
	}
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

// store writes to a temporary file and renames it, so that a reader, of this or
// another process, sees the whole file or none.
func (c cache) store(key string, bin []byte) {
	if c == "" || os.MkdirAll(string(c), 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(string(c), key+".tmp*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(bin)
	_, err = f.Write(bytes.Join([][]byte{[]byte(cacheVersion), sum[:], bin}, nil))
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), c.file(key))
	}
	if err != nil {
		os.Remove(f.Name())
	}
}

func (c cache) remove(key string) {
	if c != "" {
		os.Remove(c.file(key))
	}
}

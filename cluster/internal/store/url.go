package store

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
)

// Location is an object or a prefix in a store.
type Location struct {
	Store
	Key    string
	prefix string // of the URL, before the key
	params string // of the URL, with their question mark
}

// String returns the URL.
func (l Location) String() string { return l.URL(l.Key) }

// URL is that of another key of the same store.
func (l Location) URL(key string) string { return l.prefix + key + l.params }

// At is the location of a key of the same store.
func (l Location) At(key string) Location {
	l.Key = key
	return l
}

// Beside is the location of a name in the same folder.
func (l Location) Beside(name string) Location {
	return l.At(l.Key[:strings.LastIndexByte(l.Key, '/')+1] + name)
}

// Below is the location of a name below the location.
func (l Location) Below(name string) Location {
	if l.Key != "" && !strings.HasSuffix(l.Key, "/") {
		name = "/" + name
	}
	return l.At(l.Key + name)
}

// Stores are those that a process has open.
type Stores struct {
	Counts Counts
	// Wrap, if not nil, is put around each store, below the tries: for tests that have calls fail.
	Wrap func(Store) Store

	mu   sync.Mutex
	open map[string]Store
}

// Locate finds the store of a URL.
func (s *Stores) Locate(ctx context.Context, text string) (Location, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "file" {
		if ok {
			text = strings.TrimPrefix(rest, "localhost")
		}
		name, err := filepath.Abs(text)
		if err != nil {
			return Location{}, err
		}
		name = filepath.ToSlash(name)
		if strings.HasSuffix(text, "/") && name != "/" {
			name += "/"
		}
		st, err := s.store(ctx, "file://", func() (Store, error) { return files{}, nil })
		return Location{st, name, "file://", ""}, err
	}
	params := ""
	if i := strings.LastIndexByte(rest, '?'); i >= 0 && strings.Contains(rest[i:], "=") {
		rest, params = rest[:i], rest[i:]
	}
	bucket, key, _ := strings.Cut(rest, "/")
	if bucket == "" {
		return Location{}, fmt.Errorf("%s names no bucket: write %s://BUCKET/KEY", text, scheme)
	}
	base := scheme + "://" + bucket
	st, err := s.store(ctx, base+params, func() (Store, error) { return openBucket(ctx, scheme, bucket, base+params) })
	return Location{st, key, base + "/", params}, err
}

// store returns the store of a name, which is opened once.
func (s *Stores) store(_ context.Context, name string, open func() (Store, error)) (Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.open[name]; st != nil {
		return st, nil
	}
	st, err := open()
	if err != nil {
		return nil, err
	}
	if s.Wrap != nil {
		st = s.Wrap(st)
	}
	st = &tried{Store: &counted{st, &s.Counts}, name: name}
	if s.open == nil {
		s.open = map[string]Store{}
	}
	s.open[name] = st
	return st, nil
}

// openBucket opens a bucket by gocloud.dev. The schemes are those whose packages are linked.
func openBucket(ctx context.Context, scheme, name, text string) (Store, error) {
	if scheme == "mem" {
		return inMemory(name), nil
	}
	if !blob.DefaultURLMux().ValidBucketScheme(scheme) {
		return nil, fmt.Errorf("%s: the stores are s3://, gs://, azblob:// and file://", text)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	b, err := blob.DefaultURLMux().OpenBucketURL(context.WithoutCancel(ctx), u)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", text, err)
	}
	return &bucket{b, name}, nil
}

var (
	memory   = map[string]Store{}
	memoryMu sync.Mutex
)

// inMemory is the bucket mem://NAME of this process.
func inMemory(name string) Store {
	memoryMu.Lock()
	defer memoryMu.Unlock()
	if memory[name] == nil {
		memory[name] = &bucket{memblob.OpenBucket(nil), name}
	}
	return memory[name]
}

// Find returns the objects that a URL stands for, in the order of their keys: one, those that its
// pattern matches, or, if it ends in a slash, all below but for names that begin with . or _.
func (s *Stores) Find(ctx context.Context, text string) (l Location, all []Object, err error) {
	if l, err = s.Locate(ctx, text); err != nil {
		return l, nil, err
	}
	folder := strings.HasSuffix(l.Key, "/") || l.Key == ""
	meta := strings.IndexAny(l.Key, "*?[")
	if !folder && meta < 0 {
		n, err := l.Size(ctx, l.Key)
		if err != nil {
			err = fmt.Errorf("%s: %w", text, err)
		}
		return l, []Object{{l.Key, n}}, err
	}
	prefix := l.Key
	if meta >= 0 {
		if prefix = l.Key[:meta]; strings.Contains(l.Key[meta:], "/") {
			return l, nil, fmt.Errorf("%s: only the last part of a URL may have *, ? and [", text)
		}
		if _, err := path.Match(l.Key, ""); err != nil {
			return l, nil, fmt.Errorf("%s: %w: is a [ without its ]?", text, err)
		}
	}
	err = l.List(ctx, prefix, func(o Object) error {
		name := path.Base(o.Key)
		if folder {
			for part := range strings.SplitSeq(o.Key[len(prefix):], "/") {
				if part == "" || part[0] == '.' || part[0] == '_' {
					return nil
				}
			}
		} else if ok, _ := path.Match(l.Key, o.Key); !ok || name[0] == '.' {
			return nil
		}
		all = append(all, o)
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no object has such a name: %w", text, ErrNotExist)
	}
	return l, all, err
}

// Local reports whether the location is a file of this machine.
func (l Location) Local() bool { return l.prefix == "file://" }

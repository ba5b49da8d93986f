// Package build turns the device sources into what internal/kernel embeds:
// machine code, PTX and flattened OpenCL C, with a manifest that ties every
// image to the sources, compiler, flags and policy it was made from.
package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

var includeLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"]+)"`)

// resolve finds the file that an include names: beside the including file, or
// under the backend's root.
func resolve(root, from, name string) (string, error) {
	for _, dir := range []string{filepath.Dir(from), root} {
		p := filepath.Join(dir, name)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s includes %q, which is neither beside it nor in %s", from, name, root)
}

// closure lists file and all that it includes, directly or not, sorted.
func closure(root, file string) ([]string, error) {
	seen := map[string]bool{}
	var visit func(string) error
	visit = func(f string) error {
		if seen[f] {
			return nil
		}
		seen[f] = true
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		for _, m := range includeLine.FindAllSubmatch(text, -1) {
			p, err := resolve(root, f, string(m[1]))
			if err != nil {
				return err
			}
			if err := visit(p); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(filepath.Clean(file)); err != nil {
		return nil, err
	}
	var out []string
	for f := range seen {
		out = append(out, f)
	}
	sort.Strings(out)
	return out, nil
}

// flatten replaces each include by the file's text, every time it is included:
// a file that holds for several settings of its macros is included once for
// each, and one that must be there once has a guard. A file that includes
// itself is an error.
func flatten(root, file string) ([]byte, error) {
	open := map[string]bool{}
	var visit func(string) ([]byte, error)
	visit = func(f string) ([]byte, error) {
		if open[f] {
			return nil, fmt.Errorf("%s includes itself", f)
		}
		open[f] = true
		defer delete(open, f)
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		for _, line := range bytes.SplitAfter(text, []byte("\n")) {
			m := includeLine.FindSubmatch(line)
			if m == nil {
				out.Write(line)
				continue
			}
			p, err := resolve(root, f, string(m[1]))
			if err != nil {
				return nil, err
			}
			inner, err := visit(p)
			if err != nil {
				return nil, err
			}
			out.Write(inner)
		}
		return out.Bytes(), nil
	}
	return visit(filepath.Clean(file))
}

// hashFiles is the SHA-256 over the names relative to repo, with forward
// slashes, and contents of files in the given order. internal/kernel has the
// same function for its test.
func hashFiles(repo string, files []string) (string, []string, error) {
	h := sha256.New()
	var names []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return "", nil, err
		}
		rel, err := filepath.Rel(repo, f)
		if err != nil {
			return "", nil, err
		}
		rel = filepath.ToSlash(rel)
		fmt.Fprintf(h, "%s %d\n", rel, len(text))
		h.Write(text)
		names = append(names, rel)
	}
	return hex.EncodeToString(h.Sum(nil)), names, nil
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// stem is a file name without folder and extension: the module's name.
func stem(f string) string {
	return strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))
}

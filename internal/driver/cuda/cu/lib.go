//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Lib is a loaded driver library. Its functions are safe for concurrent use.
type Lib struct {
	// Path is the name under which the library was found.
	Path   string
	handle uintptr
	fn     [symbols]uintptr
}

// MissingError says which required functions a driver library lacks.
type MissingError struct {
	Path    string
	Symbols []string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: driver too old: needs %s", e.Path, strings.Join(e.Symbols, ", "))
}

var (
	openMu sync.Mutex
	opened = map[string]*Lib{}
)

// Open loads the driver library at path, or from the system's usual names if
// path is empty. A library is loaded once for the life of the process; Open
// with the same path returns the same Lib. The error is the loader's own words
// or a *MissingError.
func Open(path string) (*Lib, error) {
	openMu.Lock()
	defer openMu.Unlock()
	if l := opened[path]; l != nil {
		return l, nil
	}
	names := driverNames
	if path != "" {
		names = []string{path}
	}
	h, name, err := openFirst(names)
	if err != nil {
		return nil, err
	}
	l := &Lib{Path: name, handle: h}
	var missing []string
	for id, t := range table {
		for _, n := range strings.Fields(t.names) {
			if l.fn[id] = symbol(h, n); l.fn[id] != 0 {
				break
			}
		}
		if l.fn[id] == 0 && !t.optional {
			missing = append(missing, strings.Fields(t.names)[0])
		}
	}
	if missing != nil {
		return nil, &MissingError{name, missing}
	}
	opened[path] = l
	return l, nil
}

// openFirst loads the first of names that exists. The error is that of the
// first name: the others are fallbacks.
func openFirst(names []string) (h uintptr, name string, err error) {
	for _, n := range names {
		h, e := openLibrary(n)
		if e == nil {
			return h, n, nil
		}
		if err == nil {
			err = e
		}
	}
	return 0, "", err
}

// Extra finds a function of the library that has no method here: a vendor's
// extension, or a test double's controls. It returns nil if there is none.
func (l *Lib) Extra(name string) func(args ...uintptr) uintptr {
	p := symbol(l.handle, name)
	if p == 0 {
		return nil
	}
	return func(args ...uintptr) uintptr {
		r, _, _ := purego.SyscallN(p, args...)
		return r
	}
}

// call is for set-up calls: it allocates its argument list. Pointers are
// converted in the argument list itself, which keeps what they point to alive
// and off the stack until the call returns.
//
//go:uintptrescapes
func (l *Lib) call(s sym, args ...uintptr) Result {
	if l.fn[s] == 0 {
		return NotSupported
	}
	r, _, _ := purego.SyscallN(l.fn[s], args...)
	return Result(int32(r))
}

// cstring returns s with a terminating zero byte.
func cstring(s string) []byte { return append([]byte(s), 0) }

// gostring is the text before the first zero byte.
func gostring(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// text reads a constant C string that the library owns.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

//go:build !nogpu && !android && (linux || darwin || freebsd || windows) && (amd64 || arm64)

package peer

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The structs of include/gpusort_peer.h, field by field.
type (
	cSorter struct {
		name       [32]byte
		doc        [160]byte
		version    [64]byte
		memory     uint32
		keyTypes   uint32
		modes      uint32
		valueBytes uint32
		flags      uint32
		pairTypes  uint32
		maxItems   uint64
	}
	cProblem struct {
		keyType, mode, valueBytes, desc uint32
		items                           uint64
		device                          int32
		threads                         uint32
	}
	cBuffers struct {
		keys, keysAlt, values, valuesAlt, temp uintptr
		tempBytes                              uint64
		stream                                 uintptr
		result, reserved                       uint32
	}
)

// Library is a loaded library. It stays loaded until the process ends, because
// libraries that start threads or hold a device context cannot be unloaded
// safely.
type Library struct {
	// Path is the absolute path.
	Path string
	// Operators are what it has besides sorts.
	Operators []Operator
	fn        struct{ get, tempBytes, sort, err, operationBytes, operate uintptr }
}

// Sorter is one sorter of a library. One goroutine uses a library at a time.
type Sorter struct {
	Info
	Library *Library
	index   uint32
}

// maxSorters bounds the list of a library whose gpusort_peer_get never ends.
const maxSorters = 256

// Load opens the library at an absolute path, as Paths returns it, and lists
// its sorters. The error says what is missing or which version it speaks.
func Load(path string) (*Library, []Sorter, error) {
	h, err := open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("peer library %s: %w", path, err)
	}
	l := &Library{Path: path}
	var abi uintptr
	for _, s := range []struct {
		name string
		to   *uintptr
	}{
		{"gpusort_peer_abi", &abi}, {"gpusort_peer_get", &l.fn.get}, {"gpusort_peer_temp_bytes", &l.fn.tempBytes},
		{"gpusort_peer_sort", &l.fn.sort}, {"gpusort_peer_error", &l.fn.err},
	} {
		if *s.to = symbol(h, s.name); *s.to == 0 {
			return nil, nil, fmt.Errorf("peer library %s: no function %s: build it with include/gpusort_peer.h", path, s.name)
		}
	}
	if v, _, _ := purego.SyscallN(abi); uint32(v) != ABI {
		return nil, nil, fmt.Errorf("peer library %s: built for interface version %d, this program speaks %d: rebuild it", path, uint32(v), ABI)
	}
	var out []Sorter
	for i, c := range listed(l.fn.get) {
		s := Sorter{Library: l, index: uint32(i), Info: Info{
			Name: text(c.name[:]), Doc: text(c.doc[:]), Version: text(c.version[:]), Memory: Memory(c.memory),
			KeyTypes: c.keyTypes, PairTypes: c.pairTypes, Modes: c.modes, ValueBytes: c.valueBytes,
			Flags: Flags(c.flags), MaxItems: c.maxItems,
		}}
		if s.PairTypes == 0 {
			s.PairTypes = s.KeyTypes
		}
		if s.Name == "" || s.Memory != Host && s.Memory != CUDA {
			return nil, nil, fmt.Errorf("peer library %s: sorter %d has no name or an unknown memory kind %d", path, i, c.memory)
		}
		out = append(out, s)
	}
	l.Operators = l.operators(h)
	return l, out, nil
}

// listed is what a function like gpusort_peer_get fills in, one after the other.
func listed(get uintptr) (all []*cSorter) {
	for i := range uintptr(maxSorters) {
		c := new(cSorter)
		if call(get, c, i, uintptr(unsafe.Pointer(c))) != 0 {
			break
		}
		all = append(all, c)
	}
	return all
}

func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// call pins obj, which the arguments point to, for the time of the call.
func call(fn uintptr, obj any, args ...uintptr) int32 {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(obj)
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}

func (p Problem) c(m Memory) cProblem {
	c := cProblem{
		keyType: uint32(p.Type), mode: uint32(p.Mode), valueBytes: uint32(p.ValueBytes),
		items: p.Items, device: int32(p.Device), threads: uint32(p.Threads),
	}
	if p.Order.Desc {
		c.desc = 1
	}
	if m == Host {
		c.device = -1
	}
	return c
}

// TempBytes returns the temporary storage that Sort needs for p.
func (s Sorter) TempBytes(p Problem) (uint64, error) {
	x := &struct {
		p     cProblem
		bytes uint64
	}{p: p.c(s.Memory)}
	code := call(s.Library.fn.tempBytes, x, uintptr(s.index), uintptr(unsafe.Pointer(&x.p)), uintptr(unsafe.Pointer(&x.bytes)))
	if code != 0 {
		return 0, s.failed("temporary storage", p, code)
	}
	return x.bytes, nil
}

// Sort sorts p in b. alternate says that the result lies in KeysAlt and
// ValuesAlt. A CUDA sort may still be running on the stream when it returns.
// The calling goroutine should be locked to its thread for CUDA.
func (s Sorter) Sort(p Problem, b Buffers) (alternate bool, err error) {
	x := &struct {
		p cProblem
		b cBuffers
	}{p: p.c(s.Memory), b: cBuffers{
		keys: b.Keys, keysAlt: b.KeysAlt, values: b.Values, valuesAlt: b.ValuesAlt,
		temp: b.Temp, tempBytes: b.TempBytes, stream: b.Stream,
	}}
	code := call(s.Library.fn.sort, x, uintptr(s.index), uintptr(unsafe.Pointer(&x.p)), uintptr(unsafe.Pointer(&x.b)))
	if code != 0 {
		return false, s.failed("sort", p, code)
	}
	return x.b.result == 1, nil
}

func (s Sorter) failed(op string, p Problem, code int32) error {
	return fmt.Errorf("peer %s: %s of %d %v %v: %s (code %d)", s.Name, op, p.Items, p.Type, p.Mode, s.Library.reason(code), code)
}

// reason is what the library says of a code.
func (l *Library) reason(code int32) string {
	b := new([256]byte)
	call(l.fn.err, b, uintptr(uint32(code)), uintptr(unsafe.Pointer(b)), uintptr(len(b)))
	b[len(b)-1] = 0
	return cmp.Or(text(b[:]), "no reason given")
}

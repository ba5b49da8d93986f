package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/tune"
)

// oldestPTX is the compute capability times ten that the embedded PTX needs.
const oldestPTX = 61

// images returns the device code of a module for a backend, best image first.
// The module's name may carry macros (kernel.SplitVariant).
func (e *Engine) images(backend, module string) ([]driver.Image, error) {
	if e.cfg.Images != nil {
		return e.cfg.Images(backend, module)
	}
	name, macros := kernel.SplitVariant(module)
	list, err := kernel.Images(backend, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	var out []driver.Image
	for _, i := range list {
		data, err := i.Data()
		if err != nil {
			return nil, err
		}
		m := driver.Image{Name: name, Data: data, Hash: i.SHA256}
		switch arch, cubin := strings.CutPrefix(i.Target, "sm_"); {
		case cubin:
			m.Format = driver.Cubin
			if m.Arch, err = strconv.Atoi(arch); err != nil {
				return nil, fmt.Errorf("device code %s: target %q: %w", name, i.Target, err)
			}
		case i.Target == "ptx":
			m.Format, m.Arch = driver.PTX, oldestPTX
		default:
			m.Format = driver.OpenCLC
			m.Options = strings.TrimSpace(strings.Join(i.Flags, " ") + " " + macros)
			h := sha256.Sum256([]byte(i.SHA256 + "\n" + m.Options))
			m.Hash = hex.EncodeToString(h[:])
		}
		out = append(out, m)
	}
	return out, nil
}

// checkPolicy compares the policy hash that loaded code carries with that of
// the Go table, so that launches never use another geometry than the kernels
// were compiled for. Only CUDA code carries one; OpenCL C gets its geometry
// when it is built.
func (s *session) checkPolicy(name string, m driver.Module) error {
	if s.caps.Backend != "cuda" || s.e.cfg.Images != nil {
		return nil
	}
	want, ok := tune.Hash("cuda", name, tune.CUDATarget(s.caps))
	if !ok {
		return nil
	}
	k, err := m.Kernel(kernel.Plain(name, "policy").Symbol)
	if err != nil {
		return fmt.Errorf("device code %s carries no policy hash: %w", name, err)
	}
	got, err := s.readWord(k)
	if err != nil {
		return fmt.Errorf("policy hash of device code %s: %w", name, err)
	}
	if got != want {
		return fmt.Errorf("%w: device code %s has policy %016x, the program %016x: they were not built together",
			driver.ErrUnsupported, name, got, want)
	}
	return nil
}

// readWord runs a kernel of one thread that writes 8 bytes.
func (s *session) readWord(k driver.Kernel) (w uint64, err error) {
	q, err := s.dev.NewQueue()
	if err != nil {
		return 0, err
	}
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	defer func() { keep(q.Close()) }()
	b, err := s.dev.Alloc(8)
	if err != nil {
		return 0, err
	}
	defer func() { keep(b.Close()) }()
	if err := q.Launch(k, driver.Launch{Grid: driver.Dim{X: 1}, Block: driver.Dim{X: 1}, Args: []driver.Arg{{Buf: b}}}); err != nil {
		return 0, err
	}
	if err := q.CopyOut(unsafe.Pointer(&w), b, 0, 8); err != nil {
		return 0, err
	}
	return w, q.Synchronize()
}

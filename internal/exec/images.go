package exec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/tune"
)

// Code returns the device code of a module for a backend, best image first.
// The module's name may carry macros (kernel.SplitVariant).
func (x *Executor) Code(backend, module string) ([]driver.Image, error) {
	if x.Images != nil {
		return x.Images(backend, module)
	}
	name, macros := kernel.SplitVariant(module)
	var out []driver.Image
	for _, i := range kernel.Images(backend, name) {
		data, err := i.Data()
		if err != nil {
			return nil, err
		}
		m := driver.Image{Name: name, Data: data, Arch: i.Arch(), Hash: i.SHA256}
		switch {
		case i.PTX():
			m.Format = driver.PTX
		case backend == "cuda":
			m.Format = driver.Cubin
		default:
			m.Format = driver.OpenCLC
			m.Options = strings.TrimSpace(strings.Join(i.Flags, " ") + " " + macros)
			h := sha256.Sum256([]byte(i.SHA256 + "\n" + m.Options))
			m.Hash = hex.EncodeToString(h[:])
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: this build has no device code %q for %s", driver.ErrUnsupported, name, backend)
	}
	return out, nil
}

// policyTarget names the rows of the policy table that a module was built
// from: on CUDA the device says, on OpenCL the macro GS_TARGET_….
func (s *Session) policyTarget(module string) string {
	if s.caps.Backend == "cuda" {
		return tune.CUDATarget(s.caps)
	}
	_, target, _ := strings.Cut(module, "GS_TARGET_")
	target, _, _ = strings.Cut(target, ",")
	return strings.ToLower(target)
}

// checkPolicy compares the policy hash that loaded code carries with that of
// the Go table, so that launches never use another geometry than the kernels
// were compiled for.
func (s *Session) checkPolicy(module string, m driver.Module) error {
	if s.x.Images != nil {
		return nil
	}
	name, _ := kernel.SplitVariant(module)
	want, ok := tune.Hash(s.caps.Backend, name, s.policyTarget(module))
	if !ok {
		return nil
	}
	k, err := m.Kernel(kernel.PolicyEntry(name).Symbol)
	if err != nil {
		return fmt.Errorf("device code %s carries no policy hash: %w", module, err)
	}
	got, err := s.readWord(k)
	if err != nil {
		return fmt.Errorf("policy hash of device code %s: %w", module, err)
	}
	if got != want {
		return fmt.Errorf("%w: device code %s has policy %016x, the program %016x: they were not built together",
			driver.ErrUnsupported, module, got, want)
	}
	return nil
}

// readWord runs a kernel of one thread that writes 8 bytes.
func (s *Session) readWord(k driver.Kernel) (w uint64, err error) {
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

//go:build amd64 || arm64

package child

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

func problemOf(j wire.Job) plan.Problem { return plan.Problem{Type: j.Type, Items: j.Items} }

// newWork prepares a job. The device is opened before rights are given up,
// because drivers start helpers then; the submission is loaded after.
func newWork(j wire.Job, m shared) (work, error) {
	var dev *device
	if j.Device != "cpu" {
		var err error
		if dev, err = openDevice(j, m); err != nil {
			return nil, unable{err}
		}
	}
	if j.Confine {
		// Only a library is code that could start something. OpenCL compilers on
		// the processor start a linker.
		if err := confine(j.Kind != "so"); err != nil {
			return nil, unable{err}
		}
	}
	switch {
	case j.Kind == "so":
		return newLibrary(j, m, dev)
	case dev == nil && j.Kind == "reference":
		return hostReference(j, m)
	case dev == nil && j.Kind == "copy":
		w := &hostWork{m: m, i: wire.Info{Host: true, Device: "cpu"}}
		n := m.Keys.Bytes
		w.run = func() (bool, error) {
			copy(m.mem[m.Alt.Off:][:n], m.mem[m.Keys.Off:][:n])
			return true, nil
		}
		return w, nil
	case dev == nil:
		return nil, fmt.Errorf("a .%s submission needs an OpenCL or CUDA device; cpu is none (PoCL is opencl:N)", j.Kind)
	case j.Kind == "reference":
		return dev.reference()
	case j.Kind == "copy":
		return dev.copyWork()
	}
	return dev.kernels()
}

// hostWork sorts in the shared memory itself.
type hostWork struct {
	m   shared
	i   wire.Info
	run func() (alternate bool, err error)
}

func (w *hostWork) info() wire.Info { return w.i }
func (w *hostWork) load() error     { return nil }
func (w *hostWork) fetch() error    { return nil }
func (w *hostWork) sort() (int64, bool, error) {
	alternate, err := w.run()
	return 0, alternate, err
}

func hostReference(j wire.Job, m shared) (work, error) {
	h, err := catalog.HostAlgorithm(j.Algo)
	if err != nil {
		return nil, err
	}
	p := problemOf(j)
	w := &hostWork{m: m, i: wire.Info{Host: true, Device: "cpu", Sorter: h.Name}}
	w.run = func() (bool, error) {
		return false, h.Run(op.Job{Spec: p, At: op.Memory{m.at(m.Keys.Off)}}, catalog.HostOptions{Ctx: context.Background()})
	}
	return w, nil
}

// newLibrary loads a library, chooses its sorter and prepares the call.
func newLibrary(j wire.Job, m shared, dev *device) (work, error) {
	_, list, err := peer.Load(j.Path)
	if err != nil {
		return nil, unloadable{err}
	}
	s, err := chooseSorter(list, j)
	if err != nil {
		return nil, err
	}
	pr := peer.Problem{Problem: problemOf(j), Device: -1}
	if s.Memory == peer.CUDA {
		if dev == nil {
			return nil, fmt.Errorf("%s sorts CUDA memory: give --device cuda:0", s.Name)
		}
		return dev.library(s, pr)
	}
	if dev != nil {
		return nil, fmt.Errorf("%s sorts host memory: give --device cpu", s.Name)
	}
	temp, err := tempBytes(s, pr, j)
	if err != nil {
		return nil, err
	}
	w := &hostWork{m: m, i: wire.Info{Host: true, Device: "cpu", Sorter: s.Name, Temp: temp}}
	b := peer.Buffers{Keys: uintptr(m.at(m.Keys.Off)), TempBytes: temp}
	if s.Flags&peer.Alternate != 0 {
		b.KeysAlt = uintptr(m.at(m.Alt.Off))
	}
	if temp > 0 {
		b.Temp = uintptr(m.at(m.Temp.Off))
	}
	w.run = func() (bool, error) { return s.Sort(pr, b) }
	return w, nil
}

func tempBytes(s peer.Sorter, pr peer.Problem, j wire.Job) (uint64, error) {
	temp, err := s.TempBytes(pr)
	if err == nil && temp > j.TempLimit {
		err = fmt.Errorf("%s asks for %d bytes of temporary storage, the limit is %d", s.Name, temp, j.TempLimit)
	}
	return temp, err
}

func chooseSorter(list []peer.Sorter, j wire.Job) (peer.Sorter, error) {
	name, known := filepath.Base(j.Path), make([]string, len(list))
	for i, s := range list {
		known[i] = s.Name
	}
	why := fmt.Errorf("%s lists no sorter: %w", name, driver.ErrUnsupported)
	if j.Sorter != "" && len(list) > 0 {
		why = fmt.Errorf("%s has no sorter %q: known are %s", name, j.Sorter, strings.Join(known, ", "))
	}
	for _, s := range list {
		if j.Sorter != "" && s.Name != j.Sorter {
			continue
		}
		if err := s.Supports(problemOf(j)); err != nil {
			why = err
			continue
		}
		return s, nil
	}
	return peer.Sorter{}, why
}

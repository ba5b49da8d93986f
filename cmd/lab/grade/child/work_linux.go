//go:build amd64 || arm64

package child

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
)

// newWork prepares a job.
func newWork(j wire.Job, m shared, dev *device) (work, error) {
	switch {
	case j.Kind == "so":
		return newLibrary(j, m, dev)
	case j.Kind == "nothing":
		return &hostWork{run: func() (bool, error) { return false, nil }}, nil
	case dev == nil && j.Kind == "reference":
		return hostReference(j, m)
	case dev == nil && j.Kind == "copy":
		w := &hostWork{}
		w.run = func() (bool, error) {
			copy(m.mem[m.Alt.Off:][:m.Keys.Bytes], m.mem[m.Keys.Off:][:m.Keys.Bytes])
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
	i   wire.Info
	run func() (alternate bool, err error)
}

func (w *hostWork) info() wire.Info     { return w.i }
func (w *hostWork) load() error         { return nil }
func (w *hostWork) fetch(bool) error    { return nil }
func (w *hostWork) sort() (bool, error) { return w.run() }

func hostReference(j wire.Job, m shared) (work, error) {
	h, err := catalog.HostAlgorithm(j.Algo)
	if err != nil {
		return nil, err
	}
	w := &hostWork{i: wire.Info{Sorter: h.Name}}
	at := op.Memory{m.at(m.Keys.Off)}
	if j.Spec.Mode != op.Keys {
		at[op.ValuesIO] = m.at(m.Values.Off)
	}
	w.run = func() (bool, error) {
		return false, h.Run(op.Job{Spec: j.Spec, At: at}, catalog.HostOptions{Ctx: context.Background(), Workers: j.Threads})
	}
	return w, nil
}

// newLibrary loads a library, chooses its sorter and prepares the call.
func newLibrary(j wire.Job, m shared, dev *device) (work, error) {
	path, err := codeFile("submission.so")
	if err != nil {
		return nil, err
	}
	_, list, err := peer.Load(path)
	if err != nil {
		return nil, unloadable{underName(err, path, j.Name)}
	}
	s, err := chooseSorter(list, j)
	if err != nil {
		return nil, err
	}
	pr := peer.Problem{Problem: j.Spec, Device: -1, Threads: j.Threads}
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
	w := &hostWork{i: wire.Info{Sorter: s.Name, Temp: temp}}
	at := func(r wire.Region, used bool) uintptr {
		if !used || r.Bytes == 0 {
			return 0
		}
		return uintptr(m.at(r.Off))
	}
	alternate := s.Flags&peer.Alternate != 0
	b := peer.Buffers{
		Keys: at(m.Keys, true), KeysAlt: at(m.Alt, alternate), Values: at(m.Values, true), ValuesAlt: at(m.ValuesAlt, alternate),
		Temp: at(m.Temp, temp > 0), TempBytes: temp,
	}
	w.run = func() (bool, error) { return s.Sort(pr, b) }
	return w, nil
}

// underName is the error of loading the library at path, with the name that the author knows it by.
func underName(err error, path, name string) error {
	said := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "peer library "+path+": "), path+": ")
	return errors.New(name + ": " + strings.ReplaceAll(said, path, name))
}

func tempBytes(s peer.Sorter, pr peer.Problem, j wire.Job) (uint64, error) {
	temp, err := s.TempBytes(pr)
	if err == nil && temp > j.TempLimit {
		err = fmt.Errorf("%s asks for %d bytes of temporary storage, the limit is %d", s.Name, temp, j.TempLimit)
	}
	return temp, err
}

func chooseSorter(list []peer.Sorter, j wire.Job) (peer.Sorter, error) {
	known := make([]string, len(list))
	for i, s := range list {
		known[i] = s.Name
	}
	why := fmt.Errorf("%s lists no sorter: %w", j.Name, driver.ErrUnsupported)
	if j.Sorter != "" && len(list) > 0 {
		why = fmt.Errorf("%s has no sorter %q: known are %s", j.Name, j.Sorter, strings.Join(known, ", "))
	}
	for _, s := range list {
		if j.Sorter != "" && s.Name != j.Sorter {
			continue
		}
		can := s.Info
		if !j.Stable {
			can.Flags |= peer.Stable // it need not be
		}
		if err := can.Supports(j.Spec); err != nil {
			why = err
			continue
		}
		return s, nil
	}
	return peer.Sorter{}, why
}

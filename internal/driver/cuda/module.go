//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// module is loaded code. It also implements driver.GlobalFinder.
type module struct {
	d    *device
	h    cu.Module
	name string

	mu      sync.Mutex
	kernels map[string]*kernel
}

// moduleKey tells images apart.
type moduleKey struct {
	name   string
	format driver.Format
	arch   int
	hash   string
}

// moduleCache holds a device's modules. mu is held while one is loaded, so that
// none is compiled twice.
type moduleCache struct {
	mu  sync.Mutex
	all map[moduleKey]*module
}

func (c *moduleCache) drain(l *cu.Lib, note func(string, cu.Result)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.all {
		note("cuModuleUnload", l.ModuleUnload(m.h))
	}
	c.all = nil
}

// runs reports whether code of an image can run on compute capability arch:
// machine code within its major version upwards, PTX upwards without end.
func runs(i *driver.Image, arch int) bool {
	switch i.Format {
	case driver.Cubin:
		return i.Arch/10 == arch/10 && i.Arch <= arch
	case driver.PTX:
		return i.Arch <= arch
	}
	return false
}

// LoadModule passes over an image that the driver refuses as unfit, for the
// sake of a later one; if none is left the error is the first refusal.
func (d *device) LoadModule(images []driver.Image) (driver.Module, error) {
	const op = "cuModuleLoadDataEx"
	var m *module
	err := d.do(op, func() error {
		d.modules.mu.Lock()
		defer d.modules.mu.Unlock()
		var refused error
		for i := range images {
			if !runs(&images[i], d.caps.Arch) {
				continue
			}
			var err error
			if m, err = d.load(&images[i]); err == nil {
				return nil
			}
			if !errors.Is(err, driver.ErrUnsupported) {
				return err
			}
			if refused == nil {
				refused = err
			}
		}
		if refused != nil {
			return refused
		}
		return d.noImage(op, images)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// load returns the module of an image, from the cache if it is there.
func (d *device) load(i *driver.Image) (*module, error) {
	key := moduleKey{i.Name, i.Format, i.Arch, i.Hash}
	if key.hash == "" {
		sum := sha256.Sum256(i.Data)
		key.hash = hex.EncodeToString(sum[:])
	}
	if m := d.modules.all[key]; m != nil {
		return m, nil
	}
	h, _, log, r := d.l.ModuleLoadDataEx(i.Data)
	if r != cu.Success {
		what := fmt.Sprintf("module %s, %s", i.Name, imageText(i))
		if log = strings.TrimSpace(log); log != "" {
			what += ": " + log
		}
		return nil, d.fail("cuModuleLoadDataEx", r, what)
	}
	m := &module{d: d, h: h, name: i.Name, kernels: map[string]*kernel{}}
	if d.modules.all == nil {
		d.modules.all = map[moduleKey]*module{}
	}
	d.modules.all[key] = m
	return m, nil
}

func imageText(i *driver.Image) string {
	switch i.Format {
	case driver.Cubin:
		return fmt.Sprintf("machine code for sm_%d", i.Arch)
	case driver.PTX:
		return fmt.Sprintf("PTX for sm_%d and newer", i.Arch)
	case driver.OpenCLC:
		return "OpenCL C"
	}
	return fmt.Sprintf("format %d", i.Format)
}

func (d *device) noImage(op string, images []driver.Image) error {
	name, have := "(none)", []string{}
	for i := range images {
		name = images[i].Name
		have = append(have, imageText(&images[i]))
	}
	if len(have) == 0 {
		have = append(have, "nothing")
	}
	return d.unsupported(op, fmt.Sprintf("module %s: the device is sm_%d, there is %s", name, d.caps.Arch, strings.Join(have, ", ")))
}

func (m *module) Kernel(name string) (driver.Kernel, error) {
	var k *kernel
	err := m.d.do("cuModuleGetFunction", func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if k = m.kernels[name]; k != nil {
			return nil
		}
		var err error
		if k, err = newKernel(m.d, m.h, m.name, name); err == nil {
			m.kernels[name] = k
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Global implements driver.GlobalFinder.
func (m *module) Global(name string) (driver.Buffer, error) {
	const op = "cuModuleGetGlobal_v2"
	var b *buffer
	err := m.d.do(op, func() error {
		p, n, r := m.d.l.ModuleGetGlobal(m.h, name)
		if r != cu.Success {
			return m.d.fail(op, r, fmt.Sprintf("variable %s of module %s", name, m.name))
		}
		b = &buffer{d: m.d, p: p, n: n}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

package fake

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
)

// module implements driver.Module.
type module struct {
	d       *device
	name    string
	kernels map[string]*kernel // under d.mu
}

// LoadModule takes any image that is not empty: kernels are registered by name.
func (d *device) LoadModule(images []driver.Image) (driver.Module, error) {
	if err := d.enter("LoadModule"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	if len(images) == 0 {
		return nil, d.errorf("LoadModule", "NO_IMAGE", driver.ErrUnsupported, "no image is given")
	}
	key := fmt.Sprintf("%s\x00%s\x00%s", images[0].Name, images[0].Options, images[0].Hash)
	m := d.modules[key]
	if m == nil {
		m = &module{d: d, name: images[0].Name, kernels: map[string]*kernel{}}
		d.modules[key] = m
	}
	return m, nil
}

func (m *module) Kernel(name string) (driver.Kernel, error) {
	if err := m.d.enter("Kernel"); err != nil {
		return nil, err
	}
	defer m.d.mu.Unlock()
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	m.d.drv.mu.Lock()
	f := m.d.drv.kernels[name]
	m.d.drv.mu.Unlock()
	if f == nil {
		return nil, m.d.errorf("Kernel", "UNKNOWN_KERNEL", nil, "module %s, kernel %q: no Go function is registered by that name", m.name, name)
	}
	k := &kernel{m.d, name, f}
	m.kernels[name] = k
	return k, nil
}

// kernel implements driver.Kernel.
type kernel struct {
	d    *device
	name string
	f    Func
}

func (k *kernel) Name() string { return k.name }

func (k *kernel) Attributes() (driver.Attributes, error) {
	return driver.Attributes{MaxThreadsPerBlock: k.d.caps.MaxThreadsPerBlock, WarpSize: k.d.caps.WarpSize}, nil
}

func (q *queue) Launch(kn driver.Kernel, l driver.Launch) error {
	if err := q.enter("Launch"); err != nil {
		return err
	}
	defer q.d.mu.Unlock()
	k, ok := kn.(*kernel)
	if !ok || k.d != q.d {
		return q.d.errorf("Launch", "INVALID_KERNEL", nil, "the kernel is not of this device")
	}
	if l.Cooperative {
		return q.d.errorf("Launch", "UNSUPPORTED", driver.ErrUnsupported, "kernel %s: no cooperative launches", k.name)
	}
	b := extent(l.Block)
	if threads := uint64(b.X) * uint64(b.Y) * uint64(b.Z); threads > uint64(q.d.caps.MaxThreadsPerBlock) {
		return q.d.errorf("Launch", "INVALID_BLOCK", nil, "kernel %s: %d threads a block, at most %d", k.name, threads, q.d.caps.MaxThreadsPerBlock)
	}
	if uint64(l.SharedBytes) > q.d.caps.SharedPerBlockMax {
		return q.d.errorf("Launch", "INVALID_SHARED", nil, "kernel %s: %d bytes of shared memory, at most %d", k.name, l.SharedBytes, q.d.caps.SharedPerBlockMax)
	}
	args, moved, err := q.args(k, l.Args)
	if err != nil {
		return err
	}
	q.work = append(q.work, command{func() {
		if failed := run(k.f, l, args); failed != "" {
			q.d.lost = q.d.errorf("Launch", "ILLEGAL_ACCESS", driver.ErrDeviceLost, "kernel %s, %s", k.name, failed)
		}
	}, moved})
	return nil
}

// args resolves the arguments. A launch counts as moving every buffer it gets.
func (q *queue) args(k *kernel, in []driver.Arg) (args []arg, moved uint64, err error) {
	for i, a := range in {
		if a.Buf == nil {
			if a.Size != 1 && a.Size != 2 && a.Size != 4 && a.Size != 8 {
				return nil, 0, q.d.errorf("Launch", "INVALID_ARGUMENT", nil, "kernel %s, argument %d: a value of %d bytes; 1, 2, 4 or 8 are possible", k.name, i, a.Size)
			}
			args = append(args, arg{val: a.Val & (^uint64(0) >> (64 - 8*a.Size)), size: a.Size})
			continue
		}
		if _, err := q.place("Launch", a.Buf, a.Off, 0); err != nil {
			return nil, 0, err
		}
		p := a.Buf.(*buffer).mem[a.Off:]
		args = append(args, arg{mem: p})
		moved += uint64(len(p))
	}
	return args, moved, nil
}

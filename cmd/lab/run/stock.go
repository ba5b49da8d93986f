package run

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// stock holds the buffers of one device from one group of cells to the next:
// page-locking a gigabyte takes longer than sorting it. A buffer that is too
// small is replaced by a larger one.
type stock struct {
	dev  driver.Device
	mem  map[string]driver.Buffer
	host map[string]driver.HostBuffer
	// flushes go before each sample; 0: not known yet (see prepareLead).
	flushes int
}

func newStock(d driver.Device) *stock {
	return &stock{dev: d, mem: map[string]driver.Buffer{}, host: map[string]driver.HostBuffer{}}
}

// buffer returns device memory of n bytes or more that has the name until the
// next call with it. What lies there is undefined.
func (s *stock) buffer(name string, n uint64) (driver.Buffer, error) {
	if b := s.mem[name]; b != nil {
		if b.Bytes() >= n {
			return b, nil
		}
		delete(s.mem, name)
		if err := b.Close(); err != nil {
			return nil, err
		}
	}
	b, err := s.dev.Alloc(n)
	if err != nil {
		return nil, fmt.Errorf("%s buffer of %d bytes: %w", name, n, err)
	}
	s.mem[name] = b
	return b, nil
}

// pinned is buffer for page-locked host memory.
func (s *stock) pinned(name string, n uint64) (unsafe.Pointer, error) {
	if h := s.host[name]; h != nil {
		if h.Bytes() >= n {
			return h.Pointer(), nil
		}
		delete(s.host, name)
		if err := h.Close(); err != nil {
			return nil, err
		}
	}
	h, err := s.dev.AllocHost(n)
	if err != nil {
		return nil, fmt.Errorf("page-locked memory for %s, %d bytes: %w", name, n, err)
	}
	s.host[name] = h
	return h.Pointer(), nil
}

// close frees everything. The stock is empty then, and can be used again.
func (s *stock) close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, b := range s.mem {
		errs = append(errs, b.Close())
	}
	for _, h := range s.host {
		errs = append(errs, h.Close())
	}
	clear(s.mem)
	clear(s.host)
	return errors.Join(errs...)
}

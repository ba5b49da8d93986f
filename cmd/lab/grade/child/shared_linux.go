//go:build amd64 || arm64

package child

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// shared is the memory that the grader reads and writes too.
type shared struct {
	wire.Layout
	mem []byte
}

func mapShared(j wire.Job) (shared, error) {
	s := shared{Layout: wire.LayoutOf(j)}
	var err error
	s.mem, err = unix.Mmap(wire.FDMem, 0, int(s.Bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return s, fmt.Errorf("map shared memory of %d bytes: %w", s.Bytes, err)
	}
	return s, nil
}

// at is the address of a place.
func (s shared) at(off uint64) unsafe.Pointer { return unsafe.Pointer(&s.mem[off]) }

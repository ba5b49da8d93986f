//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// Launch allocates nothing on success.
func (q *queue) Launch(k driver.Kernel, l driver.Launch) error {
	const op = "cuLaunchKernel"
	kn, ok := k.(*kernel)
	if !ok || !kn.d.same(q.d) {
		return q.d.invalid(op, "the kernel is of another device")
	}
	if len(l.Args) > cu.MaxArgs {
		return q.d.invalid(op, fmt.Sprintf("kernel %s: %d arguments, at most %d", kn.name, len(l.Args), cu.MaxArgs))
	}
	for i := range l.Args {
		a := &l.Args[i]
		val := a.Val
		if a.Buf != nil {
			p, err := q.place(op, a.Buf, a.Off, 0)
			if err != nil {
				return fmt.Errorf("kernel %s, argument %d: %w", kn.name, i, err)
			}
			val = uint64(p)
		}
		q.f.SetArg(i, val)
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	defer q.d.leave(q.f, v)
	if kn.d.closed.Load() {
		return q.d.errClosed(op, "the kernel's device")
	}
	if l.SharedBytes > kn.dynamic.Load() {
		if err := kn.optIn(l.SharedBytes); err != nil {
			return err
		}
	}
	q.g = cu.Geometry{
		Grid: extent(l.Grid), Block: extent(l.Block), Shared: l.SharedBytes,
		Cooperative: l.Cooperative,
		// Only devices of compute capability 9.0 start early.
		Overlap: l.Overlap && q.d.caps.Arch >= 90,
	}
	if r := q.f.Launch(kn.h, &q.g, q.s); r != cu.Success {
		return q.launchError(kn, r)
	}
	return nil
}

func extent(d driver.Dim) [3]uint32 { return [3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// launchError describes the launch in q.g.
func (q *queue) launchError(k *kernel, r cu.Result) error {
	g := &q.g
	what := fmt.Sprintf("kernel %s, grid %v, block %v, %d bytes of dynamic shared memory", k.name, g.Grid, g.Block, g.Shared)
	if g.Cooperative {
		what += ", cooperative"
	}
	return q.d.fail(q.f.LaunchOp(g), r, what)
}

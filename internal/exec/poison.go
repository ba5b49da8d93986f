package exec

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// Under Config.Poison every scratch memory lies between two guards and is
// filled before each sort, so that a kernel which reads what it did not write,
// or writes outside its scratch, is found out.
const (
	poisonWord  = 0xa5c3a5c3
	poisonGuard = plan.ScratchAlign
)

// scratchRoom gives a plan its scratch.
func (l *lane) scratchRoom(p *prepared) (transfer.Place, error) {
	at, err := l.grow(plan.Scratch, l.s.x.scratchBytes(p))
	if l.s.x.Poison {
		at = at.Plus(poisonGuard)
	}
	return at, err
}

// scratchBytes is the memory of scratchRoom.
func (x *Executor) scratchBytes(p *prepared) uint64 {
	if x.Poison {
		return poisonedBytes(p)
	}
	return p.ScratchBytes
}

// poisonedBytes are the scratch of p with both guards: the one behind starts
// where the scratch ends.
func poisonedBytes(p *prepared) uint64 { return (p.ScratchBytes+3)&^3 + 2*poisonGuard }

func (l *lane) poison(p *prepared) error {
	if !l.s.x.Poison {
		return nil
	}
	return l.q.Memset(l.memory[plan.Scratch].buf, 0, poisonWord, poisonedBytes(p))
}

// unharmed checks the guards. The queue is idle.
func (l *lane) unharmed(p *prepared) error {
	if !l.s.x.Poison {
		return nil
	}
	var want, got [poisonGuard]byte
	for i := 0; i < len(want); i += 4 {
		*(*uint32)(unsafe.Pointer(&want[i])) = poisonWord
	}
	for _, off := range []uint64{0, poisonedBytes(p) - poisonGuard} {
		if err := l.q.CopyOut(unsafe.Pointer(&got), l.memory[plan.Scratch].buf, off, poisonGuard); err != nil {
			return err
		}
		if err := l.q.Synchronize(); err != nil {
			return err
		}
		if got != want {
			at := 0
			for bytes.Equal(got[at:at+1], want[at:at+1]) {
				at++
			}
			return fmt.Errorf("%s: a kernel wrote outside its scratch of %d bytes, at %d", p.Algorithm,
				p.ScratchBytes, int64(off)+int64(at)-poisonGuard)
		}
	}
	return nil
}

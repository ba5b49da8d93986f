package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// A group whose members reach each other's memory needs no safety copies on the host,
// which take the host's memory from the links. Each share is read into memory of its own,
// the first mirror, and is sorted in a copy of that. The next member has another copy, the
// second mirror. So the loss of any one member leaves the input of all shares.
//
// The caller's memory is not written before every member has made its part, so that only
// copies home are left to fail then. If a member and the next are both lost while these
// copies run, the input of a share is lost: driver.ErrInputLost.

// mirrors reports whether the members can keep the input of p, and need to.
func (g *Group) mirrors(p plan.Problem) bool {
	g.Reach()
	return g.direct && p.Mode != plan.Argsort && !g.x.Unsaved && !g.x.HostCopies
}

// mirrorBytes is the memory of member i's two mirrors.
func mirrorBytes(spec plan.Problem, d division, i int) uint64 {
	n := len(d.bounds) - 1
	own, before := spec, spec
	own.Items = d.bounds[i+1] - d.bounds[i]
	before.Items = d.bounds[(i+n-1)%n+1] - d.bounds[(i+n-1)%n]
	return mirrorSize(own) + mirrorSize(before)
}

// mirrorSize is the memory of a mirror of a share p: keys, and behind them values.
func mirrorSize(p plan.Problem) uint64 { return aligned(p.KeyBytes()) + aligned(p.ValuesBytes()) }

// inMirror are the places of member i's share in a mirror.
func (s *groupSort) inMirror(i int, b driver.Buffer) (at Places) {
	at[plan.KeysIO] = transfer.Place{Buf: b}
	at[plan.ValuesIO] = transfer.Place{Buf: b, Off: aligned(s.share(i).KeyBytes())}
	return at
}

// next is the member that has the second mirror of member i's share.
func (s *groupSort) next(i int) int { return (i + 1) % len(s.lanes) }

// mirrorRoom gives member i the memory of its two mirrors.
func (s *groupSort) mirrorRoom(i int) error {
	l, before := s.lanes[i], (i+len(s.lanes)-1)%len(s.lanes)
	_, err := l.growArena(&l.mirror[0], mirrorSize(s.share(i)))
	if err == nil {
		_, err = l.growArena(&l.mirror[1], mirrorSize(s.share(before)))
	}
	return s.named(i, err)
}

// unmirror frees what sorts before have left of mirrors, for one that needs the memory.
func (s *groupSort) unmirror() error {
	for i, l := range s.lanes {
		if err := l.unmirror(); err != nil {
			return s.named(i, err)
		}
	}
	return nil
}

// unmirror frees the lane's mirrors.
func (l *lane) unmirror() error { return errors.Join(l.mirror[0].free(), l.mirror[1].free()) }

// bring uploads spans of member i's share, by region, after which the member's work has
// them. Where shares are mirrored, the spans' places are in the first mirror, and the
// copies to the second one are queued beside.
func (s *groupSort) bring(i int, spans []transfer.Span) error {
	l := s.lanes[i]
	err := l.link.Upload(s.ctx, spans)
	if err != nil || !s.mirrored {
		return err
	}
	x, err := l.link.Beside()
	if err == nil {
		err = l.link.Follow(x[0])
	}
	own, next := s.inMirror(i, l.mirror[0].buf), s.next(i)
	for r, span := range spans {
		to := s.at[i][r].Plus(span.Dev.Off - own[r].Off)
		if err == nil {
			err = l.q.Copy(to.Buf, to.Off, span.Dev.Buf, span.Dev.Off, span.Bytes)
		}
		if err == nil {
			err = s.carry(next, x[0], transfer.Place{Buf: s.lanes[next].mirror[1].buf, Off: span.Dev.Off}, span.Dev, i, span.Bytes)
		}
	}
	return err
}

// restoreMirrored brings back the input of the shares that were being overwritten: from
// the members' own mirrors, and from the next ones' where that fails.
func (s *groupSort) restoreMirrored(parts []hostPart) error {
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i := range parts {
		if parts[i].touched {
			wg.Go(func() { errs[i] = s.restoreFrom(i, i, 0, parts[i].out) })
		}
	}
	wg.Wait()
	var lost []error
	for i, first := range errs {
		if first == nil {
			continue
		}
		if err := s.restoreFrom(i, s.next(i), 1, parts[i].out); err != nil {
			lost = append(lost, fmt.Errorf("%w of items %d to %d of the slice, which are partly overwritten: both devices that had copies of it failed: %w, %w: sort a copy of a slice that must survive the loss of all devices",
				driver.ErrInputLost, s.bounds[i], s.bounds[i+1], first, err))
		}
	}
	return errors.Join(lost...)
}

// restoreFrom brings back the input of member i's share from a mirror of a member's.
func (s *groupSort) restoreFrom(i, member, mirror int, out []transfer.Span) error {
	l := s.lanes[member]
	at := s.inMirror(i, l.mirror[mirror].buf)
	back := slices.Clone(out)
	for r := range back {
		back[r].Dev = at[r]
	}
	return s.named(member, l.link.Download(context.Background(), back, nil, nil))
}

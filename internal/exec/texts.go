package exec

import (
	"context"
	"fmt"
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// textsPart is how many strings are passed over, at most, to find the one that a copy begins in: half of
// them cost 0.3 µs, a copy of StageUnit bytes some 50.
const textsPart = 1 << 10

// Texts are byte strings in host memory, and where among all bytes each part of textsPart strings begins.
type Texts struct {
	op.Headers
	starts []uint64 // the last is where all end
}

// MeasureTexts sums the lengths of strings by so many goroutines.
func MeasureTexts(x op.Headers, hands int) *Texts {
	parts := (x.Len() + textsPart - 1) / textsPart
	t := &Texts{x, make([]uint64, parts+1)}
	const some = 16 // parts at a time
	workers.Each(hands, (parts+some-1)/some, func(i int) {
		for part := i * some; part < min((i+1)*some, parts); part++ {
			var sum uint64
			for row := part * textsPart; row < min((part+1)*textsPart, x.Len()); row++ {
				sum += uint64(x.Bytes(row))
			}
			t.starts[part+1] = sum
		}
	})
	for i := range parts {
		t.starts[i+1] += t.starts[i]
	}
	return t
}

// All is the size of all strings.
func (t *Texts) All() uint64 { return t.starts[len(t.starts)-1] }

// fill writes the n bytes of all strings from off on to dst.
func (t *Texts) fill(dst unsafe.Pointer, off, n uint64) {
	to := unsafe.Slice((*byte)(dst), n)
	part := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > off }) - 1
	row, skip := part*textsPart, off-t.starts[part]
	for ; row < t.Len() && skip >= uint64(t.Bytes(row)); row++ {
		skip -= uint64(t.Bytes(row))
	}
	for row < t.Len() && len(to) > 0 {
		next := min(row+textsAhead, t.Len())
		touchTexts(t.Headers, row, next)
		for ; row < next && len(to) > 0; row++ {
			to = to[copy(to, t.Text(row)[skip:]):]
			skip = 0
		}
	}
}

// textsAhead is how many strings are brought nearer before they are copied.
const textsAhead = 32

// touchTexts reads the first and the last byte of each of some strings, so that all are fetched from memory at
// once: strings in another order than in memory took 26 ns each in place of 48, others 6.1 in place of 5.0
// (BenchmarkPackTexts, 24 bytes, the least of 40, two cores of an AMD EPYC). Inlined, it would be left out.
//
//go:noinline
func touchTexts(x op.Headers, lo, hi int) (sum byte) {
	for i := lo; i < hi; i++ {
		if s := x.Text(i); s != "" {
			sum += s[0] + s[len(s)-1]
		}
	}
	return sum
}

// fillOffsets writes the n bytes of offsets of type O from off on to dst.
func fillOffsets[O uint32 | uint64](t *Texts) func(dst unsafe.Pointer, off, n uint64) {
	return func(dst unsafe.Pointer, off, n uint64) {
		size := uint64(unsafe.Sizeof(O(0)))
		to, first := unsafe.Slice((*O)(dst), n/size), int(off/size)
		part := first / textsPart
		at := t.starts[part]
		for row := part * textsPart; row < first; row++ {
			at += uint64(t.Bytes(row))
		}
		x, rows := t.Headers, min(len(to), t.Len()-first)
		for i := range rows {
			to[i] = O(at)
			at += uint64(x.Bytes(first + i))
		}
		if rows < len(to) {
			to[rows] = O(at) // where all end
		}
	}
}

// spans are what goes to the device for p at the given places.
func (t *Texts) spans(p op.Spec, at Places) []transfer.Span {
	offsets := transfer.Span{Dev: at[op.OtherIO], Bytes: (p.Items + 1) * uint64(p.Width), Fill: fillOffsets[uint32](t)}
	if p.Width == 8 {
		offsets.Fill = fillOffsets[uint64](t)
	}
	return []transfer.Span{{Dev: at[op.KeysIO], Bytes: t.All(), Fill: t.fill}, offsets}
}

// ArgsortTexts writes the positions that put strings in order to idx, by p, of kind op.Strings with positions of 4
// bytes. The strings are only read. After an error idx holds anything.
func (s *Session) ArgsortTexts(ctx context.Context, p op.Spec, t *Texts, idx []uint32, r *Result) (err error) {
	a, err := s.choose(p)
	if err != nil {
		return err
	}
	r.Algorithm = a.Name
	_, raised, err := s.pieces(a, p)
	if err != nil {
		return err
	}
	s.raise(raised, r)
	pr, err := s.prepare(a, p)
	if err != nil {
		return err
	}
	l, err := s.acquire()
	if err != nil {
		return err
	}
	l.link.Stagers = min(s.x.HostWorkers(), packers)
	defer func() {
		l.link.Stagers = 0
		if e := s.release(l, err != nil); err == nil && e != nil {
			s.x.Log.Warn("release of device memory failed", "device", s.id, "error", e)
		}
	}()
	s.x.enter("memory")
	at, err := roomy(s, func() (Places, error) { return l.room(pr) })
	if err != nil {
		return err
	}
	s.x.enter("upload")
	if err := l.link.Upload(ctx, t.spans(p, at)); err != nil {
		return fmt.Errorf("%s: %w", s.id, err)
	}
	s.x.enter("sort")
	e := p.Extents()
	if err := l.strings(ctx, pr, p, at, e[op.KeysIO].Bytes+e[op.ValuesIO].Bytes+e[op.OtherIO].Bytes, r); err != nil {
		return err
	}
	s.x.enter("download")
	down := []transfer.Span{{Host: unsafe.Pointer(unsafe.SliceData(idx)), Dev: at[plan.ValuesIO], Bytes: e[op.ValuesIO].Bytes}}
	s.x.markPinned(down)
	if err := l.link.Download(ctx, down, nil, nil); err != nil {
		return fmt.Errorf("%s: %w", s.id, err)
	}
	return nil
}

// packers is the most goroutines that pack strings, since each takes 4 MiB of page-locked memory.
const packers = 32

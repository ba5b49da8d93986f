// Package merging merges sorted slices of keys, and sorts by a comparison.
//
// A merge is cut into pieces of its output that fit a core's cache, at keys that a
// sample of all runs shows, so that workers have equal work and no key is so frequent
// that it could not be cut. Within a piece, runs are merged in pairs, or if they are many, sorted.
package merging

import (
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

const (
	// leastPiece is how much of the output of a few runs is merged in one go, which fits the level-2
	// cache, twice; of more runs perRun for each, up to mostPiece: every piece is looked for in each run.
	leastPiece, perRun, mostPiece = 1 << 15, 1 << 7, 1 << 17
	// leastStep is the least number of keys of a run between two that are sampled. Of
	// each run a piece has a step more at most.
	leastStep = 64
	// atOnce is the most runs that are merged in one piece, if that is all.
	atOnce = 16
	// sortedRuns is the least number of runs in a piece that is sorted instead: their order saves
	// less than so many passes cost.
	sortedRuns = 128
)

// Keys merges runs, each in the order o, into dst, which is as long as all together
// and overlaps none. Of equal keys those of the earlier run come first; with equal zeros
// the result is that of a sort, as if they did not tie. Scratch: for each worker
// 2^18 keys, or for more than 2,048 runs 2^17 and 64 a run, and for every piece of 2^15 to 2^17
// keys 8 bytes a run and the samples. The error is that of the context; dst
// then holds anything.
func Keys[T any](t key.Type, dst []T, runs [][]T, o key.Order, h cpu.Options) error {
	var m []key.Slice
	n := 0
	for _, r := range runs {
		n += len(r)
		if len(r) > 0 {
			m = append(m, key.Memory(r))
		}
	}
	if n != len(dst) {
		return op.Refuse("%d items of runs do not fit a destination of %d: both must be as many", n, len(dst))
	}
	return key.ByWidthTo16(t.Bytes(),
		merge[uint8], merge[uint16], merge[uint32], merge[uint64], mergeWide,
	)(key.Memory(dst), m, key.CodecOf(t, o), h)
}

// merger is one merge. codec has zeros tie where runs may hold them in any order.
type merger[U key.Word] struct {
	dst   []U
	runs  [][]U
	c     key.Codec // without equal zeros
	codec key.Map[U]
	ties  bool
	host  cpu.Options

	cuts   []cut   // where pieces but the first begin
	starts [][]int // where each piece begins in each run, and where the last ends
}

// cut is the place of a key: the first of a piece.
type cut struct{ run, at int }

func merge[U key.Word](out key.Slice, runs []key.Slice, c key.Codec, h cpu.Options) error {
	m := merger[U]{dst: key.Words[U](out), c: c &^ key.CodecEqualZeros, codec: key.MapOf[U](c), host: h}
	m.ties = c&key.CodecEqualZeros != 0
	for _, r := range runs {
		m.runs = append(m.runs, key.Words[U](r))
	}
	t := h.Team()
	n := len(m.dst)
	if n <= leastPiece && len(m.runs) <= atOnce {
		if err := h.Err(); err != nil {
			return err
		}
		m.starts = [][]int{make([]int, len(m.runs)), nil}
		for _, run := range m.runs {
			m.starts[1] = append(m.starts[1], len(run))
		}
		m.piece(0)
		return m.untie()
	}
	if len(m.runs)*leastStep > n {
		if err := appendAll(m.dst, m.runs, t); err != nil {
			return err
		}
		return cpu.Keys(m.dst, m.c, h)
	}
	if err := m.plan(t); err != nil {
		return err
	}
	m.starts = make([][]int, len(m.cuts)+2)
	if err := t.EachUntil(len(m.starts), m.divide); err != nil {
		return err
	}
	for i := range m.cuts { // they ascend, were the runs in no order
		for r, at := range m.starts[i] {
			m.starts[i+1][r] = max(at, m.starts[i+1][r])
		}
	}
	if err := t.EachUntil(len(m.cuts)+1, m.piece); err != nil {
		return err
	}
	return m.untie()
}

// mergeWide merges keys of 128 bits: it sorts them all.
func mergeWide(out key.Slice, runs []key.Slice, c key.Codec, h cpu.Options) error {
	var all [][]key.Octets
	for _, r := range runs {
		all = append(all, key.Words[key.Octets](r))
	}
	dst := key.Words[key.Octets](out)
	if err := appendAll(dst, all, h.Team()); err != nil {
		return err
	}
	return cpu.KeysWide(dst, c, h)
}

// appendAll copies the runs to dst, one behind the other.
func appendAll[U any](dst []U, runs [][]U, t team.Options) error {
	for _, r := range runs {
		if err := t.Steps(len(r), int(unsafe.Sizeof(*new(U))), func(lo, hi int) { copy(dst[lo:hi], r[lo:hi]) }); err != nil {
			return err
		}
		dst = dst[len(r):]
	}
	return nil
}

// plan samples the runs and cuts them.
func (m *merger[U]) plan(t team.Options) error {
	piece := min(max(leastPiece, perRun*len(m.runs)), mostPiece)
	step := max(leastStep, piece/4/max(1, len(m.runs)))
	var keys []U
	var places []cut
	for r, run := range m.runs {
		for at := step; at < len(run); at += step {
			keys = append(keys, m.codec.Of(run[at]))
			places = append(places, cut{r, at})
		}
	}
	order := make([]uint64, len(keys))
	if err := cpu.Argsort(keys, order, key.CodecUnsigned, m.host); err != nil {
		return err
	}
	pieces := min(len(m.dst)/piece, len(keys)) + 1
	for i := 1; i < pieces; i++ {
		m.cuts = append(m.cuts, places[order[i*len(keys)/pieces]])
	}
	return nil
}

// divide finds where the i-th piece begins in each run.
func (m *merger[U]) divide(i int) {
	at := make([]int, len(m.runs))
	m.starts[i] = at
	if i == 0 {
		return
	}
	if i > len(m.cuts) {
		for r, run := range m.runs {
			at[r] = len(run)
		}
		return
	}
	c := m.cuts[i-1]
	v := m.codec.Of(m.runs[c.run][c.at])
	for r, run := range m.runs {
		switch {
		case r < c.run:
			at[r] = sort.Search(len(run), func(i int) bool { return m.codec.Of(run[i]) > v })
		case r == c.run:
			at[r] = c.at
		default:
			at[r] = sort.Search(len(run), func(i int) bool { return m.codec.Of(run[i]) >= v })
		}
	}
}

// piece merges the i-th piece.
func (m *merger[U]) piece(i int) {
	from, to := m.starts[i], m.starts[i+1]
	at, n := 0, 0
	var runs [][]U
	for r, run := range m.runs {
		at += from[r]
		if from[r] < to[r] {
			n += to[r] - from[r]
			runs = append(runs, run[from[r]:to[r]])
		}
	}
	out := m.dst[at : at+n]
	if len(runs) >= sortedRuns {
		all := out
		for _, r := range runs {
			all = all[copy(all, r):]
		}
		// Without a context it cannot fail.
		_ = cpu.Keys(out, m.c, cpu.Options{Workers: 1})
		return
	}
	tmp, put := cpu.Buffer[U](n)
	defer put()
	if flip, ok := m.bits(runs); ok {
		into(out, tmp, runs, nil, flip)
		return
	}
	into(out, tmp, runs, m.encode, 0)
	cpu.Decode(out, out, m.c)
}

// encode writes the encoded keys of a run to out, those that tie in the order of their bits, too.
func (m *merger[U]) encode(out, run []U) {
	cpu.Encode(out, run, m.c)
	_ = m.tied(run, func(lo, hi int) error { return cpu.Keys(out[lo:hi], key.CodecUnsigned, cpu.Options{Workers: 1}) })
}

// bits reports whether the keys of the runs of a piece, which are not empty, are ordered as their bits are, each
// flipped by flip: so are numbers of one sign. It looks at their ends.
func (m *merger[U]) bits(runs [][]U) (flip U, ok bool) {
	if m.ties { // zeros of either sign may stand in any order
		return 0, false
	}
	sign := ^(^U(0) >> 1)
	side := U(0)
	for i, r := range runs {
		first, last := r[0], r[len(r)-1]
		if i == 0 {
			side = first & sign
		}
		if first&sign != side || last&sign != side || m.codec.IsNaN(first) || m.codec.IsNaN(last) {
			return 0, m.c == key.CodecUnsigned
		}
	}
	if m.codec.Of(side|1) < m.codec.Of(side) {
		flip = ^U(0)
	}
	return flip, true
}

// into merges the keys of runs, which encode writes first if it is not nil, in the order of their bits flipped by flip
// into out; tmp is as long.
func into[U key.Word](out, tmp []U, runs [][]U, encode func(out, run []U), flip U) {
	switch {
	case len(runs) == 0:
	case len(runs) == 1 && encode == nil:
		copy(out, runs[0])
	case len(runs) == 1:
		encode(out, runs[0])
	case len(runs) == 2 && encode == nil:
		two(out, runs[0], runs[1], flip)
	default:
		half := len(runs) / 2
		n := 0
		for _, r := range runs[:half] {
			n += len(r)
		}
		into(tmp[:n], out[:n], runs[:half], encode, flip)
		into(tmp[n:], out[n:], runs[half:], encode, flip)
		two(out, tmp[:n], tmp[n:], flip)
	}
}

// untie sorts by bits what ties in dst: a piece may end among them.
func (m *merger[U]) untie() error {
	return m.tied(m.dst, func(lo, hi int) error { return cpu.Keys(m.dst[lo:hi], m.c, m.host) })
}

// tied calls f for where the zeros and the NaNs of x are, if they tie.
func (m *merger[U]) tied(x []U, f func(lo, hi int) error) error {
	if !m.ties {
		return nil
	}
	for _, u := range []U{0, ^U(0)} { // a zero, and a NaN
		v := m.codec.Of(u)
		lo := sort.Search(len(x), func(i int) bool { return m.codec.Of(x[i]) >= v })
		hi := sort.Search(len(x), func(i int) bool { return m.codec.Of(x[i]) > v })
		if err := f(lo, hi); err != nil {
			return err
		}
	}
	return nil
}

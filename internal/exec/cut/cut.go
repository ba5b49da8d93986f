// Package cut finds where sorted runs are cut so that a given number of items lies before
// the cuts, with few looks at the items: the runs lie on devices, where a look costs some
// microseconds, whatever it reads.
//
// Items are in order of their encoded keys, then of their runs, then of their places. So
// equal keys are cut, too, a cut is exact whatever the keys are, and what lies between
// two cuts can be merged stably.
package cut

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Span is N items of a run from one on.
type Span struct {
	Run     int
	From, N uint64
}

// Read returns the keys of each of some spans, which are valid until the next call.
type Read func([]Span) ([]Keys, error)

// Keys are keys that were read. Each is encoded when it is asked for: of most blocks few are.
type Keys struct {
	n, from uint64
	at      func(i uint64) uint64
}

// KeysOf are n keys, of which at tells number i, encoded.
func KeysOf(n uint64, at func(i uint64) uint64) Keys { return Keys{n: n, at: at} }

// Len is their number.
func (k Keys) Len() uint64 { return k.n }

// At is number i of them.
func (k Keys) At(i uint64) uint64 { return k.at(k.from + i) }

// slice is n of them from one on.
func (k Keys) slice(from, n uint64) Keys { return Keys{n: n, from: k.from + from, at: k.at} }

// below is how many of them, which are sorted, are less than a key.
func (k Keys) below(key uint64) uint64 {
	return uint64(sort.Search(int(k.n), func(i int) bool { return k.At(uint64(i)) >= key }))
}

// Most is how many items of all runs are read at last. MostGuess is how many of each are
// read at first, about where the cuts are if the runs are alike.
const (
	Most      = 2048
	MostGuess = 1 << 16
)

// Runs are sorted runs whose cuts are known so far: some number of items of run i from
// Lo[i] to Hi[i] lies before the one that is looked for.
type Runs struct {
	Lo, Hi []uint64
	// Loose lets equal keys lie on both sides of a cut in every run, whatever their runs
	// and places: what lies between two cuts is then still all that belongs there of keys
	// alone.
	Loose bool
}

// Whole is runs of the given lengths.
func Whole(lengths []uint64) Runs {
	return Runs{Lo: make([]uint64, len(lengths)), Hi: slices.Clone(lengths)}
}

// At returns for each run how many of its items are among the first `rank` items of all.
// rank counts from the runs' first items, and lies in the bounds that r sets. r does not
// change.
//
// Runs that are alike need one look: see guess. Else each round looks at the middle of
// every run that is still open. A run's upper half goes if enough items lie before its
// middle, its lower half if too few may; what is left of a run bounds the others. So each
// round halves two runs, or nearly so. What is left at last is read whole.
func (r Runs) At(rank uint64, read Read) ([]uint64, error) {
	w := windows{lo: slices.Clone(r.Lo), hi: slices.Clone(r.Hi), rank: rank}
	if w.open() > 16*Most {
		if cuts, err := w.guess(read, r.Loose); cuts != nil || err != nil {
			return cuts, err
		}
	}
	return r.at(rank, read)
}

// at is At without a guess.
func (r Runs) at(rank uint64, read Read) ([]uint64, error) {
	w := windows{lo: slices.Clone(r.Lo), hi: slices.Clone(r.Hi), rank: rank, seen: make([]look, len(r.Lo))}
	for {
		w.bound()
		open := w.open()
		if open == 0 {
			return w.lo, nil
		}
		if open <= Most {
			return w.finish(read)
		}
		if err := w.look(read); err != nil {
			return nil, err
		}
		w.narrow()
	}
}

// look is an item that was read.
type look struct {
	at, key uint64
	known   bool
}

// windows are where the cuts may lie: run i's from lo[i] to hi[i].
type windows struct {
	lo, hi []uint64
	rank   uint64
	seen   []look // the middle of each run that is open
}

// sums are those of both ends.
func (w *windows) sums() (lo, hi uint64) {
	for i := range w.lo {
		lo, hi = lo+w.lo[i], hi+w.hi[i]
	}
	return lo, hi
}

// bound has each window keep to what the others leave it.
func (w *windows) bound() {
	for i := range w.lo {
		lo, hi := w.sums()
		// The others have at most hi−w.hi[i] before the cut, and at least lo−w.lo[i].
		if rest := hi - w.hi[i]; w.rank > rest {
			w.lo[i] = max(w.lo[i], w.rank-rest)
		}
		w.hi[i] = min(w.hi[i], w.rank-(lo-w.lo[i]))
	}
}

// open is the number of items in all windows.
func (w *windows) open() uint64 {
	lo, hi := w.sums()
	return hi - lo
}

// middle is the item of a window that is looked at.
func (w *windows) middle(i int) uint64 { return w.lo[i] + (w.hi[i]-w.lo[i])/2 }

// guess reads a block of each run about where the cut is if the runs are alike, such as
// shares of random keys, and returns the cuts if all lie within the blocks. A block is four
// times as long as the square root of its run, which is four standard deviations to both
// sides.
func (w *windows) guess(read Read, loose bool) ([]uint64, error) {
	lo, _ := w.sums()
	part := float64(w.rank-lo) / float64(w.open())
	inner := windows{lo: slices.Clone(w.lo), hi: slices.Clone(w.hi)}
	var want []Span
	blocks := make([]Keys, len(w.lo))
	for i := range w.lo {
		n := w.hi[i] - w.lo[i]
		half := min(uint64(2*math.Sqrt(float64(n)))+1, MostGuess/2)
		at := w.lo[i] + uint64(part*float64(n))
		inner.lo[i], inner.hi[i] = max(w.lo[i], at-min(at, half)), min(w.hi[i], at+half)
		if inner.lo[i] < inner.hi[i] {
			want = append(want, Span{i, inner.lo[i], inner.hi[i] - inner.lo[i]})
		}
	}
	first, last := inner.sums()
	if w.rank < first || w.rank > last {
		return nil, nil
	}
	got, err := read(want)
	if err != nil {
		return nil, err
	}
	for k, s := range want {
		blocks[s.Run] = got[k]
	}
	from, to := inner.lo, inner.hi
	within := func(spans []Span) (out []Keys, err error) {
		for _, s := range spans {
			out = append(out, blocks[s.Run].slice(s.From-from[s.Run], s.N))
		}
		return out, nil
	}
	cuts, err := Runs{Lo: from, Hi: to}.at(w.rank, within)
	if loose && err == nil {
		if cuts = w.loosen(cuts, from, to, blocks); cuts != nil {
			return cuts, nil
		}
		return nil, nil
	}
	for i, c := range cuts {
		// At an end of a block the items behind it may belong to the other side.
		if c == from[i] && c > w.lo[i] || c == to[i] && c < w.hi[i] {
			return nil, err
		}
	}
	return cuts, err
}

// loosen spreads the keys that are equal to the last one before the cuts over all runs,
// each as near to the middle of its block as it goes, and returns cuts that are known to be
// right; else nil.
func (w *windows) loosen(cuts, from, to []uint64, blocks []Keys) []uint64 {
	last := uint64(0) // the largest key before the cuts
	for i, c := range cuts {
		if c > from[i] {
			last = max(last, blocks[i].At(c-from[i]-1))
		}
	}
	out, sum := slices.Clone(cuts), uint64(0)
	low, high := slices.Clone(cuts), slices.Clone(cuts)
	for i, b := range blocks {
		if b.n == 0 {
			continue
		}
		end := b.n
		if last != ^uint64(0) {
			end = b.below(last + 1)
		}
		low[i], high[i] = from[i]+b.below(last), from[i]+end
		out[i] = min(max(from[i]+b.n/2, low[i]), high[i])
	}
	for _, c := range out {
		sum += c
	}
	for i := range out {
		if more := min(high[i]-out[i], w.rank-min(sum, w.rank)); more > 0 {
			out[i], sum = out[i]+more, sum+more
		}
		if less := min(out[i]-low[i], sum-min(sum, w.rank)); less > 0 {
			out[i], sum = out[i]-less, sum-less
		}
	}
	for i, c := range out {
		b := blocks[i]
		// What lies beyond a block is known only where the block ends in the same key.
		if c == from[i] && c > w.lo[i] && (b.n == 0 || b.At(0) != last) || c == to[i] && c < w.hi[i] && (b.n == 0 || b.At(b.n-1) != last) {
			return nil
		}
	}
	if sum != w.rank {
		return nil
	}
	return out
}

// look reads the middles that are not known.
func (w *windows) look(read Read) error {
	var want []Span
	for i := range w.lo {
		if at := w.middle(i); w.lo[i] < w.hi[i] && (!w.seen[i].known || w.seen[i].at != at) {
			want = append(want, Span{i, at, 1})
		}
	}
	if len(want) == 0 {
		return nil
	}
	got, err := read(want)
	if err != nil {
		return err
	}
	for k, s := range want {
		w.seen[s.Run] = look{s.From, got[k].At(0), true}
	}
	return nil
}

// narrow drops halves of windows by the items that were looked at.
func (w *windows) narrow() {
	var order []int // open runs by their middles' keys, then by number
	for i := range w.lo {
		if w.lo[i] < w.hi[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w.seen[a].key, w.seen[b].key) })
	var need, before uint64 // of the windows' items: before the cut, and before the middles
	lo, _ := w.sums()
	need = w.rank - lo
	all := w.open()
	after := uint64(0) // at or behind the middles
	for _, i := range order {
		before += w.seen[i].at - w.lo[i]
		after += w.hi[i] - w.seen[i].at
	}
	newLo, newHi := slices.Clone(w.lo), slices.Clone(w.hi)
	// From the last middle on: all items below the middles so far lie before it.
	for k := len(order) - 1; k >= 0 && before >= need; k-- {
		i := order[k]
		newHi[i] = w.seen[i].at
		before -= w.seen[i].at - w.lo[i]
	}
	// From the first on: all items from the middles on lie at or behind it.
	for k := 0; k < len(order) && all-after < need; k++ {
		i := order[k]
		newLo[i] = w.seen[i].at + 1
		after -= w.hi[i] - w.seen[i].at
	}
	w.lo, w.hi = newLo, newHi
}

// finish reads all windows and counts.
func (w *windows) finish(read Read) ([]uint64, error) {
	var want []Span
	lo, _ := w.sums()
	for i := range w.lo {
		if w.lo[i] < w.hi[i] {
			want = append(want, Span{i, w.lo[i], w.hi[i] - w.lo[i]})
		}
	}
	got, err := read(want)
	if err != nil {
		return nil, err
	}
	for need := w.rank - lo; need > 0; need-- {
		least := -1
		for k := range want {
			if got[k].n > 0 && (least < 0 || got[k].At(0) < got[least].At(0)) {
				least = k
			}
		}
		got[least] = got[least].slice(1, got[least].n-1)
		w.lo[want[least].Run]++
	}
	return w.lo, nil
}

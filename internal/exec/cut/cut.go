// Package cut finds where sorted runs are cut so that a given number of items lies before
// the cuts, with few looks at the items: the runs lie on devices, where a look costs some
// microseconds, whatever it reads.
//
// Items are in order of their encoded keys, then of their runs, then of their places. So
// equal keys are cut, too, a cut is exact whatever the keys are, and what lies between
// two cuts can be merged stably.
package cut

import "slices"

// Span is N items of a run from one on.
type Span struct {
	Run     int
	From, N uint64
}

// Read returns the encoded keys of each of some spans, of at most Most items in all.
type Read func([]Span) ([][]uint64, error)

// Most is how many items a Read is asked for at most, but for one of each run.
const Most = 2048

// Runs are sorted runs whose cuts are known so far: some number of items of run i from
// Lo[i] to Hi[i] lies before the one that is looked for.
type Runs struct{ Lo, Hi []uint64 }

// Whole is runs of the given lengths.
func Whole(lengths []uint64) Runs { return Runs{make([]uint64, len(lengths)), slices.Clone(lengths)} }

// At returns for each run how many of its items are among the first `rank` items of all.
// rank counts from the runs' first items, and lies in the bounds that r sets. r does not
// change.
//
// Each round looks at the middle of every run that is still open. A run's upper half goes
// if enough items lie before its middle, its lower half if too few may; what is left of a
// run bounds the others. So each round halves two runs, or nearly so. What is left at last
// is read whole.
func (r Runs) At(rank uint64, read Read) ([]uint64, error) {
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
		w.seen[s.Run] = look{s.From, got[k][0], true}
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
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case w.seen[a].key < w.seen[b].key:
			return -1
		case w.seen[a].key > w.seen[b].key:
			return 1
		}
		return 0
	})
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
			if len(got[k]) > 0 && (least < 0 || got[k][0] < got[least][0]) {
				least = k
			}
		}
		got[least] = got[least][1:]
		w.lo[want[least].Run]++
	}
	return w.lo, nil
}

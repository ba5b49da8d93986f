package run

import (
	"io"
	"runtime"
)

// spill writes the table's rows, in order, to a new run and empties the table.
func (f *former) spill() error {
	if !f.sorted {
		if err := f.order(); err != nil {
			return err
		}
	}
	f.sorted = false
	s, err := f.temps.newSpill(f.Format, 0)
	if err != nil {
		return err
	}
	f.runs = append(f.runs, s)
	f.Phase("spilling", 0)
	if err := f.emit(f.limited(s).write, nil); enough(err) != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	f.st.Runs++
	f.st.Spilled += s.bytes
	f.t.clear()
	return nil
}

// spillOn is spill while more rows come.
func (f *former) spillOn() error {
	if err := f.spill(); err != nil {
		return err
	}
	if len(f.runs) >= f.openRuns() {
		if err := f.fewer(); err != nil {
			return err
		}
	}
	f.takeRoom()
	f.Phase("reading", 0)
	return nil
}

// limited writes as many rows to a run as are wanted in all.
func (f *former) limited(s *spill) *output {
	o := f.Options
	if o.Count != nil {
		o.Top = 0
	}
	return o.output(written{s}, func(int64) {})
}

// fewer merges some of the runs, so that one more can be written: of those that are alike the
// oldest, as many as the budget allows. The table is empty, and lends its memory for that. Levels
// never rise from one run to the next.
func (f *former) fewer() error {
	f.t.drop()
	f.Heap(int64(f.Budget + heapBytes))
	lo, hi := f.alike()
	sources := sourcesOf(f.runs[lo:hi])
	hi = min(hi, lo+f.fanIn(sources))
	sources = sources[:hi-lo]
	f.Phase("merging", 0)
	s, err := f.mergeSpill(sources, f.runs[lo].level+1)
	if err != nil {
		return err
	}
	f.runs = append(append(f.runs[:lo:lo], s), f.runs[hi:]...)
	f.Heap(int64(f.fixed() + heapBytes)) // the table takes the rest again
	runtime.GC()
	return nil
}

// sourcesOf reads runs.
func sourcesOf(runs []*spill) (sources []source) {
	for _, r := range runs {
		sources = append(sources, &spillSource{spill: r})
	}
	return sources
}

// alike returns the longest stretch of runs of one level, the last one of several. If each run
// has a level of its own, it returns the last two.
func (f *former) alike() (lo, hi int) {
	for begin, end := 0, 0; begin < len(f.runs); begin = end {
		for end < len(f.runs) && f.runs[end].level == f.runs[begin].level {
			end++
		}
		if end-begin >= hi-lo {
			lo, hi = begin, end
		}
	}
	return min(lo, len(f.runs)-2), hi
}

// mergeSpill merges sources to a new run. It closes them, unless no run can be made.
func (f *former) mergeSpill(sources []source, level int) (*spill, error) {
	s, err := f.temps.newSpill(f.Format, level)
	if err != nil {
		return nil, err
	}
	o := f.Options
	if o.Count != nil {
		o.Unique, o.Count = false, nil // only of all rows can those that tie be counted
	}
	if err = enough(o.mergeTo(f.ctx, sources, f.limited(s).write)); err == nil {
		err = s.finish()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	f.st.Spilled += s.bytes
	f.st.Passes = max(f.st.Passes, level)
	return s, nil
}

// longest is the bytes of the longest block of sources, as far as that is known.
func longest(sources []source) (most int) {
	for _, s := range sources {
		most = max(most, s.longest())
	}
	return most
}

// merge writes all runs in order.
func (f *former) merge(w io.Writer) error {
	if f.t.rows > 0 {
		if err := f.spill(); err != nil {
			return err
		}
	}
	f.t.release()
	sources := sourcesOf(f.runs)
	bytes, level := int64(0), 0
	for _, r := range f.runs {
		bytes += r.bytes
		level = max(level, r.level)
	}
	f.runs = nil
	return f.mergeAll(sources, level, bytes, w)
}

// mergeAll writes sources, which it closes, in order. If there are more than can be merged
// at once, neighbours are merged before, no more of them than it takes.
func (f *former) mergeAll(sources []source, level int, bytes int64, w io.Writer) error {
	f.Heap(int64(f.Budget + heapBytes))
	runtime.GC() // what sorting left
	for most := f.fanIn(sources); len(sources) > most; most = f.fanIn(sources) {
		f.Phase("merging", 0)
		level++
		for lo := 0; lo < len(sources)-1 && len(sources) > most; lo++ {
			n := min(f.fanIn(sources[lo:]), len(sources)-most+1, len(sources)-lo)
			s, err := f.mergeSpill(sources[lo:lo+n], level)
			if err != nil {
				for _, s := range sources {
					s.close()
				}
				return err
			}
			sources = append(append(sources[:lo:lo], &spillSource{spill: s}), sources[lo+n:]...)
		}
	}
	out := f.output(w, f.Phase("merging", bytes))
	err := f.mergeTo(f.ctx, sources, out.write)
	f.st.RowsOut = out.rows
	f.st.Passes = level + 1
	return enough(err)
}

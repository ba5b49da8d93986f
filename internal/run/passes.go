package run

import (
	"io"
	"runtime"
	"slices"
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
		f.t.drop()
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

// fewer merges some of the runs, so that one more can be written. The table is empty, and lends
// its memory for that.
func (f *former) fewer() error {
	f.Heap(int64(f.Budget + heapBytes))
	f.Phase("merging", 0)
	sources := sourcesOf(f.runs)
	lo, hi := f.some(sources)
	s, err := f.mergeSpill(sources[lo:hi])
	if err != nil {
		return err
	}
	f.runs = slices.Replace(f.runs, lo, hi, s)
	f.Heap(int64(f.fixed() + heapBytes)) // the table takes the rest again
	runtime.GC()
	return nil
}

// sourcesOf reads runs.
func sourcesOf(runs []*spill) (sources []source) {
	for _, r := range runs {
		sources = append(sources, r)
	}
	return sources
}

// mergeSpill merges sources to a new run. It closes them, unless no run can be made.
func (f *former) mergeSpill(sources []source) (*spill, error) {
	level := levelOf(sources[0]) + 1
	s, err := f.temps.newSpill(f.Format, level)
	if err != nil {
		return nil, err
	}
	whole := false
	defer func() {
		if !whole {
			s.close()
		}
	}()
	o := f.Options
	if o.Count != nil {
		o.Unique, o.Count = false, nil // only of all rows can those that tie be counted
	}
	if err = enough(o.mergeTo(f.ctx, sources, f.limited(s).write)); err == nil {
		err = s.finish()
	}
	if err != nil {
		return nil, err
	}
	whole = true
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
	bytes := int64(0)
	for _, r := range f.runs {
		bytes += r.bytes
	}
	f.runs = nil // mergeAll closes them
	return f.mergeAll(sources, bytes, w)
}

// mergeAll writes sources, which it closes, in order. If there are more than can be merged
// at once, neighbours are merged before, no more of them than it takes.
func (f *former) mergeAll(sources []source, bytes int64, w io.Writer) error {
	defer func() { closeAll(sources) }() // unless mergeTo did
	f.Heap(int64(f.Budget + heapBytes))
	runtime.GC() // what sorting left
	for most := f.fanIn(sources); len(sources) > most; most = f.fanIn(sources) {
		f.Phase("merging", 0)
		lo, hi := f.some(sources)
		hi = min(hi, lo+len(sources)-most+1)
		s, err := f.mergeSpill(sources[lo:hi])
		if err != nil {
			return err
		}
		sources = slices.Replace(sources, lo, hi, source(s))
	}
	level := 0
	for _, s := range sources {
		level = max(level, levelOf(s))
	}
	out := f.output(w, f.Phase("merging", bytes))
	err := f.mergeTo(f.ctx, sources, out.write)
	f.st.RowsOut = out.rows
	f.st.Passes = level + 1
	return enough(err)
}

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
	if n := f.alike(); n >= openFiles() {
		f.t.drop()
		return f.mergeRuns(len(f.runs)-n, len(f.runs))
	}
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

// alike is how many of the last runs went through as few merges as the last.
func (f *former) alike() int {
	n := 0
	for i := len(f.runs) - 1; i >= 0 && f.runs[i].level == f.runs[len(f.runs)-1].level; i-- {
		n++
	}
	return n
}

// mergeRuns puts the merge of runs [lo, hi) in their place.
func (f *former) mergeRuns(lo, hi int) error {
	var sources []source
	for _, r := range f.runs[lo:hi] {
		sources = append(sources, &spillSource{spill: r})
	}
	s, err := f.mergeSpill(sources, f.runs[lo].level+1)
	if err != nil {
		return err
	}
	f.runs = append(append(f.runs[:lo:lo], s), f.runs[hi:]...)
	return nil
}

// mergeSpill merges sources, which it closes, to a new run.
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

// merge writes all runs in order.
func (f *former) merge(w io.Writer) error {
	if f.t.rows > 0 {
		if err := f.spill(); err != nil {
			return err
		}
	}
	f.t.release()
	var sources []source
	bytes, level := int64(0), 0
	for _, r := range f.runs {
		sources = append(sources, &spillSource{spill: r})
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
	for most := f.fanIn(); len(sources) > most; {
		f.Phase("merging", 0)
		level++
		for lo := 0; lo < len(sources) && len(sources) > most; lo++ {
			n := min(most, len(sources)-most+1, len(sources)-lo)
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

package run

// levelOf is how many merges the rows of a source went through.
func levelOf(s source) int {
	if r, ok := s.(*spill); ok {
		return r.level
	}
	return 0
}

// held is how many sources have a file open before they are read: the first ones, which are runs.
func held(sources []source) (n int) {
	for n < len(sources) {
		if _, ok := sources[n].(*spill); !ok {
			break
		}
		n++
	}
	return n
}

// some returns which sources, of more than can be merged at once, are to be merged first, two or
// more: of those that went through as many merges the oldest, as many as the budget allows. Those
// that are not open are opened as long as that leaves files for more, and then runs are merged.
// Levels never rise from one source to the next.
func (o Options) some(sources []source) (lo, hi int) {
	runs := held(sources)
	room := o.openRuns() - runs
	if runs > 1 && room < max(2, min(o.fanIn(sources[runs:]), o.openRuns()/2)) {
		sources = sources[:runs]
	}
	lo, hi = alike(sources)
	if hi > runs {
		hi = min(hi, max(lo, runs)+room)
	}
	return lo, min(hi, lo+o.fanIn(sources[lo:hi]))
}

// alike returns the longest stretch of sources of one level, the last one of several. If each
// has a level of its own, it returns the last two.
func alike(sources []source) (lo, hi int) {
	for begin, end := 0, 0; begin < len(sources); begin = end {
		for end < len(sources) && levelOf(sources[end]) == levelOf(sources[begin]) {
			end++
		}
		if end-begin >= hi-lo {
			lo, hi = begin, end
		}
	}
	return min(lo, len(sources)-2), hi
}

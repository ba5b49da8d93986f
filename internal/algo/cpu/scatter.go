package cpu

// Scatter writes n words to dst, which is as long, those that agree in the highest eight
// bits together, and returns where each of these 256 groups begins, and n; it must be
// simd.Available. fill writes words [lo, hi) to buf; it is called twice for each, by several
// workers. After an error, the context's, dst holds anything.
func Scatter(dst []uint64, fill func(lo, hi int, buf []uint64), o Options) (starts []int, err error) {
	r, n := newRun(o), len(dst)
	j := job[uint64]{run: r, n: n}
	load := func(lo, hi int, buf []uint64) []uint64 {
		fill(lo, hi, buf)
		return buf[:hi-lo]
	}
	d := digit{wordBits[uint64]() - streamBits, 1<<streamBits - 1}
	places := make([]counts, max(1, min(r.workers, n/(8*blockItems))))
	r.each(len(places), func(_, p int) {
		lo, hi := chunk(n, len(places), p)
		j.countPart(load, nil, &places[p], lo, hi, d, 0)
	})
	if !r.cancelled() {
		all := startsOf(places)
		starts = all[:]
		r.each(len(places), func(_, p int) {
			lo, hi := chunk(n, len(places), p)
			j.distribute(load, dst, &places[p], lo, hi, d)
		})
	}
	return starts, r.end()
}

package cpu

import (
	"sync"
	"unsafe"
)

// workStacks holds the segments that are put aside: a stack for each worker, who
// takes back the latest, still in cache; one whose stack is empty takes the
// longest of the oldest of the others.
type workStacks[U wide] struct {
	mu     sync.Mutex
	more   sync.Cond // signalled when a segment is put, broadcast when none is open
	stacks [][]segment[U]
	open   int // segments on the stacks and in work
}

// put adds g, which is then open until it is finished.
func (p *workStacks[U]) put(worker int, g segment[U]) {
	p.mu.Lock()
	p.stacks[worker] = append(p.stacks[worker], g)
	p.open++
	p.mu.Unlock()
	p.more.Signal()
}

// take returns a segment, or false when none is open any more.
func (p *workStacks[U]) take(worker int) (segment[U], bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.open > 0 {
		if s := p.stacks[worker]; len(s) > 0 {
			g := s[len(s)-1]
			p.stacks[worker] = s[:len(s)-1]
			return g, true
		}
		from := -1
		for i, s := range p.stacks {
			if len(s) > 0 && (from < 0 || s[0].len() > p.stacks[from][0].len()) {
				from = i
			}
		}
		if from >= 0 {
			g := p.stacks[from][0]
			p.stacks[from] = p.stacks[from][1:]
			return g, true
		}
		p.more.Wait()
	}
	return segment[U]{}, false
}

// finish closes a segment that was taken.
func (p *workStacks[U]) finish() {
	p.mu.Lock()
	p.open--
	last := p.open == 0
	p.mu.Unlock()
	if last {
		p.more.Broadcast()
	}
}

// lopsidedMax is how many partitions may divide badly before a segment is left
// to a sort that has a bound on them. That does not look at the context and goes over
// all of the segment at once: a long one, or one of a sort that can be cancelled, is
// divided in the middle of its values instead.
const lopsidedMax = 4

// grain is the longest segment that a worker sorts without putting a part of it aside.
func (j *vectorJob[U]) grain() int {
	if j.workers == 1 {
		return partitionBytes / int(unsafe.Sizeof(U(0))) // nobody waits for a part
	}
	return min(grainBytes/int(unsafe.Sizeof(U(0))), max(forkItems/4, len(j.x)/(8*j.workers)))
}

// deal sorts the segments: each worker divides what it took, puts the upper
// part aside and goes on with the lower, until that is short enough.
func (j *vectorJob[U]) deal(segments []segment[U]) {
	grain := j.grain()
	p := &workStacks[U]{stacks: make([][]segment[U], j.workers)}
	p.more.L = &p.mu
	for i, g := range segments {
		p.put(i%j.workers, g)
	}
	j.each(j.workers, func(worker, _ int) {
		for g, ok := p.take(worker); ok; g, ok = p.take(worker) {
			for g.len() > grain && !j.cancelled() {
				var rest segment[U]
				if g.equal {
					rest = g
					g.hi = g.lo + grain
					rest.lo = g.hi
				} else if g.lopsided > lopsidedMax && j.look == nil && !j.long(g.len()) {
					break
				} else if g, rest, ok = j.divide(g, 1); !ok {
					break
				}
				if rest.len() > 0 {
					p.put(worker, rest)
				}
			}
			j.segment(g)
			p.finish()
		}
	})
}

package run

import (
	"cmp"
	"context"
	"sync"
)

// ahead is how many portions of a source are made ahead of the merge.
const ahead = 2

// portionBytes is what one source of a merge takes; longest is the bytes of its longest block. Portions
// have a place and a code for each row and, of keyed rows, a key that is about as long as the
// row, and its row. One more key is the highest so far.
func (o Options) portionBytes(longest int) uint64 {
	block, row := uint64(max(longest, spillBytes)), longRow(longest)
	if o.Format.Encoder() != nil {
		return ahead*(3*block+16*spillRows) + 2*row
	}
	return ahead*(block+12*spillRows) + row
}

// longRow is the bytes of the longest row, where it is all of the longest block, or 0.
func longRow(longest int) uint64 {
	if longest <= spillBytes {
		return 0
	}
	return uint64(longest)
}

// mergers is how many goroutines merge: one writes while the others go on. What they collect
// takes little of the memory.
func (o Options) mergers() int {
	return min(o.Workers+1, max(2, int(o.Budget/(32*blockBytes))))
}

// leastFanIn is how many sources are merged at once even if their rows pass the budget: two at a
// time would be too many passes.
const leastFanIn = 4

// fanIn is how many of the sources, the first ones, are merged at once.
func (o Options) fanIn(sources []source) int {
	longest := longest(sources)
	merger := uint64(max(longest, blockBytes)) + 4*longRow(longest) // with what comes before its task
	room := o.Budget - min(o.Budget, uint64(o.mergers())*merger)
	fit, need := 0, uint64(0)
	for _, s := range sources {
		if need += o.portionBytes(s.longest()) + o.Source; need > room {
			break
		}
		fit++
	}
	fit = min(max(fit, leastFanIn), o.openRuns())
	if o.FanIn > 0 {
		fit = min(fit, o.FanIn)
	}
	return max(fit, 2)
}

// mostFiles bounds the temporary files that are open at once, and otherFiles is what the
// rest of the process has open.
const mostFiles, otherFiles = 400, 24

// openRuns is how many runs a sort has open at once, at least three, while one more is written.
func (o Options) openRuns() int {
	files := openFiles()
	if o.half {
		files /= 2
	}
	if o.Filter != "" {
		files = (files - startFiles) / (startFiles / 2)
	}
	return max(3, files)
}

// openFiles is how many files a sort has open at once.
var openFiles = sync.OnceValue(func() int {
	return int(min(mostFiles, fileLimit()-min(fileLimit(), otherFiles)))
})

// mergeTo merges sources and hands blocks of rows to write, one after another, from several
// goroutines. It closes the sources.
//
// One goroutine a source makes portions of rows with their codes. The cutter divides what is
// there into tasks, each of the rows up to some row of the order, and the mergers do those.
func (o Options) mergeTo(ctx context.Context, sources []source, write func(rows []byte, n int) error) (err error) {
	defer func() { err = cmp.Or(err, closeAll(sources)) }()
	stop, tasks := make(chan struct{}), make(chan *task)
	halt := sync.OnceFunc(func() { close(stop) })
	out := &merged{ordered: newOrdered(), ctx: ctx, count: o.Count, write: write}
	team := crew{stop: func() {
		out.pass(errEarlyEnd)
		halt()
	}}
	c := cutter{coder: newCoder(o.Desc), cut: uint32(o.Format.Delimiter()), most: o.block, task: &task{}, spare: make(chan *task, o.mergers()+1)}
	for range o.mergers() {
		m := merger{merged: out, done: c.spare, unique: o.Unique, most: c.most, tree: tree{coder: c.coder, cut: c.cut}}
		team.begin(func() {
			for t := range tasks {
				m.do(t)
			}
		})
	}
	team.lead(func() {
		for _, s := range sources {
			c.feeds = append(c.feeds, feed{from: readPortions(&team, newMaker(o), s, ahead, stop)})
		}
		for out.failed() == nil {
			var t *task
			if t, err = c.next(); t == nil {
				break
			}
			select {
			case tasks <- t:
			case <-stop:
			}
		}
	}, func() {
		close(tasks)
		halt()
	})
	if e := out.failed(); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	return out.last()
}

package run

import (
	"context"
	"sync"
)

// ahead is how many portions of a source are made ahead of the merge.
const ahead = 2

// portionBytes is what a source of a merge takes: portions with a place and a code for each
// row and, of keyed rows, a key that is about as long as the row, and its row.
func (o Options) portionBytes() uint64 {
	if o.Format.Encoder() != nil {
		return ahead * (3*spillBytes + 16*spillRows)
	}
	return ahead * (spillBytes + 12*spillRows)
}

// mergers is how many goroutines merge: one writes while the others go on. What they collect
// takes little of the memory.
func (o Options) mergers() int {
	return min(o.Workers+1, max(2, int(o.Budget/(32*blockBytes))))
}

// fanIn is how many sources are merged at once.
func (o Options) fanIn() int {
	room := o.Budget - min(o.Budget, uint64(o.mergers())*blockBytes)
	fit := min(int(room/(o.portionBytes()+o.Source)), openFiles())
	if o.FanIn > 0 {
		fit = min(fit, o.FanIn)
	}
	return max(fit, 2)
}

// mostFiles bounds the temporary files that are open at once, and otherFiles is what the
// rest of the process has open.
const mostFiles, otherFiles = 400, 24

// openFiles is how many files a sort has open at once.
var openFiles = sync.OnceValue(func() int {
	return int(max(3, min(mostFiles, fileLimit()-min(fileLimit(), otherFiles))))
})

// mergeTo merges sources and hands blocks of rows to write, one after another, from several
// goroutines. It closes the sources.
//
// One goroutine a source makes portions of rows with their codes. The cutter divides what is
// there into tasks, each of the rows up to some row of the order, and the mergers do those.
func (o Options) mergeTo(ctx context.Context, sources []source, write func(rows []byte, n int) error) (err error) {
	stop := make(chan struct{})
	var readers sync.WaitGroup
	defer func() {
		close(stop)
		readers.Wait()
		for _, s := range sources {
			if e := s.close(); err == nil {
				err = e
			}
		}
	}()
	c := cutter{coder: newCoder(o.Desc), cut: uint32(o.Format.Delimiter()), most: o.block}
	for _, s := range sources {
		readers.Add(1)
		c.feeds = append(c.feeds, feed{from: readPortions(newMaker(o), s, ahead, stop, readers.Done)})
	}
	tasks := make(chan *task)
	out := &merged{ordered: newOrdered(), ctx: ctx, count: o.Count, write: write}
	var team sync.WaitGroup
	for range o.mergers() {
		m := merger{merged: out, unique: o.Unique, most: c.most, tree: tree{coder: c.coder, cut: c.cut}}
		team.Go(func() {
			for t := range tasks {
				m.do(t)
			}
		})
	}
	for out.failed() == nil {
		var t *task
		if t, err = c.next(); t == nil {
			break
		}
		tasks <- t
	}
	close(tasks)
	team.Wait()
	if e := out.failed(); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	return out.last()
}
